/** Every question about deliveries is answered by one of these, however long the history is. */
import type { Collection, IndexDescription } from 'mongodb';
import type { StoredDelivery } from './claimable.js';
import { untilDone } from '../store.js';

const indexes: IndexDescription[] = [
  {
    name: 'deliveries_due',
    key: { webhook_id: 1, next_attempt_at: 1, place: 1 },
    partialFilterExpression: { next_attempt_at: { $gt: '' } },
  },
  {
    name: 'deliveries_pending',
    // With the state, though it is the same of all: else it would be looked up in each.
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

/** A function that makes them with its first call, and again where that failed. */
export function deliveryIndexes(): (all: Collection<StoredDelivery>) => Promise<unknown> {
  let made: Promise<unknown> | null = null;
  return (all) =>
    (made ??= untilDone(() => all.createIndexes(indexes)).catch((error: unknown) => {
      made = null;
      throw error;
    }));
}
