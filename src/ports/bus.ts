/** The port of what carries messages from the publisher to the dispatcher. */
import type { Message, OutboxPosition } from '../domain/message.js';

/**
 * Carries messages from the publisher to whoever makes deliveries of them, which may be another process. It may lose
 * all that it has, mix it up, or have what never happened: what is delivered is what the publication has.
 */
export type Bus = {
  /**
   * Puts messages at the end, in order. What was put before may be left out, or be there twice.
   * @throws LedgerError `bus_unavailable`
   */
  publish(messages: readonly Message[]): Promise<void>;
  /** Place of the last message that was put; null where the bus has none: it is new, or was wiped. */
  last(): Promise<OutboxPosition | null>;
  /**
   * Messages in the order in which they were put, a batch at a time: the next comes when this one is settled. What is
   * not acknowledged comes again, also to another consumer after this one ended. One consumer at a time.
   */
  consume(options: { limit: number; signal: AbortSignal }): AsyncIterable<BusBatch>;
  close(): Promise<void>;
};

export type BusBatch = {
  messages: readonly Message[];
  ack(): Promise<void>;
};
