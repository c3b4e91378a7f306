/** The subject of the suite, and messages to publish. */
import { expect } from 'chai';
import type { Bus, BusBatch } from '../../../src/ports/bus.js';
import { outboxPosition, type Message } from '../../../src/domain/messages/message.js';

/** The bus of the current test. */
export type BusUnderTest = {
  /** Two openings of the same bus. */
  readonly bus: Bus;
  readonly other: Bus;
  /** Closes both and opens them again. */
  reopen(): Promise<void>;
};

/** The place of the n-th message. */
export function place(n: number): string {
  return n === 0 ? '' : outboxPosition(String(n).padStart(20, '0'), 0);
}

/** The n-th message. */
export function message(n: number, subject = `test_${n % 3}`): Message {
  return {
    place: place(n),
    event_id: `event_${n}`,
    type: 'test.failed',
    team_id: 'team_1',
    subject,
    at: '2026-01-01T00:00:00.000Z',
    targets: ['webhook_1', 'webhook_2'],
  };
}

/** Messages from the n-th to the m-th. */
export function messages(from: number, to: number): Message[] {
  return Array.from({ length: to - from + 1 }, (_, k) => message(from + k));
}

export type Consumer = {
  /** The next batch. */
  next(): Promise<BusBatch>;
  /** The places of the next batch, which is acknowledged. */
  take(): Promise<string[]>;
  /** Stops in the middle of a batch, as a consumer does that stops or crashes. */
  end(): Promise<void>;
};

export function consumerOf(bus: Bus, limit = 10): Consumer {
  const stop = new AbortController();
  const batches = bus.consume({ limit, signal: stop.signal })[Symbol.asyncIterator]();
  const next = async (): Promise<BusBatch> => {
    const { value, done } = await batches.next();
    return done === true ? expect.fail('the consumer has ended') : value;
  };
  return {
    next,
    take: async () => {
      const batch = await next();
      await batch.ack();
      return placesOf(batch);
    },
    end: async () => {
      stop.abort();
      await batches.return?.();
    },
  };
}

export function placesOf({ messages: all }: Pick<BusBatch, 'messages'>): string[] {
  return all.map((each) => each.place);
}

/** Consumes until this many messages have come, and acknowledges them. */
export async function takeAll(consumer: Consumer, count: number): Promise<string[]> {
  const taken: string[] = [];
  while (taken.length < count) taken.push(...(await consumer.take()));
  return taken;
}
