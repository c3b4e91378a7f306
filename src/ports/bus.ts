/**
 * The port of the bus, which carries messages from the publisher to the dispatcher. `test/contract/bus/contract.ts` tests its
 * promises.
 */
import type { Message, OutboxPosition } from '../domain/messages/message.js';

/**
 * Carries messages from the publisher to the fan-out, which may run in another process. A bus may lose messages, repeat
 * them, or lose everything that it holds: the outbox is the truth, and the fan-out reads from it what is missing. A bus
 * that is intact keeps what it took through a restart, and gives it in the order in which it was published.
 */
export type Bus = {
  /**
   * Puts messages at the end, in order. A message that was published before may be left out, or may be there twice.
   * @throws LedgerError `bus_unavailable`
   */
  publish(messages: readonly Message[]): Promise<void>;
  /**
   * The outbox position of the last message that was published, whether it was consumed or not. Null where the bus has
   * none, because it is new or was wiped.
   */
  last(): Promise<OutboxPosition | null>;
  /**
   * Gives messages in the order in which they were published, a batch of up to `limit` at a time. The next batch comes
   * when this one is settled. A message that was not acknowledged comes again before all later ones, also to another
   * consumer. One consumer at a time. Ends with the signal, and when the bus is closed.
   */
  consume(options: { limit: number; signal: AbortSignal }): AsyncIterable<BusBatch>;
  /**
   * True: a published message reaches the consumer at once, in whatever process and on whatever machine it runs. False:
   * only a consumer in the same process gets messages at once; one in another process may get none.
   */
  readonly crossesProcesses: boolean;
  close(): Promise<void>;
};

export type BusBatch = {
  messages: readonly Message[];
  ack(): Promise<void>;
};
