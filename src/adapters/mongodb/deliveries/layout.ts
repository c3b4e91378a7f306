/** How deliveries are stored, and the indexes: one of them answers each question, however long the history is. */
import type { ClientSession, Collection, IndexDescription } from 'mongodb';
import type { Delivery } from '../../../domain/messages/delivery.js';
import type { Instant } from '../../../domain/event.js';
import type { VersionedDelivery } from '../../../ports/deliveries.js';
import { untilDone, type RunOptions } from '../store.js';

/** `finished_at` is null while the delivery is pending. */
export type StoredDelivery = Omit<Delivery, 'id'> & {
  /** The last put that wrote it: the version that it replaced, and its mark. */
  put?: { version: number; token: string };
  _id: string;
  version: number;
  finished_at: Instant | null;
};

export type AllDeliveries = Collection<StoredDelivery>;
export type CommandOptions = { session: ClientSession; maxTimeMS: number };

/** Does one piece of work, in a session of its own that sees everything that this process has seen. */
export type WithDeliveries = <T>(
  work: (all: AllDeliveries, options: CommandOptions) => Promise<T>,
  options?: RunOptions,
) => Promise<T>;

export function toStored({ id, ...delivery }: Delivery): StoredDelivery {
  const finished_at = delivery.state === 'pending' ? null : delivery.created_at;
  return { _id: id, ...delivery, version: 1, finished_at };
}

export function fromStored(stored: StoredDelivery): VersionedDelivery {
  const { _id, version, finished_at: _, put: __, ...delivery } = stored;
  return { delivery: { id: _id, ...delivery }, version };
}

const indexes: IndexDescription[] = [
  {
    name: 'deliveries_due',
    key: { webhook_id: 1, next_attempt_at: 1, place: 1 },
    partialFilterExpression: { next_attempt_at: { $gt: '' } },
  },
  {
    name: 'deliveries_pending',
    // The state is the same in all entries. Without it, MongoDB would read each document for it.
    key: { webhook_id: 1, state: 1, subject: 1, place: 1, next_attempt_at: 1 },
    partialFilterExpression: { state: 'pending' },
  },
  {
    name: 'deliveries_aside',
    key: { webhook_id: 1 },
    partialFilterExpression: { state: 'pending', next_attempt_at: null },
  },
  { name: 'deliveries_by_place', key: { webhook_id: 1, place: 1 } },
  { name: 'deliveries_by_state', key: { webhook_id: 1, state: 1, place: 1 } },
  { name: 'deliveries_finished', key: { state: 1, finished_at: 1 } },
];

/** Returns a function that makes the indexes with its first call, and again after a call that failed. */
export function makeIndexesOnce(): (all: AllDeliveries) => Promise<unknown> {
  let made: Promise<unknown> | null = null;
  return (all) =>
    (made ??= untilDone(() => all.createIndexes(indexes)).catch((error: unknown) => {
      made = null;
      throw error;
    }));
}
