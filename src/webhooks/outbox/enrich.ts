/**
 * The enrich stage of the outbox.
 *
 * Takes: events of the feed, in order. Gives: the same events in the same order; those that change the history of a
 * test have a `context`. It reads the streams of the results up to each event and no further, because a read model can
 * be behind the event or ahead of it. It loses nothing and is repeatable: the same events get the same context.
 */
import { LRUCache } from 'lru-cache';
import type {
  ChangedResult,
  EnrichedEvent,
  Enrichment,
  FailureGroup,
  ResultChange,
} from '../../domain/test-history/enriched-event.js';
import { parseStreamName, streamName, type RecordedEvent } from '../../domain/event.js';
import type { EventData, LedgerEvent } from '../../domain/events.js';
import { anchorOf, groupIdOf } from '../../domain/failures/anchor.js';
import { isFinal } from '../../domain/result.js';
import type { Metadata } from '../../domain/runs/run.js';
import { textIn, understoodResult } from '../../domain/understood.js';
import { attemptInRun } from '../../domain/test-history/attempt-in-run.js';
import { testIdOf } from '../../domain/test-history/test.js';
import type { FinalStatus } from '../../domain/test-history/test-history.js';
import { forEachConcurrent } from '../../concurrency/for-each-concurrent.js';
import { readBulkOrigin, streamPages, type StreamReader } from '../../log/streams.js';
import { estimateBytes } from '../../memory/estimate-bytes.js';
import { openShardAttempts, type ShardAttemptOf } from './shard-attempts.js';

/** @throws LedgerError `log_unavailable` */
export type Enrich = (events: readonly RecordedEvent[]) => Promise<EnrichedEvent[]>;

/**
 * The part of a result that changes the history of its test, as its events describe it so far. Of the metadata it has
 * only what the anchor of a failure needs, so that thousands of results fit into memory.
 */
type KnownResult = {
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
  /** The parts of the result that say why it failed. A new object with each change. */
  described: Described;
  /** A new object for each final status; null while the result had none. */
  entry: { branch: string | null; commit: string | null; owner: string | null } | null;
};

/** `metadata`: only the keys that the anchor of a failure needs. */
type Described = { error_message: string | null; metadata: Metadata | null };

const unknown: KnownResult = {
  result: null,
  shard_attempt: null,
  revision: -1,
  branch: null,
  commit: null,
  owner: null,
  run_branch: null,
  run_commit: null,
  entry: null,
  described: { error_message: null, metadata: null },
};

const CACHE_BYTES = 8 * 1024 * 1024;
const READS_AT_ONCE = 32;
const PAGE = 1_000;

/** Long because all steps share the cached results: each is short. */
export function openEnrich(log: StreamReader): Enrich {
  const openCache = () =>
    new LRUCache<string, KnownResult>({ max: 20_000, maxSize: CACHE_BYTES, sizeCalculation: estimateBytes });
  /** Results without a final status: most of them change again soon. */
  const unfinished = openCache();
  /** Results that changed after they were final. Without this, each further change would read their whole stream. */
  const changedAgain = openCache();
  const testIds = new LRUCache<string, string>({ max: 20_000 });
  const shardAttempts = openShardAttempts(log);

  function testId(project: string, name: string): string {
    const key = `${project}/${name}`;
    let id = testIds.get(key);
    if (id === undefined) testIds.set(key, (id = testIdOf(project, name)));
    return id;
  }

  /** The results that a batch changes, as they were before its events. */
  async function resultsBefore(events: readonly RecordedEvent[]): Promise<Map<string, KnownResult>> {
    const before = new Map<string, KnownResult>();
    const missing: RecordedEvent[] = [];
    for (const event of events) {
      const id = resultIdOf(event);
      if (id === null || before.has(id)) continue;
      if (isCreation(event)) {
        before.set(id, unknown);
        continue;
      }
      const cached = unfinished.get(id) ?? changedAgain.get(id);
      if (cached !== undefined && cached.revision === event.revision - 1) before.set(id, cached);
      else if (mayChangeHistory(event)) {
        before.set(id, unknown);
        missing.push(event);
      }
    }
    await forEachConcurrent(missing, READS_AT_ONCE, async (event) => {
      const { team, id } = parseStreamName(event.stream);
      before.set(id, await readResult(team, id, event.revision));
    });
    return before;
  }

  /** A result before a revision of its stream. */
  async function readResult(team: string, id: string, until: number): Promise<KnownResult> {
    const stream = streamName('result', team, id);
    const origin = await readBulkOrigin(log, stream);
    let known = origin === null ? unknown : withEvent(unknown, origin, await shardAttempts([origin]));
    if (until === 0) return known;
    for await (const events of streamPages(log, stream, 0, Math.min(until, PAGE))) {
      const shardAttemptOf = await shardAttempts(events);
      for (const event of events) {
        if (event.revision >= until) return known;
        known = withEvent(known, event, shardAttemptOf);
      }
    }
    return known;
  }

  function changeOf(
    { type }: RecordedEvent,
    before: KnownResult,
    after: KnownResult,
  ): ResultChange | undefined {
    const record = after.result ?? before.result;
    if (record === null) return undefined;
    const test_id = testId(record.project_id, record.test_name);
    const former = before.entry === null ? null : { branch: before.entry.branch };
    if (type === 'ResultDeleted') {
      if (former === null) return undefined;
      return { test_id, result: record, owner: null, entry: null, former, group: null };
    }
    if (after.entry === null || after.entry === before.entry) return undefined;
    const group = record.status === 'Failed' ? groupOf(record, after.described) : null;
    const { test_result_id: result_id, test_run_id: run_id, attempt, status } = record;
    const { branch, commit, owner } = after.entry;
    const again = former !== null;
    const place = attemptInRun(attempt, after.shard_attempt);
    const entry = { result_id, run_id, attempt: place, branch, commit, status: status as FinalStatus, again };
    return { test_id, result: record, owner, entry, former, group };
  }

  /** A client may report the error of a failure after the failure itself. */
  function regrouped(before: KnownResult, { result: record, entry, described }: KnownResult) {
    if (record?.status !== 'Failed' || entry === null) return undefined;
    if (described === before.described) return undefined;
    const test_id = testId(record.project_id, record.test_name);
    return { test_id, result: record, group: groupOf(record, described) };
  }

  return async (events) => {
    const shardAttemptOf = await shardAttempts(events);
    const results = await resultsBefore(events);
    const enriched: EnrichedEvent[] = [];
    for (const event of events) {
      const recorded = event as LedgerEvent;
      const id = resultIdOf(event);
      const before = id === null ? undefined : results.get(id);
      // A result that was read for a later event of this batch includes this event already: it must not count twice.
      const isIncluded = before !== undefined && !isCreation(event) && event.revision <= before.revision;
      if (id === null || before === undefined || isIncluded) {
        enriched.push(recorded);
        continue;
      }
      const after = withEvent(before, recorded, shardAttemptOf);
      results.set(id, after);
      const context = changeOf(event, before, after);
      if (context !== undefined) enriched.push(withContext(recorded, context));
      else {
        const failed = regrouped(before, after);
        enriched.push(failed === undefined ? recorded : { ...recorded, regrouped: failed });
      }
    }
    for (const [id, known] of results) {
      unfinished.delete(id);
      changedAgain.delete(id);
      if (known.result === null) continue;
      if (known.entry === null) unfinished.set(id, known);
      // Most results are over with their first event: they would only push the others out.
      else if (known.revision > 0) changedAgain.set(id, known);
    }
    return enriched;
  };
}

