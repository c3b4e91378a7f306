/**
 * Adds to events what they do not carry, from the streams of what they are about, up to the event and no further: a
 * view could lag behind it, or be ahead.
 */
import { LRUCache } from 'lru-cache';
import type { SeenResult } from '../../../projections/messages.js';
import type { ToldEvent, ToldResult } from '../../../projections/told.js';
import {
  logPosition,
  parseStreamName,
  streamName,
  type Position,
  type RecordedEvent,
} from '../../domain/event.js';
import type { EventData, LedgerEvent, RunEvent } from '../../domain/events.js';
import { run, type Run } from '../../domain/run.js';
import { testIdOf } from '../../domain/test.js';
import type { FinalStatus } from '../../domain/test-history.js';
import { birthOf } from '../birth.js';
import { eachOf } from '../each-of.js';
import type { EventLog } from '../ports.js';
import { roughSize } from '../rough-size.js';
import { nothingKnown, seenResult, type Seen } from './seen-result.js';

export type Telling = {
  /** The same events, in order, with what there is to tell. */
  tell(events: readonly RecordedEvent[]): Promise<ToldEvent[]>;
  /** A result as it stood at a position; null where it was not there. */
  resultAt(team: string, id: string, position: Position): Promise<SeenResult | null>;
};

type Reader = Pick<EventLog, 'readStream'>;

const KEPT_BYTES = 8 * 1024 * 1024;
const READ_AT_ONCE = 32;
const PAGE = 1_000;

export function openTelling(log: Reader): Telling {
  /** Of results that are not over: most are read again soon. */
  const kept = new LRUCache<string, Seen>({ max: 20_000, maxSize: KEPT_BYTES, sizeCalculation: roughSize });
  const testIds = new LRUCache<string, string>({ max: 20_000 });

  function testId(project: string, name: string): string {
    const key = `${project}/${name}`;
    let id = testIds.get(key);
    if (id === undefined) testIds.set(key, (id = testIdOf(project, name)));
    return id;
  }

  /** What the streams say of the results that this batch changes, from before its events. */
  async function known(events: readonly RecordedEvent[]): Promise<Map<string, Seen>> {
    const before = new Map<string, Seen>();
    const missing: RecordedEvent[] = [];
    for (const event of events) {
      const id = resultIdOf(event);
      if (id === null || before.has(id)) continue;
      if (isCreation(event)) {
        before.set(id, nothingKnown);
        continue;
      }
      const seen = kept.get(id);
      if (seen !== undefined && seen.revision === event.revision - 1) before.set(id, seen);
      else if (isTelling(event)) {
        before.set(id, nothingKnown);
        missing.push(event);
      }
    }
    await eachOf(missing, READ_AT_ONCE, async (event) => {
      const { team, id } = parseStreamName(event.stream);
      before.set(id, await readResult(log, team, id, ({ revision }) => revision < event.revision));
    });
    return before;
  }

  async function told(event: RecordedEvent, before: Seen, after: Seen): Promise<ToldResult | undefined> {
    const { type, position, meta } = event;
    const record = after.state.life === 'present' ? after.state : before.state;
    if (record.life !== 'present') return undefined;
    const test_id = testId(record.project_id, record.test_name);
    const former = before.entry === null ? null : { branch: before.entry.branch };
    if (type === 'ResultDeleted') {
      const result = { ...record, superseded_by: null };
      return former === null ? undefined : { test_id, result, entry: null, former };
    }
    if (after.entry === null || after.entry === before.entry) return undefined;
    const { test_result_id, test_run_id, attempt, claim } = record;
    const superseded_by = claim === null ? null : await supersededBy(meta.team_id, claim.by, position, event);
    return {
      test_id,
      result: { ...record, superseded_by },
      entry: {
        result_id: test_result_id,
        run_id: test_run_id,
        attempt,
        branch: after.entry.branch,
        commit: after.entry.commit,
        status: record.status as FinalStatus,
        again: former !== null,
      },
      former,
    };
  }

  /** A claim counts once the retry that made it is recorded, and as long as that is there. */
  async function supersededBy(
    team: string,
    by: string,
    position: Position,
    { type }: Pick<RecordedEvent, 'type'>,
  ): Promise<string | null> {
    // Items of one submission are there together.
    if (type === 'ResultSubmitted') return by;
    const { state } = await readResult(log, team, by, (event) => event.position <= logPosition(position));
    return state.life === 'present' ? by : null;
  }

  return {
    async tell(events) {
      const state = await known(events);
      const all: ToldEvent[] = [];
      for (const event of events) {
        const recorded = event as LedgerEvent;
        if (recorded.type === 'RunCreated' && recorded.data.items > 0) {
          all.push({ ...recorded, followed: await followingOf(log, recorded) });
          continue;
        }
        const id = resultIdOf(event);
        const before = id === null ? undefined : state.get(id);
        // Read for the sake of a later event of this batch, with this one: it must not count twice.
        const counted = before !== undefined && !isCreation(event) && event.revision <= before.revision;
        if (id === null || before === undefined || counted) {
          all.push(recorded);
          continue;
        }
        const after = seenResult(before, recorded);
        state.set(id, after);
        const more = await told(event, before, after);
        all.push(more === undefined ? recorded : { ...recorded, told: more });
      }
      for (const [id, seen] of state) {
        if (seen.state.life === 'present' && seen.entry === null) kept.set(id, seen);
        else kept.delete(id);
      }
      return all;
    },

    async resultAt(team, id, position) {
      const at = logPosition(position);
      const { state } = await readResult(log, team, id, (event) => event.position <= at);
      if (state.life !== 'present') return null;
      const { claim, test_run_id } = state;
      const [superseded_by, test_run_label] = await Promise.all([
        claim === null ? null : supersededBy(team, claim.by, position, { type: '' }),
        test_run_id === null ? null : labelAt(log, team, test_run_id, at),
      ]);
      return { ...state, superseded_by, test_run_label };
    },
  };
}

