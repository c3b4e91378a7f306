/**
 * The enrich stage of the outbox.
 *
 * Takes: events of the feed, in order. Gives: the same events in the same order; those that change the history of a
 * test have a `context`. It reads the streams of the results up to each event and no further, because a read model can
 * be behind the event or ahead of it. It loses nothing and is repeatable: the same events get the same context.
 */
import { LRUCache } from 'lru-cache';
import type {
  EnrichedEvent,
  Enrichment,
  EntryPlace,
  ResultChange,
} from '../../domain/test-history/enriched-event.js';
import { parseStreamName, streamName, type RecordedEvent } from '../../domain/event.js';
import type { EventData, LedgerEvent } from '../../domain/events.js';
import { bulkOriginOf } from '../../domain/ids.js';
import { othersOf } from '../../domain/supersession.js';
import { attemptInRun } from '../../domain/test-history/attempt-in-run.js';
import { testIdOf } from '../../domain/test-history/test.js';
import type { FinalStatus } from '../../domain/test-history/test-entry.js';
import { forEachConcurrent } from '../../concurrency/for-each-concurrent.js';
import { readBulkOrigin, streamPages, type StreamReader } from '../../log/streams.js';
import { estimateBytes } from '../../memory/estimate-bytes.js';
import { groupOf, isCreation, unknown, withEvent, type KnownResult } from './known-result.js';
import { openShardAttempts } from './shard-attempts.js';

/** @throws LedgerError `log_unavailable` */
export type Enrich = (events: readonly RecordedEvent[]) => Promise<EnrichedEvent[]>;

const CACHE_BYTES = 8 * 1024 * 1024;
const READS_AT_ONCE = 32;
const PAGE = 1_000;

/** Long because all steps share the cached results: each is short. */
export function openEnrich(log: StreamReader): Enrich {
  const openCache = () =>
    new LRUCache<string, KnownResult>({ maxSize: CACHE_BYTES, sizeCalculation: estimateBytes });
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
    { type, meta }: RecordedEvent,
    before: KnownResult,
    after: KnownResult,
  ): ResultChange | undefined {
    const record = after.result ?? before.result;
    if (record === null) return undefined;
    const test_id = testId(record.project_id, record.test_name);
    const former = before.entry === null ? null : { branch: before.entry.branch };
    if (type === 'ResultDeleted') {
      if (former === null) return undefined;
      return { test_id, result: record, ran_at: meta.at, owner: null, entry: null, former, group: null };
    }
    if (after.entry === null || after.entry === before.entry) return undefined;
    const group = record.status === 'Failed' ? groupOf(record, after.described) : null;
    const { test_result_id: result_id, test_run_id: run_id, attempt, status } = record;
    const { branch, commit, owner, ran_at } = after.entry;
    const again = former !== null;
    const place = attemptInRun(attempt, after.shard_attempt);
    const entry = { result_id, run_id, attempt: place, branch, commit, status: status as FinalStatus, again };
    return { test_id, result: record, ran_at, owner, entry, former, group };
  }

  /** A client may report the error of a failure after the failure itself. */
  function regrouped(before: KnownResult, { result: record, entry, described }: KnownResult) {
    if (record?.status !== 'Failed' || entry === null) return undefined;
    if (described === before.described) return undefined;
    const test_id = testId(record.project_id, record.test_name);
    return { test_id, result: record, group: groupOf(record, described) };
  }

  /** The items among the results that the events supersede or restore, as they were submitted, if they were final. */
  async function itemsAmongOthers(events: readonly RecordedEvent[]): Promise<Map<string, EntryPlace>> {
    const items = new Map<string, EntryPlace>();
    const wanted = events.flatMap((event) => {
      const { team } = parseStreamName(event.stream);
      const ids = othersOf(event as LedgerEvent).filter((id) => bulkOriginOf(id) !== null);
      return ids.map((id) => streamName('result', team, id));
    });
    await forEachConcurrent(wanted, READS_AT_ONCE, async (stream) => {
      const origin = await readBulkOrigin(log, stream);
      if (origin === null) return;
      const { result, entry } = withEvent(unknown, origin, () => null);
      if (result === null || entry === null) return;
      const test_id = testId(result.project_id, result.test_name);
      items.set(result.test_result_id, { test_id, branch: entry.branch });
    });
    return items;
  }

  return async (events) => {
    const shardAttemptOf = await shardAttempts(events);
    const results = await resultsBefore(events);
    const items = await itemsAmongOthers(events);
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
      const others = items.size === 0 ? undefined : othersIn(items, recorded);
      const failed = context === undefined ? regrouped(before, after) : undefined;
      const named = context === undefined ? recorded : withContext(recorded, context);
      if (failed === undefined && others === undefined) enriched.push(named);
      else enriched.push({ ...named, ...(failed && { regrouped: failed }), ...(others && { others }) });
    }
    for (const [id, known] of results) {
      // Most results are over with their first event: they would only push the others out.
      if (known.entry !== null && known.revision <= 0) continue;
      unfinished.delete(id);
      changedAgain.delete(id);
      if (known.result === null) continue;
      (known.entry === null ? unfinished : changedAgain).set(id, known);
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

function othersIn(
  items: ReadonlyMap<string, EntryPlace>,
  event: LedgerEvent,
): Readonly<Record<string, EntryPlace>> | undefined {
  const found = othersOf(event).flatMap((id) => {
    const item = items.get(id);
    return item === undefined ? [] : [[id, item] as const];
  });
  return found.length === 0 ? undefined : Object.fromEntries(found);
}

function resultIdOf({ stream, type, data }: RecordedEvent): string | null {
  if (type === 'ResultSubmitted') return (data as EventData['ResultSubmitted']).result_id;
  return stream.startsWith('result-') ? parseStreamName(stream).id : null;
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
