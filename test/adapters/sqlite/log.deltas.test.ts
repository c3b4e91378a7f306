import { expect } from 'chai';
import fc from 'fast-check';
import { mkdtemp, rm, stat } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import Database from 'libsql';
import { openDatabase } from '../../../src/adapters/sqlite/database.js';
import { appender } from '../../../src/adapters/sqlite/log/append.js';
import { deltaWriter } from '../../../src/adapters/sqlite/log/delta-writer.js';
import { basePosition, baseTexts, restored } from '../../../src/adapters/sqlite/log/deltas.js';
import { openSqliteLog } from '../../../src/adapters/sqlite/log/log.js';
import { FIRST_EVENT_AT, toAppendCall } from '../../../src/adapters/sqlite/log/append-call.js';
import { fullName, shortName } from '../../../src/adapters/sqlite/log/stream-names.js';
import type { EventMeta, NewEvent } from '../../../src/domain/event.js';
import { STREAM_PAGE_BYTES, type EventLog } from '../../../src/ports/event-log.js';

const meta: EventMeta = {
  team_id: 'team_1',
  actor: 'key_1',
  at: '2026-11-25T10:00:00.000Z',
  correlation_id: '8c7d6763-353d-4469-ada3-e0b1a3fe2617',
  causation_id: null,
};
let ids = 0;
const event = (data: unknown, json?: string): NewEvent => {
  ids += 1;
  const id = `00000000-0000-4000-8000-${String(ids).padStart(12, '0')}`;
  return { id, type: 'ResultSubmitted', version: 1, data, meta, ...(json !== undefined && { json }) };
};
const result = (n: number) => ({
  result_id: `result_${n}`,
  project_id: 'project_01m89kw4f9eh6rsxgabtxys6aw',
  run_id: 'run_01m89kwa4vecxb00xdy1n4q066',
  superseded_by: null,
  supersedes: [],
  finished_at: meta.at,
  test_name: `adds ${n}`,
  status: 'Passed',
  error_message: null,
});