/** A result by the events of its stream that come before a point, and the one that it was born with elsewhere. */
async function readResult(
  log: Reader,
  team: string,
  id: string,
  comesBefore: (event: RecordedEvent) => boolean,
): Promise<Seen> {
  const stream = streamName('result', team, id);
  const birth = await birthOf(log, stream);
  let seen = birth === null ? nothingKnown : seenResult(nothingKnown, birth as LedgerEvent);
  for (let from = 0; ;) {
    const events = await log.readStream(stream, { from, limit: PAGE });
    for (const event of events) {
      if (!comesBefore(event)) return seen;
      seen = seenResult(seen, event as LedgerEvent);
    }
    const last = events.at(-1);
    if (last === undefined || events.length < PAGE) return seen;
    from = last.revision + 1;
  }
}

async function labelAt(log: Reader, team: string, id: string, at: Position): Promise<string | null> {
  let state: Run = run.initial;
  for (let from = 0; ;) {
    const events = await log.readStream(streamName('run', team, id), { from, limit: PAGE });
    for (const event of events) {
      if (event.position <= at) state = run.evolve(state, event as LedgerEvent<RunEvent>);
    }
    const last = events.at(-1);
    if (last === undefined || last.position > at || events.length < PAGE) break;
    from = last.revision + 1;
  }
  return state.exists ? state.label : null;
}

/** What was appended with the `RunCreated` of a submission. */
async function followingOf(log: Reader, { stream, revision }: LedgerEvent): Promise<LedgerEvent[]> {
  const [first, second] = (await log.readStream(stream, { from: revision + 1, limit: 2 })) as LedgerEvent[];
  const events = first?.type === 'RunStarted' ? [first, second] : [first];
  return events.filter((event) => event !== undefined);
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
