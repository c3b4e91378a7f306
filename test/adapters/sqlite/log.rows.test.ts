import { expect } from 'chai';
import fc from 'fast-check';
import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import Database from 'libsql';
import { openDatabase } from '../../../src/adapters/sqlite/database.js';
import { appender } from '../../../src/adapters/sqlite/log/append.js';
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

describe('rows of the SQLite log', () => {
  let folder: string;
  let log: EventLog;
  const open = async () => (log = await openSqliteLog({ folder, mode: 'writer' }));
  beforeEach(async () => {
    folder = await mkdtemp(join(tmpdir(), 'testledger-rows-'));
  });
  afterEach(async () => {
    await log.close();
    await rm(folder, { recursive: true });
  });
  /** One statement on the file. */
  const inFile = (sql: string): unknown[] => {
    const database = new Database(join(folder, 'events.sqlite'));
    const statement = database.prepare(sql);
    const rows = statement.reader ? (statement.raw().all([]) as unknown[][]).flat() : [statement.run()];
    database.close();
    return rows;
  };

  const dataOf = async (read: Promise<{ events: readonly { data: unknown }[] }>): Promise<unknown[]> =>
    (await read).events.map(({ data }) => data);

  it('every event comes back as it was appended, from its stream and from the whole log', async () => {
    await open();
    const runOf = (n: number) => `01m8bnkfhmeh2tnsgr${String(n % 5).padStart(8, '0')}`;
    const texts = ['x', ',"', '\x1f', '","c":1', '[{}]', `result_${runOf(1)}_7`, runOf(2).repeat(5)];
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

  it('an event takes half of its JSON, because the dictionary of the file has the names of its fields', async () => {
    await open();
    const events = Array.from({ length: 100 }, (_, n) => event(result(n)));
    await log.append('items-team_1.run_1', 'none', events);
    const [largest] = inFile('SELECT max(length(body)) FROM events');
    expect(largest).to.be.below((JSON.stringify(meta).length + JSON.stringify(result(99)).length) / 2);
  });

  it('a file is read and written by a program with another dictionary', async () => {
    await open();
    await log.close();
    inFile(`UPDATE dictionary SET text = 'of an older program: "run_id":"run_'`);
    await open();
    await log.append('items-team_1.run_1', 'none', [event(result(1))]);
    expect(await dataOf(log.readStream('items-team_1.run_1'))).to.deep.equal([result(1)]);
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

  it('events of a stream with a long id come back as they were', async () => {
    await open();
    const id = 'x'.repeat(900);
    const all = [1, 2, 3].map((n) => ({ ...result(n), result_id: `${id}${n}`, run_id: id, test_name: id }));
    await log.append(
      `items-team_1.run_${id}`,
      'none',
      all.map((each) => event(each)),
    );
    expect(await dataOf(log.readStream(`items-team_1.run_${id}`))).to.deep.equal(all);
  });

  it('an append whose ROLLBACK fails too leaves no number of a team', async () => {
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

  it('an event that is damaged is an error that names the file, and not an event without data', async () => {
    await open();
    await log.append('items-team_1.run_1', 'none', [event(result(1)), event(result(2))]);
    inFile("UPDATE events SET body = x'ff00ff' WHERE position = 2");
    const error = await log.readStream('items-team_1.run_1').catch((reason: unknown) => reason);
    expect(error).to.have.property('code', 'log_unavailable');
    expect(String(error)).to.include('events.sqlite');
  });
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
