/**
 * The port's `put`, many at a time. The writes of one webhook that come while others are under way go together: the
 * dispatcher records hundreds of deliveries a second, and one command for each was most of its work.
 */
import type { AnyBulkWriteOperation } from 'mongodb';
import { randomUUID } from 'node:crypto';
import type { Delivery } from '../../../domain/messages/delivery.js';
import type { Instant } from '../../../domain/event.js';
import { fail } from '../../../errors.js';
import type { Deliveries } from '../../../ports/deliveries.js';
import { makeNextDue } from './claimable.js';
import type { StoredDelivery, WithDeliveries } from './layout.js';

type Put = {
  delivery: Delivery;
  version: number;
  now: Instant;
  /** Marks the document, so that a later read can tell who wrote it. */
  token: string;
  resolve(isDone: boolean): void;
  reject(error: unknown): void;
};

const MOST_AT_ONCE = 500;

/** Puts of one webhook keep the order of their calls. */
export function openPuts(run: WithDeliveries): Deliveries['put'] {
  /** By webhook: the puts that wait for those under way. */
  const queues = new Map<string, Put[]>();

  async function writeAll(webhook: string, queue: Put[]): Promise<void> {
    while (queue.length > 0) {
      const some = queue.splice(0, MOST_AT_ONCE);
      try {
        const done = await putAll(run, webhook, some);
        for (const put of some) put.resolve(done.has(put));
      } catch (error) {
        for (const put of some) put.reject(error);
      }
    }
    queues.delete(webhook);
  }

  return (delivery, version, now) =>
    new Promise((resolve, reject) => {
      const put = { delivery, version, now, token: randomUUID(), resolve, reject };
      const waiting = queues.get(delivery.webhook_id);
      if (waiting !== undefined) return void waiting.push(put);
      const queue = [put];
      queues.set(delivery.webhook_id, queue);
      // Other puts of this round of the event loop go with it.
      setImmediate(() => void writeAll(delivery.webhook_id, queue));
    });
}

/** Returns the puts that were done. */
async function putAll(run: WithDeliveries, webhook: string, puts: readonly Put[]): Promise<Set<Put>> {
  const ending = puts.filter(({ delivery }) => delivery.state !== 'pending');
  // Before the write: after a crash in between, nothing would look at a webhook that has nothing due, and the next
  // delivery would stay blocked.
  await makeNextOfAllDue(run, webhook, ending);
  const { modifiedCount } = await run(
    (all, options) => all.bulkWrite(puts.map(updateOf), { ...options, ordered: false }),
    { once: true },
  );
  const done = modifiedCount === puts.length ? new Set(puts) : await findDone(run, puts);
  // And after it: a claim in between may have blocked the next delivery again.
  await makeNextOfAllDue(
    run,
    webhook,
    ending.filter((put) => done.has(put)),
  );
  return done;
}

function updateOf({ delivery, version, now, token }: Put): AnyBulkWriteOperation<StoredDelivery> {
  const { created_at, asked, state, attempts, tries, next_attempt_at, scheduled_at, earliest_at } = delivery;
  const finished_at = state === 'pending' ? null : now;
  const times = { next_attempt_at, scheduled_at, earliest_at, finished_at };
  const set = { created_at, asked, state, attempts, tries, ...times, put: { version, token } };
  return {
    updateOne: {
      filter: { _id: delivery.id, version },
      update: { $set: set, $inc: { version: 1 } },
    },
  };
}

/**
 * Finds the puts that were done, when not all of them were: MongoDB reports their number only. Each document has the mark
 * of its last put. @throws AppError `state_unavailable` when a later put has replaced the mark: then the outcome is
 * unknown.
 */
async function findDone(run: WithDeliveries, puts: readonly Put[]): Promise<Set<Put>> {
  const ids = puts.map(({ delivery }) => delivery.id);
  const found = await run((all, options) =>
    all.find({ _id: { $in: ids } }, { ...options, projection: { put: 1 } }).toArray(),
  );
  const marks = new Map(found.map(({ _id, put }) => [_id, put]));
  return new Set(
    puts.filter(({ delivery, version, token }) => {
      const mark = marks.get(delivery.id);
      if (mark !== undefined && mark.version > version) {
        fail(
          'state_unavailable',
          'It is unknown whether a delivery was written, because it was written again since.',
        );
      }
      return mark?.token === token;
    }),
  );
}

async function makeNextOfAllDue(run: WithDeliveries, webhook: string, ended: readonly Put[]): Promise<void> {
  if (ended.length === 0) return;
  const now = ended.map((put) => put.now).reduce((one, other) => (one < other ? one : other));
  await makeNextDue(
    run,
    webhook,
    ended.map(({ delivery }) => delivery),
    now,
  );
}
