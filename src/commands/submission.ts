/** A bulk submission, and the events that its items become. */
import type { Instant } from '../domain/event.js';
import type { EventData } from '../domain/events.js';
import { itemId } from '../domain/ids.js';
import type { Shard } from '../domain/runs/run-calls.js';
import type { RunDescription } from '../domain/runs/run-description.js';
import { statusWords, type StatusWord } from '../domain/result.js';
import { packTexts } from '../memory/packed-texts.js';
import type { AppendLimits } from '../ports/event-log.js';
import { openReplacing, replacesNothing, type OtherItems, type Replacing } from './replacing.js';
import { superseding, type Superseding } from './superseding.js';

/** The run of a submission. */
export type SubmittedRun = Partial<RunDescription> & {
  project_id: string;
  /** Joins several submissions to one run. */
  run_key: string | null;
  shard: Shard | null;
  /** The submission completes a run with a key. */
  complete: boolean;
  /** If it was not sent, that of the earliest item. */
  started_at: Instant | null;
  finished_at: Instant | null;
};

/** A valid submission. Its items are held elsewhere and arrive on request. */
export type Submission = SubmittedRun & {
  /** The number of items. */
  count: number;
  /** The number of items by status. */
  counts: ItemCounts;
  /** The SHA-256 of the items of a shard as they were sent; null without a shard. */
  items_hash: string | null;
  /** The sum of the items' execution times. */
  duration_ms: number;
  /**
   * Relates the items of a shard to those of its other attempts, and returns the number of results that count no more.
   * Later appends say so. @throws LedgerError `validation_failed` where one result replaces too many; `overloaded`.
   */
  relate(others: AsyncIterable<OtherItems>): Promise<number>;
  /**
   * Yields the data of the items' events as JSON, in order, one append at a time. The same submission with the same
   * arguments always yields the same appends. @throws LedgerError `overloaded` if the items were lost.
   */
  appends(origin: BulkOrigin, limits: AppendLimits): AsyncIterable<string[]>;
};

export type ItemCounts = Record<StatusWord, number>;

/** The data that the event of an item takes from its run. */
export type BulkOrigin = {
  /** The ids of the items follow from it. In a run without a key, it is that of the run. */
  submission_id: string;
  run_id: string;
  project_id: string;
  finished_at: Instant;
  branch: string | null;
  commit: string | null;
};

type Data = EventData['ResultSubmitted'];

/** One item, without the data of its run and of other items. */
export type SubmittedItem = Omit<Data, OfRun | OfOthers | 'finished_at'> & {
  /** If it is left out, the item ends with its run. */
  finished_at?: Instant | null;
};

type OfRun = 'result_id' | 'project_id' | 'run_id' | 'run_branch' | 'run_commit';
type OfOthers = 'superseded_by' | 'supersedes' | 'replaces' | 'replaced_by';

/**
 * Items packed as the JSON of their events. As objects, the items of two submissions of 50,000 would fill the memory of a
 * small server.
 */
export type PackedItems = {
  add(item: SubmittedItem): void;
  readonly count: number;
  readonly counts: ItemCounts;
  readonly earliest: Instant | null;
  /** The item that supersedes the most others, and their number. Null if no item supersedes another. */
  mostSuperseding(): { ordinal: number; count: number } | null;
  readonly duration_ms: number;
  /** Begins to relate the items to those of other attempts of the shard. */
  relate(shardAttempt: number): ReturnType<typeof openReplacing>;
  /** As `Submission.appends`. */
  appends(origin: BulkOrigin, limits: AppendLimits, replacing?: Replacing): Generator<string[], void>;
  /** Gives their memory back, once no append is asked for any more. */
  free(): void;
};

export function packItems(): PackedItems {
  const packed = packTexts();
  const names: string[] = [];
  const attempts: number[] = [];
  const endWithRun: boolean[] = [];
  const counts: ItemCounts = { pending: 0, running: 0, passed: 0, failed: 0, skipped: 0, known_fail: 0 };
  let earliest: Instant | null = null;
  let duration_ms = 0;
  let known: Superseding | null = null;
  /** Call it when all items are added. */
  const supersedingItems = (): Superseding => (known ??= superseding(names, attempts));

  return {
    counts,
    add(item) {
      const { test_name, attempt, started_at, finished_at, execution_time_ms } = item;
      packed.add(JSON.stringify(item));
      counts[statusWords[item.status]] += 1;
      endWithRun.push(finished_at === undefined);
      names.push(test_name);
      attempts.push(attempt);
      duration_ms += execution_time_ms ?? 0;
      if (started_at !== null && (earliest === null || started_at < earliest)) earliest = started_at;
    },
    get count() {
      return packed.count;
    },
    get earliest() {
      return earliest;
    },
    get duration_ms() {
      return duration_ms;
    },
    free: packed.free,
    relate: (shardAttempt) => openReplacing(names, attempts, shardAttempt),
    mostSuperseding() {
      let most: { ordinal: number; count: number } | null = null;
      for (const [ordinal, { length: count }] of supersedingItems().of)
        if (count > (most?.count ?? 0)) most = { ordinal, count };
      return most;
    },
    *appends(origin, limits, replacing = replacesNothing) {
      const { submission_id, run_id, project_id, finished_at, branch, commit } = origin;
      const { by, of } = supersedingItems();
      const ids = JSON.stringify({ project_id, run_id, run_branch: branch, run_commit: commit }).slice(1, -1);
      const end = `,"finished_at":${JSON.stringify(finished_at)}`;
      const dataOf = (ordinal: number): string => {
        const superseder = by.get(ordinal);
        const by_id = superseder === undefined ? 'null' : `"${itemId(submission_id, superseder)}"`;
        const supersedes = of.get(ordinal)?.join() ?? '';
        const finished = endWithRun[ordinal] === true ? end : '';
        const own = packed.get(ordinal).slice(1);
        const replaced =
          listed('replaces', replacing.of(ordinal)) + listed('replaced_by', replacing.by(names[ordinal]!));
        return `{"result_id":"${itemId(submission_id, ordinal)}",${ids},"superseded_by":${by_id},"supersedes":[${supersedes}]${replaced}${finished},${own}`;
      };

      let append: string[] = [];
      let bytes = 0;
      for (let ordinal = 0; ordinal < packed.count; ordinal += 1) {
        const data = dataOf(ordinal);
        const size = Buffer.byteLength(data);
        if (append.length > 0 && (append.length === limits.events || bytes + size > limits.bytes)) {
          yield append;
          append = [];
          bytes = 0;
        }
        append.push(data);
        bytes += size;
      }
      if (append.length > 0) yield append;
    },
  };
}

/** A field of an item's data, with the comma before it; nothing for an empty list. Ids need no escapes. */
function listed(name: string, ids: readonly string[]): string {
  return ids.length === 0 ? '' : `,"${name}":["${ids.join('","')}"]`;
}
