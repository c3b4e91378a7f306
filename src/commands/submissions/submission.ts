/** A bulk submission, and the events that its items become. */
import type { EnvironmentKey } from '../../domain/environment.js';
import type { Content, Instant } from '../../domain/event.js';
import type { EventData } from '../../domain/events.js';
import type { ItemChunk } from '../../domain/runs/item-chunk.js';
import type { Shard } from '../../domain/runs/run-calls.js';
import type { Report } from '../../domain/runs/unread-reports.js';
import type { RunDescription } from '../../domain/runs/run-description.js';
import type { StatusWord } from '../../domain/results/result.js';
import type { AppendLimits } from '../../ports/event-log.js';
import type { OtherItems } from '../replacing.js';

/** The run of a submission. */
export type SubmittedRun = Partial<RunDescription> & {
  project_id: string;
  /** Joins several submissions to one run. */
  run_key: string | null;
  shard: Shard | null;
  /** The submission completes a run with a key. */
  complete: boolean;
  /** Names a call in its run, so that the same items under the same name are there once, for ever. */
  submission_key: string | null;
  /** If it was not sent, that of the earliest item. */
  started_at: Instant | null;
  finished_at: Instant | null;
  /** Absent or null where the report of the results was read as a whole. */
  report?: Report | null;
};

/** A valid submission. Its items are held elsewhere and arrive on request. */
export type Submission = SubmittedRun & {
  /** The number of items. */
  count: number;
  /** The number of items by status. */
  counts: ItemCounts;
  /** The SHA-256 of the items as they were sent; null for a call with neither a shard nor a `submission_key`. */
  items_hash: string | null;
  /** The sum of the items' execution times. */
  duration_ms: number;
  /**
   * Relates the items of a shard to those of its other attempts, and returns the number of results that count no more.
   * Later appends say so. `environment`: that of the origin. @throws AppError `validation_failed` where one result replaces too many; `overloaded`.
   */
  relate(others: AsyncIterable<OtherItems>, environment: EnvironmentKey): Promise<number>;
  /**
   * Yields the chunks of the items from the ordinal `from` on, in order, one append at a time. The same submission with the
   * same arguments always yields the same appends. @throws AppError `overloaded` if the items were lost.
   */
  appends(origin: BulkOrigin, limits: AppendLimits, from: number): AsyncIterable<PackedChunk[]>;
};

/** `json`: an `ItemChunk`. `contents`: those that its items name. */
export type PackedChunk = Pick<ItemChunk, 'first' | 'count'> & { json: string; contents: readonly Content[] };

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
  /** That of the call, else of its run. It lies beside the items, in which no reader of the replay sees it. */
  environment: EnvironmentKey;
};

/** Only a read says that contents are gone. */
type Data = Omit<EventData['ResultSubmitted'], 'contents'>;

/** One item, without the data of its run and of other items. */
export type SubmittedItem = Omit<Data, OfRun | OfOthers | 'finished_at'> & {
  /** If it is left out, the item ends with its run. */
  finished_at?: Instant | null;
};

type OfRun = 'result_id' | 'project_id' | 'run_id' | 'run_branch' | 'run_commit';
type OfOthers = 'superseded_by' | 'supersedes' | 'replaces' | 'replaced_by';
