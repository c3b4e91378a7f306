/** Events with the context that the outbox needs and that they do not carry themselves. */
import type { Instant } from '../event.js';
import type { LedgerEvent } from '../events.js';
import type { AnchorKind } from '../failures/anchor.js';
import type { ResultRecord } from '../result.js';
import type { TestEntry } from './test-entry.js';

export type Enrichment = {
  /** Present on an event that sets a final status of a result, or deletes a result that had one. */
  context?: ResultChange;
  /** Present on an event that leaves a result failed with another error: its failure may belong to another group. */
  regrouped?: FailedResult;
  /** By id: the items among the results that the event supersedes or restores, as they were submitted, if they were final. */
  others?: Readonly<Record<string, EntryPlace>>;
};

/** The history in which a result has an entry, and on which branch. */
export type EntryPlace = { test_id: string; branch: string | null };

export type EnrichedEvent = LedgerEvent & Enrichment;

export type ChangedResult = Pick<
  ResultRecord,
  'test_result_id' | 'project_id' | 'test_run_id' | 'test_name' | 'attempt' | 'status' | 'execution_time_ms'
>;

/** The group of a failure, by its anchor. */
export type FailureGroup = { id: string; kind: AnchorKind; title: string };

export type FailedResult = { test_id: string; result: ChangedResult; group: FailureGroup };

/** A change of a result that changes the history of its test. */
export type ResultChange = {
  test_id: string;
  /** The result after the event; for a deletion, the result before it. */
  result: ChangedResult;
  /** When the result ran (`ranAt`): its failures and passes are of this moment, whenever they were recorded. */
  ran_at: Instant;
  /** Whose test it is, as the result says it with its final status. */
  owner: string | null;
  /** The entry that the event adds to the history of the test; null for a deletion. */
  entry: TestEntry | null;
  /** The entry that the result had before, by its branch; null where it had none. */
  former: { branch: string | null } | null;
  /** The group of the failure; null unless the entry failed. */
  group: FailureGroup | null;
};