describe('deltas in the SQLite log', () => {
  let folder: string;
  let log: EventLog;
  const open = async () => (log = await openSqliteLog({ folder, mode: 'writer' }));
  beforeEach(async () => {
    folder = await mkdtemp(join(tmpdir(), 'testledger-deltas-'));
  });
  afterEach(async () => {
    await log.close();
    await rm(folder, { recursive: true });
  });
  const rows = (): [stream: string, meta: string, data: string][] => {
    const database = new Database(join(folder, 'events.sqlite'));
    const found = database.prepare('SELECT stream, meta, data FROM events ORDER BY position').raw().all([]);
    database.close();
    return found as [string, string, string][];
  };

  const dataOf = async (read: Promise<{ events: readonly { data: unknown }[] }>): Promise<unknown[]> =>
    (await read).events.map(({ data }) => data);

  it('every event comes back as it was appended, from its stream and from the whole log', async () => {
    await open();
    const runOf = (n: number) => `01m8bnkfhmeh2tnsgr${String(n % 5).padStart(8, '0')}`;
    const texts = ['x', ',"', '\x1e', '\x1f', '","c":1', '4+1:', `result_${runOf(1)}_7`, runOf(2).repeat(5)];
    const data = fc.oneof(
      fc.record({ a: fc.json(), b: fc.constantFrom(...texts), c: fc.option(fc.nat()) }),
      fc.record({ a: fc.constantFrom('same', 'other'), b: fc.string({ maxLength: 5_000 }) }),
      fc.json().map((text) => JSON.parse(text) as unknown),
      fc.constantFrom(null, 5, '', [], {}),
    );
    let streams = 0;
    await fc.assert(
      fc.asyncProperty(fc.array(data, { minLength: 1, maxLength: 20 }), async (all) => {
        streams += 1;
        const stream = `items-team_${streams}.run_${runOf(streams)}`;
        const events = all.map((each) => event(each));
        const after = await log.head();
        await log.append(stream, 'none', events);
        const found = await log.readStream(stream);
        const read = await log.readAll({ after, limit: 100 });
        for (const stored of [found.events, read.events]) {
          expect(stored.map((each) => each.stream)).to.deep.equal(events.map(() => stream));
          expect(stored.map((each) => JSON.stringify(each.data))).to.deep.equal(
            events.map((each) => JSON.stringify(each.data)),
          );
          expect(stored.map((each) => each.meta)).to.deep.equal(events.map(() => meta));
        }
      }),
      { numRuns: 100 },
    );
  });

  it('an event takes a twelfth of its JSON, after the first ones like it', async () => {
    await open();
    const events = Array.from({ length: 100 }, (_, n) => event(result(n)));
    await log.append('items-team_1.run_1', 'none', events);
    const sizes = rows().map(([stream, metaText, data]) => stream.length + metaText.length + data.length);
    const whole = JSON.stringify(meta).length + JSON.stringify(result(99)).length;
    expect(sizes.at(-1)).to.be.below(whole / 12);
    expect(rows().at(-1)).to.deep.equal(['1items.run_1', '', '\x1f1\x1f0+21:99"\x1f6+17:99"']);
  });

  it('the id of a stream is in the data of its events once, and comes back where it was', async () => {
    await open();
    const [run, other] = ['01m8bnkfhmeh2tnsgrq0rv7rxb', '01m8bnkgfkeh2tnsh1pgrcthar'];
    const its = (id: string, n: number) => ({
      ...result(n),
      result_id: `result_${id}_${n}`,
      run_id: `run_${id}`,
    });
    const many = { ...its(other, 3), test_name: `run_${other} `.repeat(7) };
    const all = [its(run, 0), its(run, 1), its(other, 2), many, its(run, 4)];
    for (const each of all) await log.append(`items-team_1.${each.run_id}`, 'any', [event(each)]);
    expect(await dataOf(log.readAll({ after: '', limit: 10 }))).to.deep.equal(all);
    expect(rows()[2]?.[2]).to.equal('\x1f1\x1f0+23:2"\x1f6+17:2"');
    // Of more than four, the others stay: an event is little larger than its row.
    expect(rows()[3]?.[2].split(other)).to.have.length(6);
  });

  it('names that share one half of a surrogate pair come back as they were', async () => {
    await open();
    const all = ['a 😀', 'a 😁', 'a \ud83d', 'a '].map((name) => ({ ...result(1), test_name: name }));
    await log.append(
      'items-team_1.run_1',
      'none',
      all.map((each) => event(each)),
    );
    const { events } = await log.readStream('items-team_1.run_1');
    expect(events.map(({ data }) => JSON.stringify(data))).to.deep.equal(
      all.map((each) => JSON.stringify(each)),
    );
  });

  it('an id with the signs of a pattern comes back as it was', async () => {
    await open();
    for (const id of ['aaaaaaaaaaaaaaaa$$b', "aaaaaaaaaaaaaaaa$&$'", 'aaaaaaaaaaaaaaaa$1$<x>']) {
      const all = [1, 2].map((n) => ({ ...result(n), result_id: `test_${id}` }));
      await log.append(
        `test-team_1.test_${id}`,
        'none',
        all.map((each) => event(each)),
      );
      expect(await dataOf(log.readStream(`test-team_1.test_${id}`))).to.deep.equal(all);
    }
  });

  it('a long id of a stream stays in its events, so that none is much larger than its row', async () => {
    await open();
    const id = 'x'.repeat(900);
    const all = [1, 2, 3].map((n) => ({ ...result(n), result_id: `${id}${n}`, run_id: id, test_name: id }));
    await log.append(
      `items-team_1.run_${id}`,
      'none',
      all.map((each) => event(each)),
    );
    expect(rows().filter(([, , data]) => data.includes('\x1e'))).to.deep.equal([]);
    expect(await dataOf(log.readStream(`items-team_1.run_${id}`))).to.deep.equal(all);
  });

  it('an append that was rolled back is no base: a later event is stored whole', () => {
    const deltas = deltaWriter();
    const [text, other] = [JSON.stringify(result(1)), JSON.stringify(result(2))];
    const its = JSON.stringify(meta);
    deltas.store('1 ResultSubmitted', '', 1, { meta: its, data: text });
    const delta = deltas.store('1 ResultSubmitted', '', 2, { meta: its, data: other });
    expect(basePosition(delta.data)).to.equal(1);
    expect(restored(delta, baseTexts({ meta: its, data: text }, ''), '').data).to.equal(other);
    deltas.forget();
    expect(deltas.store('1 ResultSubmitted', '', 1, { meta: its, data: other }).data).to.equal(other);
  });

  it('an append whose ROLLBACK fails too is no base either', async () => {
    await open();
    await log.close();
    const database = openDatabase(join(folder, 'events.sqlite'), { synchronous: 'FULL', busyTimeoutMs: 0 });
    const broken = new Proxy(database, {
      get(target, name) {
        if (name !== 'exec') return Reflect.get(target, name) as unknown;
        return (sql: string) => {
          target.exec(sql);
          if (sql === 'ROLLBACK') throw new Error('the disk is gone');
        };
      },
    });
    const append = appender(broken);
    const [whole, failing] = [event(result(1)), event(result(2))];
    const second = toAppendCall('items-team_1.run_2', 'none', [failing]);
    second[FIRST_EVENT_AT + 1] = null as unknown as string;
    expect(() => append([toAppendCall('items-team_1.run_1', 'none', [whole]), second])).to.throw('disk');
    append([toAppendCall('items-team_1.run_1', 'none', [event(result(3))])]);
    database.close();
    await open();
    expect((await log.readStream('items-team_1.run_1')).events.map(({ data }) => data)).to.deep.equal([
      result(3),
    ]);
  });

  it('events of a hundred teams, with ids of requests that end in a comma, are deltas too', () => {
    const deltas = deltaWriter();
    let whole = 0;
    for (let n = 0; n < 2_000; n += 1) {
      const its = JSON.stringify({ ...meta, correlation_id: n % 2 === 0 ? 'a' : 'a,' });
      const { data } = deltas.store(`${n % 100} kind`, '', n + 1, {
        meta: its,
        data: JSON.stringify(result(n)),
      });
      if (basePosition(data) === null) whole += 1;
    }
    expect(whole).to.be.at.most(200);
  });

  it('a page of a stream ends after about a mebibyte of whole events', async () => {
    await open();
    const long = { ...result(1), error_message: 'x'.repeat(1_500) };
    const events = Array.from({ length: 2_000 }, (_, n) => event({ ...long, test_name: `adds ${n}` }));
    for (let n = 0; n < 2; n += 1)
      await log.append(
        'items-team_1.run_1',
        n === 0 ? 'none' : n * 1_000 - 1,
        events.slice(n * 1_000, n * 1_000 + 1_000),
      );
    const page = await log.readStream('items-team_1.run_1', { limit: 10_000 });
    expect(JSON.stringify(page.events).length).to.be.below(2 * STREAM_PAGE_BYTES);
    expect(page.isEnd).to.equal(false);
  });

  it('a base is small, so an event that is read takes little more memory than its row', () => {
    const deltas = deltaWriter();
    const large = JSON.stringify({ ...result(1), error_message: 'x'.repeat(3_000) });
    for (const position of [1, 2])
      expect(deltas.store('kind', '', position, { meta: '{}', data: large }).data).to.equal(large);
  });

  it('an event whose base is missing is an error that names the file, and not an event without data', async () => {
    await open();
    await log.append('items-team_1.run_1', 'none', [event(result(1)), event(result(2))]);
    await log.close();
    const database = new Database(join(folder, 'events.sqlite'));
    database.exec(
      "UPDATE events SET data = replace(data, char(31) || '1' || char(31), char(31) || '9' || char(31))",
    );
    database.close();
    await open();
    const error = await log.readStream('items-team_1.run_1').catch((reason: unknown) => reason);
    expect(error).to.have.property('code', 'log_unavailable');
    expect(String(error)).to.include('events.sqlite');
  });

  it('fifty thousand results of submissions take less than 200 bytes each', async () => {
    await open();
    for (let run = 0; run < 50; run += 1) {
      const events = Array.from({ length: 1_000 }, (_, n) => event({ ...result(n), run_id: `run_${run}` }));
      await log.append(`items-team_1.run_${run}`, 'none', events);
    }
    await log.close();
    const { size } = await stat(join(folder, 'events.sqlite'));
    expect(size / 50_000).to.be.below(200);
    await open();
  }).timeout(60_000);
});

describe('the stored names of streams', () => {
  it('are shorter, and the full names come back', () => {
    for (const [full, stored] of [
      ['result-team_1.result_01m8', '7result_01m8'],
      ['items-team_1.run_01m8', '7items.run_01m8'],
      ['run-team_1.run_', '7run.run_'],
      ['run-team_1._', '7run._'],
      ['test-team_1.test.1-2', '7test.test.1-2'],
    ] as const) {
      expect(shortName(full, 7)).to.equal(stored);
      expect(fullName(stored, () => 'team_1')).to.equal(full);
    }
  });
});
