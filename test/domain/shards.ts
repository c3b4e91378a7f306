/** What the items of a shard replace, by the plainest reading of the contract: looked up among all items of the run. */
import type { LedgerEvent } from '../../src/domain/events.js';
import type { Submitted } from './submission.js';

export type ShardItem = { index: number; attempt: number; nth: number; id: string; item: Submitted };

/** All items of a run that came in shards, also those that are deleted, in the order of the log. */
export function shardItems(events: readonly LedgerEvent[], run: string): ShardItem[] {
  const all: ShardItem[] = [];
  let nth = 0;
  let shard: { index: number; attempt: number } | null = null;
  for (const { type, data } of events) {
    if (type === 'ItemsSubmitted' && data.run_id === run) [shard, nth] = [data.shard, nth + 1];
    if (type === 'ResultSubmitted' && data.run_id === run && shard !== null) {
      all.push({ index: shard.index, attempt: shard.attempt, nth, id: data.result_id, item: data });
    }
  }
  return all;
}

/** Whether an item replaces results of its test: it is the first one with the highest attempt in its call. */
export function represents(one: ShardItem, all: readonly ShardItem[]): boolean {
  const same = all.filter(({ nth, item }) => nth === one.nth && item.test_name === one.item.test_name);
  const highest = Math.max(...same.map(({ item }) => item.attempt));
  return same.find(({ item }) => item.attempt === highest) === one;
}

/** The items that replace one, deleted ones included: first those that were there before it, by attempt. */
export function replacersOf(one: ShardItem, all: readonly ShardItem[]): ShardItem[] {
  const higher = all.filter(
    (each) =>
      each.index === one.index &&
      each.attempt > one.attempt &&
      each.item.test_name === one.item.test_name &&
      represents(each, all),
  );
  const before = higher.filter(({ nth }) => nth < one.nth).sort((a, b) => a.attempt - b.attempt);
  return [...before, ...higher.filter(({ nth }) => nth > one.nth)];
}
