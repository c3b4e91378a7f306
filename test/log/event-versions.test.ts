import { expect } from 'chai';
import { presentEvents, upcast, upcastingItems, upcastingTo } from '../../src/domain/event-versions.js';
import type { RecordedEvent } from '../../src/domain/event.js';
import { upcastLog } from '../../src/log/upcast-log.js';
import type { Batch, EventLog } from '../../src/ports/event-log.js';
import { CHUNK_TYPE, CHUNK_VERSION, itemsIn, type ItemChunk } from '../../src/domain/runs/item-chunk.js';
import { chunkOf } from '../domain/item-chunks.js';
import { submittedItems } from '../domain/submission.js';
import { refusalOf } from '../domain/given.js';

const event: RecordedEvent = {
  id: 'event_1',
  type: 'RunStarted',
  version: 1,
  data: { run_id: 'run_1' },
  meta: {
    team_id: 'team_1',
    actor: 'key_1',
    at: '2026-11-21T12:00:00.000Z',
    correlation_id: 'r',
    causation_id: null,
  },
  stream: 'run-team_1.run_1',
  revision: 0,
  position: '00000000000000000001',
};

describe('a log with upcasting', () => {
  it('returns every event in its current version, from each kind of read, and changes no stored event', async () => {
    const upcasting = upcastingTo(
      { RunStarted: 3 },
      {
        'RunStarted.v1': (data: object) => ({ ...data, priority: null }),
        'RunStarted.v2': ({ run_id, priority }: { run_id: string; priority: string | null }) => ({
          id: run_id,
          priority,
        }),
      },
    );
    const inVersion3 = { ...event, version: 3, data: { id: 'run_3', priority: 'high' } };
    const stored = [event, { ...event, version: 2, data: { run_id: 'run_2', priority: 'low' } }, inVersion3];
    const before = JSON.stringify(stored);
    const expected = [
      { ...event, version: 3, data: { id: 'run_1', priority: null } },
      { ...event, version: 3, data: { id: 'run_2', priority: 'low' } },
      inVersion3,
    ];
    const log = upcastLog(logOf([stored]), upcasting);
    expect((await log.readStream(event.stream)).events).to.deep.equal(expected);
    const { events } = await log.readAll({ after: '' });
    expect(events).to.deep.equal(expected);
    expect(events[2], 'a current event').to.equal(inVersion3);
    for await (const batch of log.follow({ after: '', signal: new AbortController().signal })) {
      expect(batch).to.deep.equal({ events: expected, position: '9', caughtUp: true });
    }
    expect(JSON.stringify(stored)).to.equal(before);
  });

  it('brings the items of a chunk into the current version for a fold, and keeps their relations', () => {
    const { isCurrent, upcast: upcastChunk } = upcastingItems(
      upcastingTo(
        { [CHUNK_TYPE]: CHUNK_VERSION, ResultSubmitted: 2 },
        { 'ResultSubmitted.v1': (data: object) => ({ ...data, status: 'Skipped' }) },
      ),
    );
    const run_id = 'run_01h455vb4pex5vsknk084sn02q';
    const items = submittedItems({ run_id, project_id: 'project_1' }, [{ attempt: 1 }, { attempt: 2 }]);
    const data = chunkOf(items, 0);
    const stream = `items-team_1.${run_id}`;
    const chunk = { ...event, stream, type: CHUNK_TYPE, version: CHUNK_VERSION, data };
    const upcasted = upcastChunk(chunk);
    expect([isCurrent(chunk), isCurrent(upcasted)]).to.deep.equal([false, true]);
    const found = itemsIn(upcasted.data as ItemChunk, run_id);
    expect(found).to.deep.equal(items.map((item) => ({ ...item, status: 'Skipped' })));
    expect(upcastChunk(upcasted)).to.equal(upcasted);
  });
});

describe('an event of a newer program', () => {
  const newer = { ...event, version: 2 };
  const unknown = { ...event, type: 'SomethingOfTomorrow' };

  it('is refused with a stable code, whether its version or its type is unknown', () => {
    expect(presentEvents.isCurrent(event)).to.equal(true);
    for (const one of [newer, unknown, { ...event, type: 'constructor' }, { ...event, version: 0 }]) {
      const error = refusalOf(() => upcast(one));
      expect(error.code).to.equal('unknown_event');
      expect(error.message)
        .to.include(`${one.type}.v${one.version} at position ${one.position}`)
        .and.include('A newer version wrote it');
    }
  });

  it('is refused by every read of the log, and nothing before it is lost', async () => {
    const beginning = upcastLog(logOf([[newer]]));
    const log = upcastLog(logOf([[event, newer]]));
    for (const read of [() => log.readStream(event.stream), () => beginning.readAll({ after: '' })]) {
      expect(await read().catch((error: unknown) => error)).to.include({ code: 'unknown_event' });
    }
    expect(await log.readAll({ after: '' })).to.deep.equal({
      events: [event],
      position: event.position,
      caughtUp: false,
    });
    const seen: RecordedEvent[] = [];
    const following = log.follow({ after: '', signal: new AbortController().signal });
    let error: unknown;
    try {
      for await (const { events } of following) seen.push(...events);
    } catch (thrown) {
      error = thrown;
    }
    expect(error).to.include({ code: 'unknown_event' });
    expect(seen).to.deep.equal([event]);
  });
});

/** A log that holds these batches. */
function logOf(batches: readonly RecordedEvent[][]): EventLog {
  const events = batches.flat();
  const asBatch = (some: RecordedEvent[]): Batch => ({ events: some, position: '9', caughtUp: true });
  return {
    readStream: async () => ({ events, isEnd: true }),
    readAll: async () => asBatch(events),
    async *follow() {
      for (const batch of batches) yield asBatch(batch);
    },
  } as Partial<EventLog> as EventLog;
}
