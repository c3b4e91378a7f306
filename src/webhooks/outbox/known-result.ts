/** A result as the enrich stage follows it from event to event. It is pure. */
import type { ChangedResult, FailureGroup } from '../../domain/test-history/enriched-event.js';
import type { Instant, RecordedEvent } from '../../domain/event.js';
import type { EventData, LedgerEvent } from '../../domain/events.js';
import { anchorOf, groupIdOf } from '../../domain/failures/anchor.js';
import { ranAt } from '../../domain/instant.js';
import { isFinal } from '../../domain/result.js';
import type { Metadata } from '../../domain/runs/run.js';
import { textIn, understoodResult } from '../../domain/understood.js';
import type { ShardAttemptOf } from './shard-attempts.js';

/**
 * The part of a result that changes the history of its test, as its events describe it so far. Of the metadata it has
 * only what the anchor of a failure needs, so that thousands of results fit into memory.
 */
export type KnownResult = {
  /** Null before the first event, and after the deletion. */
  result: ChangedResult | null;
  /** The attempt of its shard; null in a run without shards. */
  shard_attempt: number | null;
  /** The revision of the newest event in its own stream; -1 if there is none. */
  revision: number;
  branch: string | null;
  commit: string | null;
  owner: string | null;
  run_branch: string | null;
  run_commit: string | null;
  started_at: Instant | null;
  finished_at: Instant | null;
  /** The parts of the result that say why it failed. A new object with each change. */
  described: Described;
  /** A new object for each final status; null while the result had none. */
  entry: { branch: string | null; commit: string | null; owner: string | null; ran_at: Instant } | null;
};

/** `metadata`: only the keys that the anchor of a failure needs. */
type Described = { error_message: string | null; metadata: Metadata | null };

export const unknown: KnownResult = {
  result: null,
  shard_attempt: null,
  revision: -1,
  branch: null,
  commit: null,
  owner: null,
  run_branch: null,
  run_commit: null,
  started_at: null,
  finished_at: null,
  entry: null,
  described: { error_message: null, metadata: null },
};

/** The result after the next of its events. */
export function withEvent(
  before: KnownResult,
  recorded: RecordedEvent,
  shardAttemptOf: ShardAttemptOf,
): KnownResult {
  const event = recorded as LedgerEvent;
  const after = changed(before, event);
  if (isCreation(event)) after.shard_attempt = shardAttemptOf(event);
  if (after.result === null || !setsFinalStatus(event)) return after;
  // The result's own branch and commit come before those of its run.
  const branch = after.branch ?? after.run_branch;
  // A pipeline that does not know its commit sends an empty one. It does not count as a commit: results of different
  // code are no evidence of flakiness.
  const commit = (after.commit ?? after.run_commit) || null;
  const { owner, started_at, finished_at } = after;
  const ran_at = ranAt({ finished_at, started_at, created_at: event.meta.at });
  after.entry = { branch, commit, owner, ran_at };
  return after;
}

/** Always a new object, because `withEvent` changes it and `before` may be in a cache. Without a result it has no entry. */
function changed(before: KnownResult, event: LedgerEvent): KnownResult {
  const { revision } = event;
  switch (event.type) {
    case 'ResultCreated':
      return created(event.data, revision);
    case 'ResultSubmitted':
      // An item is in the stream of its run: its revision there is not one of the result's own stream.
      return created(event.data, unknown.revision);
    case 'ResultStarted':
      return withStatus(before, { ...event.data, finished_at: null, execution_time_ms: null }, revision);
    case 'ResultFinished':
    case 'ResultUpdated':
      return withStatus(before, event.data, revision);
    case 'ResultDeleted':
    case 'ResultVoided':
      return { ...unknown, revision };
    default:
      return { ...before, revision };
  }
}

function created(
  data: EventData['ResultCreated'] | EventData['ResultSubmitted'],
  revision: number,
): KnownResult {
  const { result_id: test_result_id, run_id: test_run_id, project_id, test_name, attempt, status } = data;
  const { run_branch, run_commit, metadata, started_at } = data;
  const {
    execution_time_ms = null,
    error_message = null,
    finished_at = null,
  } = 'execution_time_ms' in data ? data : {};
  const { branch, commit, owner } = understoodIn(metadata);
  return {
    result: { test_result_id, test_run_id, project_id, test_name, attempt, status, execution_time_ms },
    shard_attempt: null,
    revision,
    branch,
    commit,
    owner,
    run_branch,
    run_commit,
    started_at,
    finished_at,
    entry: null,
    described: { error_message, metadata: ofError(metadata) },
  };
}

type StatusChange = Pick<
  EventData['ResultUpdated'],
  'status' | 'metadata' | 'error_message' | 'started_at' | 'finished_at' | 'execution_time_ms'
>;

function withStatus(before: KnownResult, change: StatusChange, revision: number): KnownResult {
  if (before.result === null) return { ...before, revision };
  const { status, metadata, error_message, execution_time_ms } = change;
  const { started_at = before.started_at, finished_at = before.finished_at } = change;
  const result = { ...before.result, status };
  if (execution_time_ms !== undefined) result.execution_time_ms = execution_time_ms;
  const changed = { result, revision, started_at, finished_at };
  if (metadata === undefined && error_message === undefined) return { ...before, ...changed };
  const understood = metadata === undefined ? {} : understoodIn(metadata);
  const described = {
    error_message: error_message === undefined ? before.described.error_message : error_message,
    metadata: metadata === undefined ? before.described.metadata : ofError(metadata),
  };
  return { ...before, ...understood, ...changed, described };
}

function ofError(metadata: Metadata | null): Metadata | null {
  const { file, error } = metadata ?? {};
  if (file === undefined && error === undefined) return null;
  if (typeof error !== 'object' || error === null) return { file, error };
  const { type, hook, message, stack } = error as Metadata;
  return { file, error: { type, hook, message: ends(message), stack: ends(stack) } };
}

/** The part of a text that the anchor looks at, at each end. A batch may have thousands of results with long errors. */
const ANCHORED = 64 * 1024;

function ends(text: unknown): unknown {
  if (typeof text !== 'string' || text.length <= 2 * ANCHORED) return text;
  return text.slice(0, ANCHORED) + text.slice(-ANCHORED);
}

/** The group of the failure of a failed result. */
export function groupOf(
  { project_id, test_name }: ChangedResult,
  { metadata, error_message }: Described,
): FailureGroup {
  const anchor = anchorOf(understoodResult(metadata, error_message), test_name);
  return { id: groupIdOf(project_id, anchor), kind: anchor.kind, title: anchor.title };
}

function understoodIn(metadata: Metadata | null) {
  return {
    branch: textIn(metadata, 'branch'),
    commit: textIn(metadata, 'commit'),
    owner: textIn(metadata, 'owner'),
  };
}

function setsFinalStatus(event: LedgerEvent): boolean {
  switch (event.type) {
    case 'ResultCreated':
    case 'ResultSubmitted':
      return isFinal(event.data.status);
    case 'ResultStarted':
    case 'ResultFinished':
    case 'ResultUpdated':
      return event.data.status !== event.data.previous_status && isFinal(event.data.status);
    default:
      return false;
  }
}

/** Whether the event begins the result: no event of it comes before. */
export function isCreation({ type }: RecordedEvent): boolean {
  return type === 'ResultCreated' || type === 'ResultSubmitted' || type === 'ResultVoided';
}
