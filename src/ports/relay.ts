/** The port that carries messages between servers. `test/adapters/nats/relay.stack.ts` tests its promises. */
import type { Message } from '../domain/messages/message.js';
import type { Partition } from '../domain/partition.js';

/**
 * Carries the messages of the server that folds the history to the fan-outs on the other servers. The outbox is the truth:
 * a message that is lost here is found there.
 */
export type Relay = {
  /**
   * Carries committed messages to the others, in order, each once by its event id. Never throws: what cannot be carried is
   * lost.
   */
  send(messages: readonly Message[]): void;
  /** Ends after what is under way. */
  close(): Promise<void>;
};

export type RelayOptions = {
  /** Gets the partition of each message that another server sends. What this one sends does not come back. */
  received: (partition: Partition) => void;
  /** Receives the error with which an outage begins; it goes on by itself. */
  report: (error: unknown) => void;
};