/**
 * Written out, because nearly every event of a result gets one (docs/decisions/033): a new field of `RecordedEvent` must be
 * added here. The cast: TypeScript does not see that `type` and `data` still belong together.
 */
function withContext(
  { id, type, version, data, meta, stream, revision, position }: LedgerEvent,
  context: ResultChange,
): EnrichedEvent {
  const event = { id, type, version, data, meta, stream, revision, position, context };
  return event satisfies RecordedEvent & Enrichment as EnrichedEvent;
}

function withEvent(
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
  after.entry = { branch, commit, owner: after.owner };
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
      return withStatus(before, { status: event.data.status, execution_time_ms: null }, revision);
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
  const { run_branch, run_commit, metadata } = data;
  const { execution_time_ms = null, error_message = null } = 'execution_time_ms' in data ? data : {};
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
    entry: null,
    described: { error_message, metadata: ofError(metadata) },
  };
}

type StatusChange = Pick<
  EventData['ResultUpdated'],
  'status' | 'metadata' | 'error_message' | 'execution_time_ms'
>;

function withStatus(before: KnownResult, change: StatusChange, revision: number): KnownResult {
  if (before.result === null) return { ...before, revision };
  const { status, metadata, error_message, execution_time_ms } = change;
  const result = { ...before.result, status };
  if (execution_time_ms !== undefined) result.execution_time_ms = execution_time_ms;
  const understood = metadata === undefined ? {} : understoodIn(metadata);
  if (metadata === undefined && error_message === undefined)
    return { ...before, ...understood, result, revision };
  const described = {
    error_message: error_message === undefined ? before.described.error_message : error_message,
    metadata: metadata === undefined ? before.described.metadata : ofError(metadata),
  };
  return { ...before, ...understood, result, described, revision };
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

function groupOf({ project_id }: ChangedResult, { metadata, error_message }: Described): FailureGroup {
  const anchor = anchorOf(understoodResult(metadata, error_message));
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

function resultIdOf({ stream, type, data }: RecordedEvent): string | null {
  if (type === 'ResultSubmitted') return (data as EventData['ResultSubmitted']).result_id;
  return stream.startsWith('result-') ? parseStreamName(stream).id : null;
}

function isCreation({ type }: RecordedEvent): boolean {
  return type === 'ResultCreated' || type === 'ResultSubmitted' || type === 'ResultVoided';
}

/** The other events of a result never get a context, so the result need not be read for them. */
function mayChangeHistory({ type }: RecordedEvent): boolean {
  return (
    type === 'ResultStarted' ||
    type === 'ResultFinished' ||
    type === 'ResultUpdated' ||
    type === 'ResultDeleted'
  );
}
