/**
 * Adds to events what they do not carry, from the streams of what they are about, up to the event and no further: a
 * view could lag behind it, or be ahead.
 */
import { LRUCache } from 'lru-cache';
import type { EnrichedEvent, ResultContextOfEvent } from '../../../projections/told.js';
import { parseStreamName, streamName, type RecordedEvent } from '../../domain/event.js';
import type { EventData, LedgerEvent } from '../../domain/events.js';
import { testIdOf } from '../../domain/test.js';
import type { FinalStatus } from '../../domain/test-history.js';
import { forEachConcurrent } from '../../concurrency/for-each-concurrent.js';
import type { EventLog } from '../../ports/event-log.js';
import { estimateBytes } from '../../memory/estimate-bytes.js';
import { noContext, withEvent, type ResultContext } from './result-context.js';
import { wholeResult } from './whole-stream.js';

export type Enricher = {
  /** The same events, in order, with what there is to tell. */
  tell(events: readonly RecordedEvent[]): Promise<EnrichedEvent[]>;
};

type Reader = Pick<EventLog, 'readStream'>;

const KEPT_BYTES = 8 * 1024 * 1024;
const READ_AT_ONCE = 32;

export function openEnricher(log: Reader): Enricher {
  /** Of results that are not over: most are read again soon. */
  const kept = new LRUCache<string, ResultContext>({
    max: 20_000,
    maxSize: KEPT_BYTES,
    sizeCalculation: estimateBytes,
  });
  const testIds = new LRUCache<string, string>({ max: 20_000 });

  function testId(project: string, name: string): string {
    const key = `${project}/${name}`;
    let id = testIds.get(key);
    if (id === undefined) testIds.set(key, (id = testIdOf(project, name)));
    return id;
  }

  /** What the streams say of the results that this batch changes, from before its events. */
  async function known(events: readonly RecordedEvent[]): Promise<Map<string, ResultContext>> {
    const before = new Map<string, ResultContext>();
    const missing: RecordedEvent[] = [];
    for (const event of events) {
      const id = resultIdOf(event);
      if (id === null || before.has(id)) continue;
      if (isCreation(event)) {
        before.set(id, noContext);
        continue;
      }
      const seen = kept.get(id);
      if (seen !== undefined && seen.revision === event.revision - 1) before.set(id, seen);
      else if (isTelling(event)) {
        before.set(id, noContext);
        missing.push(event);
      }
    }
    await forEachConcurrent(missing, READ_AT_ONCE, async (event) => {
      const { team, id } = parseStreamName(event.stream);
      before.set(id, await readResult(log, team, id, event.revision));
    });
    return before;
  }

  function told(
    { type }: RecordedEvent,
    before: ResultContext,
    after: ResultContext,
  ): ResultContextOfEvent | undefined {
    const result = after.state.life === 'present' ? after.state : before.state;
    if (result.life !== 'present') return undefined;
    const test_id = testId(result.project_id, result.test_name);
    const former = before.entry === null ? null : { branch: before.entry.branch };
    if (type === 'ResultDeleted')
      return former === null ? undefined : { test_id, result, entry: null, former };
    if (after.entry === null || after.entry === before.entry) return undefined;
    const { test_result_id: result_id, test_run_id: run_id, attempt, status } = result;
    const { branch, commit } = after.entry;
    const again = former !== null;
    const entry = { result_id, run_id, attempt, branch, commit, status: status as FinalStatus, again };
    return { test_id, result, entry, former };
  }

  return {
    async tell(events) {
      const state = await known(events);
      const all: EnrichedEvent[] = [];
      for (const event of events) {
        const recorded = event as LedgerEvent;
        const id = resultIdOf(event);
        const before = id === null ? undefined : state.get(id);
        // Read for the sake of a later event of this batch, with this one: it must not count twice.
        const counted = before !== undefined && !isCreation(event) && event.revision <= before.revision;
        if (id === null || before === undefined || counted) {
          all.push(recorded);
          continue;
        }
        const after = withEvent(before, recorded);
        state.set(id, after);
        const more = told(event, before, after);
        all.push(more === undefined ? recorded : { ...recorded, told: more });
      }
      for (const [id, seen] of state) {
        if (seen.state.life === 'present' && seen.entry === null) kept.set(id, seen);
        else kept.delete(id);
      }
      return all;
    },
  };
}

/** A result by the events of its stream before a revision, and the one that it was born with elsewhere. */
async function readResult(log: Reader, team: string, id: string, until: number): Promise<ResultContext> {
  const before = ({ revision }: RecordedEvent) => revision < until;
  const events = await wholeResult(log, streamName('result', team, id), before);
  return (events as LedgerEvent[]).reduce(withEvent, noContext);
}

function resultIdOf({ stream, type, data }: RecordedEvent): string | null {
  if (type === 'ResultSubmitted') return (data as EventData['ResultSubmitted']).result_id;
  return stream.startsWith('result-') ? parseStreamName(stream).id : null;
}

function isCreation({ type }: RecordedEvent): boolean {
  return type === 'ResultCreated' || type === 'ResultSubmitted' || type === 'ResultVoided';
}

/** Of the others nothing is told, however long ago the result was read. */
function isTelling({ type }: RecordedEvent): boolean {
  return (
    type === 'ResultStarted' ||
    type === 'ResultFinished' ||
    type === 'ResultUpdated' ||
    type === 'ResultDeleted'
  );
}
