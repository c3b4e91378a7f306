/** What the items of a shard replace, by the plainest reading of the contract: looked up among all items of the run. */
import { resultEnvironment } from '../../src/domain/environment.js';
import type { LedgerEvent } from '../../src/domain/events.js';
import type { Submitted } from './submission.js';

/** `environment`: that of the item when it came. */
export type ShardItem = {
  index: number;
  attempt: number;
  nth: number;
  id: string;
  item: Submitted;
  environment: string;
};

/** All items of a run that came in shards, also those that are deleted, in the order of the log. */
export function shardItems(events: readonly LedgerEvent[], run: string): ShardItem[] {
  const all: ShardItem[] = [];
  let nth = 0;
  let shard: { index: number; attempt: number } | null = null;
  for (const { type, data, meta } of events) {
    if (type === 'ItemsSubmitted' && data.run_id === run) [shard, nth] = [data.shard, nth + 1];
    if (type === 'ResultSubmitted' && data.run_id === run && shard !== null) {
      const environment = resultEnvironment(meta.facts?.environment ?? '', data.metadata);
      all.push({ ...shard, nth, id: data.result_id, item: data, environment });
    }
  }
  return all;
}

function isSameLine(one: ShardItem, other: ShardItem): boolean {
  return one.item.test_name === other.item.test_name && one.environment === other.environment;
}

/** Whether an item replaces results of its test in its environment: it is the first one with the highest attempt in its call. */
export function represents(one: ShardItem, all: readonly ShardItem[]): boolean {
  const same = all.filter((each) => each.nth === one.nth && isSameLine(each, one));
  const highest = Math.max(...same.map(({ item }) => item.attempt));
  return same.find(({ item }) => item.attempt === highest) === one;
}

/** The items that replace one, deleted ones included: first those that were there before it, by attempt. */
export function replacersOf(one: ShardItem, all: readonly ShardItem[]): ShardItem[] {
  const higher = all.filter(
    (each) =>
      each.index === one.index &&
      each.attempt > one.attempt &&
      isSameLine(each, one) &&
      represents(each, all),
  );
  const before = higher.filter(({ nth }) => nth < one.nth).sort((a, b) => a.attempt - b.attempt);
  return [...before, ...higher.filter(({ nth }) => nth > one.nth)];
}
