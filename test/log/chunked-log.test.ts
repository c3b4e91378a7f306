import { expect } from 'chai';
import fc from 'fast-check';
import { chunkedLog } from '../../src/log/chunked-log.js';
import { itemEventIds } from '../../src/log/item-event-ids.js';
import type { EventLog } from '../../src/ports/event-log.js';
import { CHUNK_TYPE, CHUNK_VERSION, chunkEventId } from '../../src/domain/runs/item-chunk.js';
import { newEvent } from '../contract/event-log/events.js';
import { chunkOf } from '../domain/item-chunks.js';
import { submittedItems, type Item } from '../domain/submission.js';
import { validate, version } from 'uuid';

const stream = 'items-team_1.run_01h455vb4pex5vsknk084sn02q';
const ids = { run_id: 'run_1', project_id: 'project_1', submission_id: 'run_01h455vb4pex5vsknk084sn02q' };

/** A log with one stream of items, whose chunks have these sizes. */
function logOf(sizes: readonly number[], more: readonly Item[] = []) {
  const count = sizes.reduce((sum, size) => sum + size, 0);
  const items = submittedItems(
    ids,
    Array.from({ length: count }, (_, n) => more[n] ?? { test_name: `test ${n}` }),
  );
  const { meta } = newEvent();
  let first = 0;
  const chunks = sizes.map((size, revision) => {
    const data = chunkOf(items.slice(first, first + size), first);
    first += size;
    const id = chunkEventId(stream, data);
    const event = { id, type: CHUNK_TYPE, version: CHUNK_VERSION, data, meta };
    return { ...event, stream, revision, position: '00000000000000000007' };
  });
  const reads: number[] = [];
  const log = {
    async readStream(name: string, { from = 0, limit = 1_000 } = {}) {
      reads.push(from);
      const events = name === stream ? chunks.slice(from, from + limit) : [];
      return { events, isEnd: events.length < limit };
    },
  } as unknown as EventLog;
  return { log, items, chunks, reads };
}

describe('a log of chunks', () => {
  it('gives each item of a submission as an event, from any ordinal on, whatever sizes the chunks have', () =>
    fc.assert(
      fc.asyncProperty(
        fc.array(fc.integer({ min: 1, max: 30 }), { minLength: 1, maxLength: 60 }),
        fc.nat(2_000),
        async (sizes, ordinal) => {
          const { log, items } = logOf(sizes);
          const { events } = await chunkedLog(log).readStream(stream, { from: ordinal, limit: 3 });
          expect(events.map(({ data }) => data)).to.deep.equal(
            items.slice(ordinal, ordinal + Math.max(events.length, 1)),
          );
          for (const [n, { revision, type }] of events.entries())
            expect([revision, type]).to.deep.equal([ordinal + n, 'ResultSubmitted']);
        },
      ),
      { numRuns: 300 },
    ));

  it('finds an item of a submission of full chunks with one read, and reads its chunk once', async () => {
    const { log, items, reads } = logOf([500, 500, 500, 20]);
    const chunked = chunkedLog(log);
    for (const ordinal of [1_499, 1_000, 1_250]) {
      const [event] = (await chunked.readStream(stream, { from: ordinal, limit: 1 })).events;
      expect(event!.data).to.deep.equal(items[ordinal]);
    }
    const together = [0, 1, 499].map((from) => chunked.readStream(stream, { from, limit: 1 }));
    await Promise.all(together);
    expect(reads).to.deep.equal([2, 0]);
  });

  it('gives the items back as they were recorded, with what they supersede and replace', async () => {
    const sent: Item[] = [
      { attempt: 1, error_message: 'é"\\', metadata: { a: [1, null], list: [] }, finished_at: null },
      { attempt: 2, replaces: ['result_a_1', 'result_b_2'], replaced_by: ['result_c_3'] },
      { attempt: 3, started_at: '2026-01-01T00:00:00.000Z', execution_time_ms: 0, status: 'Failed' },
    ];
    const { log, items, chunks } = logOf([2, 1], sent);
    expect(items[1]!.superseded_by).to.equal(items[2]!.result_id);
    const chunked = chunkedLog(log);
    const read = async (from: number) => (await chunked.readStream(stream, { from })).events;
    const events = [...(await read(0)), ...(await read(2))];
    expect(events.map(({ data }) => data)).to.deep.equal(items);
    expect(new Set(events.map(({ id }) => id)).size).to.equal(3);
    for (const { meta } of events) expect(meta).to.deep.equal(chunks[0]!.meta);
  });

  it('says that the log is damaged where a chunk has not all of its items', async () => {
    for (const damage of [{ count: 4 }, { first: null }, { attempt: undefined }]) {
      const { log, chunks } = logOf([3]);
      Object.assign(chunks[0]!.data, damage);
      const error = await chunkedLog(log)
        .readStream(stream)
        .catch((reason: unknown) => reason);
      expect(error).to.have.property('code', 'log_unavailable');
    }
  });

  it('refuses a chunk of a form that only a newer program knows', async () => {
    const { log } = logOf([3]);
    const newer = {
      async readStream(...call: Parameters<EventLog['readStream']>) {
        const page = await log.readStream(...call);
        return { ...page, events: page.events.map((event) => ({ ...event, version: 99 })) };
      },
    } as EventLog;
    const error = await chunkedLog(newer)
      .readStream(stream)
      .catch((reason: unknown) => reason);
    expect(error).to.have.property('code', 'unknown_event');
  });
});

describe('the ids of items', () => {
  it('are the same in whatever portions they are made, and differ by submission', () => {
    const all = itemEventIds('items-team_1.a', 0, 1_000);
    const portions = [...itemEventIds('items-team_1.a', 0, 300), ...itemEventIds('items-team_1.a', 300, 700)];
    expect(portions).to.deep.equal(all);
    expect(all.every((id) => validate(id) && version(id) === 8)).to.equal(true);
    expect(new Set([...all, ...itemEventIds('items-team_1.b', 0, 1_000)]).size).to.equal(2_000);
  });
});
