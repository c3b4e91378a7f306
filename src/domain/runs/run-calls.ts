/** The calls that submitted items to a run with a key, as its decider keeps them (docs/api.md, section 8). */
import type { Instant } from '../event.js';
import type { EventData } from '../events.js';
import { latest } from '../instant.js';
import { fail } from '../../errors.js';
import { limits } from '../../limits.js';

export type Shard = NonNullable<EventData['ItemsSubmitted']['shard']>;

export type Calls = {
  /** The items of all calls, those included that count no more. */
  sent: number;
  /** The latest end of a call. */
  finished_at: Instant | null;
  /** Null for calls without shards, and before the first call. */
  shards: Shards | null;
  /** The submissions of calls that were named, by which a repeat is known. */
  named: readonly string[];
  /** Between `ItemsSubmitted` and `ItemsReceived`, which one append writes: no reader ever sees this state. */
  arriving: boolean;
};

/** Thousands of shards are a few hundred kilobytes, so each entry has only what a decision needs. */
export type Shards = {
  total: number;
  received: readonly ReceivedShard[];
  /** The number of shards of which at least one attempt is there. */
  present: number;
};

export type ReceivedShard = Pick<Shard, 'index' | 'attempt'> & { submission_id: string; items_hash: string };

export const noCalls: Calls = { sent: 0, finished_at: null, shards: null, named: [], arriving: false };

/** The calls after one more. */
export function withCall(
  { sent, finished_at, shards, named }: Calls,
  { items, shard, submission_id, items_hash, finished_at: end }: EventData['ItemsSubmitted'],
): Calls {
  return {
    sent: sent + items,
    finished_at: latest(finished_at ?? end, end),
    shards: shard === null ? null : withShard(shards, shard, { submission_id, items_hash: items_hash ?? '' }),
    // Only a call that is named has a hash without a shard.
    named: shard === null && items_hash !== null ? [...named, submission_id] : named,
    arriving: true,
  };
}

function withShard(
  shards: Shards | null,
  { index, total, attempt }: Shard,
  more: Pick<ReceivedShard, 'submission_id' | 'items_hash'>,
): Shards {
  const received = shards?.received ?? [];
  return {
    total,
    received: [...received, { index, attempt, ...more }],
    present: (shards?.present ?? 0) + (has(received, index) ? 0 : 1),
  };
}

/** The attempts of a shard, in the order in which they came. */
export function attemptsOf({ shards }: Calls, index: number): readonly ReceivedShard[] {
  return shards?.received.filter((each) => each.index === index) ?? [];
}

/** Whether all shards are there once `index` is. */
export function isComplete({ shards }: Calls, { index, total }: Pick<Shard, 'index' | 'total'>): boolean {
  if (shards === null) return total === 1;
  return shards.present + (has(shards.received, index) ? 0 : 1) === total;
}

function has(received: readonly ReceivedShard[], index: number): boolean {
  return received.some((each) => each.index === index);
}

/**
 * Whether the run has this call already: the same attempt of a shard, or the same name, with the same items.
 * @throws AppError `shard_mixed`, `shard_total`, `shard_exists`, `item_limit` where the run does not take the call.
 */
export function isRepeat(
  { shards, sent, named }: Calls,
  {
    shard,
    items,
    items_hash,
    submission_id,
  }: Pick<EventData['ItemsSubmitted'], 'shard' | 'items' | 'items_hash' | 'submission_id'>,
): boolean {
  if ((sent > 0 || shards !== null) && (shard === null) !== (shards === null)) {
    const has = shards === null ? 'without `shard`' : 'with `shard`';
    fail('shard_mixed', `The run has calls ${has}, so it takes no others.`);
  }
  if (shard !== null && shards !== null) {
    if (shard.total !== shards.total) fail('shard_total', `The run has ${shards.total} shards.`);
    const same = shards.received.find(
      ({ index, attempt }) => index === shard.index && attempt === shard.attempt,
    );
    if (same !== undefined) {
      if (same.items_hash === items_hash) return true;
      fail(
        'shard_exists',
        `The run has attempt ${shard.attempt} of shard ${shard.index} with other results.`,
      );
    }
  }
  if (shard === null && named.includes(submission_id)) return true;
  if (sent + items > limits.itemsPerRun) {
    fail('item_limit', `A run can have at most ${limits.itemsPerRun} submitted results.`);
  }
  return false;
}
