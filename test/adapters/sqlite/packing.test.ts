import { expect } from 'chai';
import fc from 'fast-check';
import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import Database from 'libsql';
import { positionColumn, positionOfColumn } from '../../../src/adapters/sqlite/views/position-columns.js';
import { openSqliteViewReader } from '../../../src/adapters/sqlite/views/reader.js';
import { openSqliteViewWriter } from '../../../src/adapters/sqlite/views/writer.js';
import type {
  Change,
  Cursor,
  ProjectionSpec,
  ViewQuery,
  ViewReader,
  ViewWriter,
} from '../../../src/ports/views.js';
import { added, at, commitTo } from '../../contract/views/things.js';

const spec: ProjectionSpec = {
  name: 'packed',
  version: 1,
  collections: [
    {
      name: 'results',
      indexes: [
        ['run_id', 'placed'],
        ['run_id', 'value', 'placed'],
      ],
      totals: [['run_id']],
      positions: ['placed'],
    },
  ],
};
const change = (id: string, fields: Readonly<Record<string, unknown>>): Change =>
  added(id, fields, 'results');

/** Texts that SQLite, JSON or the form of positions could change. */
const texts = [
  'plain',
  '',
  'NUL \0 inside',
  'half \ud83d pair',
  'a 😀 "quoted" \\ \u2028',
  'e51012',
  at(7),
  `${at(7)}-000012`,
  'result_0001',
];
const scalars = [...texts, null, true, false, 0, 5, -0.1, 1 / 3, 1e15, 2 ** 53, -7.5e-300];
const value = fc.oneof(
  fc.constantFrom(...scalars),
  fc.constantFrom({ branch: 'main' }, { branch: null, deep: [1, { a: 'b' }] }, [], ['x']),
  fc.json().map((text) => JSON.parse(text) as unknown),
);
const fields = fc.record(
  {
    run_id: fc.constantFrom('run_1', 'run_2'),
    value: fc.constantFrom(...scalars),
    name: value,
    test: fc.constantFrom('test_00000001', 'test_00000002', 'test_00000001#main'),
    more: value,
    same: fc.constantFrom('test_00000001', 'x', null),
  },
  { requiredKeys: ['run_id', 'test'] },
);

describe('packed documents in a SQLite file', () => {
  let folder: string;
  let writer: ViewWriter;
  let reader: ViewReader;
  beforeEach(async () => {
    folder = await mkdtemp(join(tmpdir(), 'testledger-packing-'));
    writer = openSqliteViewWriter({ folder });
    reader = openSqliteViewReader({ folder });
    await writer.prepare(spec, 1);
  });
  afterEach(async () => {
    await reader.close();
    await writer.close();
    await rm(folder, { recursive: true });
  });
  const stored = (): string[] => {
    const database = new Database(join(folder, 'views.sqlite'));
    const rows = database.prepare('SELECT _doc FROM "packed.1.results"').raw().all([]) as [string][];
    database.close();
    return rows.map(([text]) => text);
  };

  /** The values of the sort field of the first run, over pages of four. */
  async function inPages(of: ProjectionSpec, sort: ViewQuery['sort']): Promise<unknown[]> {
    const seen: unknown[] = [];
    let after: Cursor | null = null;
    do {
      const query: ViewQuery = { where: { run_id: 'run_1' }, sort, limit: 4 };
      const found = await reader.find(of, 'results', after === null ? query : { ...query, after });
      seen.push(...found.items.map((item) => item[sort.field]));
      after = found.next;
    } while (after !== null);
    return seen;
  }

  it('come back equal, in the order of their fields, whatever values they have', async () => {
    let n = 0;
    await fc.assert(
      fc.asyncProperty(fc.array(fields, { minLength: 1, maxLength: 12 }), async (all) => {
        const changes = all.map((each) => {
          n += 1;
          return change(`test_0000000${n % 3}#${n}`, { ...each, placed: `${at(n)}-00000${n % 10}` });
        });
        await commitTo(writer, spec, changes);
        const ids = changes.map(({ id }) => id);
        const documents = changes.map(({ after }) => after);
        // As text, which the order of fields is a part of.
        const text = JSON.stringify(documents);
        expect(JSON.stringify(await reader.get(spec, 'results', ids)), 'read together').to.equal(text);
        const each = await Promise.all(ids.map(async (id) => (await reader.get(spec, 'results', [id]))[0]));
        expect(JSON.stringify(each), 'read one by one').to.equal(text);
        const keys = ids.map((id) => ({ collection: 'results', id }));
        expect(JSON.stringify(await writer.load(spec, 1, keys)), 'loaded by the writer').to.equal(text);
      }),
      { numRuns: 60 },
    );
  });

  it('leave out what they share, so that a hundred of one run take a fifth of their JSON', async () => {
    const changes = Array.from({ length: 100 }, (_, n) =>
      change(`result_${String(n).padStart(8, '0')}`, {
        result_id: `result_${String(n).padStart(8, '0')}`,
        run_id: 'run_1',
        placed: at(n + 1),
        created_at: '2026-11-25T10:00:00.000Z',
        updated_at: '2026-11-25T10:00:00.000Z',
        error_message: null,
        metadata: { branch: 'main', commit: '4f0c1d2e3b5a69788796a5b4c3d2e1f001122334' },
        value: 'passed',
        test_name: `adds ${n}`,
      }),
    );
    await commitTo(writer, spec, changes);
    const size = changes.reduce((sum, { after }) => sum + JSON.stringify(after).length, 0);
    expect(stored().join('').length).to.be.below(size / 5);
    expect(stored()[50]).to.equal('[1,10,"adds 50"]');
  });

  it('have their position without its zeros', async () => {
    const place = `${at(51_012)}-000095`;
    const changes = ['a', 'b'].map((id) => change(id, { run_id: 'run_1', name: id }));
    const positioned = changes.map((each) => ({ ...each, after: { ...each.after!, position: place } }));
    await commitTo(writer, spec, [change('first', { run_id: 'run_1', name: '' }), ...positioned]);
    expect(stored()[1]).to.equal('[1,-1,"f51012-c95",3,"a"]');
    const expected = positioned.map(({ after }) => after);
    expect(await reader.get(spec, 'results', ['a', 'b'])).to.deep.equal(expected);
  });

  it('have the folded text of a name once, unless SQLite does not know its upper case', async () => {
    const searched: ProjectionSpec = {
      name: 'searched',
      version: 1,
      collections: [{ name: 'results', indexes: [['run_id', 'name']], searchable: 'name' }],
    };
    await writer.prepare(searched, 1);
    const names = ['adds up [1]', 'ÄDDS', 'straße', null, ''];
    await commitTo(
      writer,
      searched,
      names.map((name, n) => change(`r${n}`, { run_id: 'run_1', name })),
    );
    const database = new Database(join(folder, 'views.sqlite'));
    const folded = database.prepare('SELECT _folded FROM "searched.1.results" ORDER BY _id').raw().all([]);
    database.close();
    expect((folded as [string][]).flat()).to.deep.equal(['', 'ÄDDS', 'STRASSE', '', '']);
    const found = async (contains: string) => {
      const sort = { field: 'name', direction: 'ascending' } as const;
      const query = { where: { run_id: 'run_1' }, sort, limit: 9, contains };
      return (await reader.find(searched, 'results', query)).items.map(({ name }) => name);
    };
    expect(await found('UP [')).to.deep.equal(['adds up [1]']);
    expect(await found('dds')).to.deep.equal(['adds up [1]', 'ÄDDS']);
    expect(await found('ss')).to.deep.equal(['straße']);
    // What SQLite's `upper` makes of the number that stands for null.
    expect(await found('inf')).to.deep.equal([]);
  });

  it('a page by fields that tell documents apart goes on at its cursor, both ways, without ids in the index', async () => {
    const unique: ProjectionSpec = {
      name: 'named',
      version: 1,
      collections: [{ name: 'results', indexes: [['run_id', 'name']], unique: [['run_id', 'name']] }],
    };
    await writer.prepare(unique, 1);
    const names = Array.from({ length: 11 }, (_, n) => `name ${String(n).padStart(2, '0')}`);
    await commitTo(
      writer,
      unique,
      names.map((name, n) => change(`r${(n * 7) % 11}`, { run_id: 'run_1', name })),
    );
    const database = new Database(join(folder, 'views.sqlite'));
    const columns = database
      .prepare(`SELECT name FROM pragma_index_info('named.1.results(run_id,name)')`)
      .raw();
    expect((columns.all([]) as [string][]).flat()).to.deep.equal(['run_id', 'name']);
    database.close();
    for (const direction of ['ascending', 'descending'] as const) {
      const seen = await inPages(unique, { field: 'name', direction });
      expect(seen).to.deep.equal(direction === 'ascending' ? names : names.toReversed());
    }
  });

  it('are read and written after a restart, when the writer has forgotten their templates', async () => {
    const first = { run_id: 'run_1', placed: at(1), name: 'first' };
    await commitTo(writer, spec, [change('a', first)]);
    await writer.close();
    writer = openSqliteViewWriter({ folder });
    const [before] = await writer.load(spec, 1, [{ collection: 'results', id: 'a' }]);
    const after = { ...before!, name: 'changed' };
    await commitTo(writer, spec, [
      { collection: 'results', id: 'a', before: before!, after },
      change('b', { ...first, placed: at(2) }),
    ]);
    expect(await reader.get(spec, 'results', ['a', 'b'])).to.deep.equal([
      { position: at(1), ...first, name: 'changed' },
      { position: at(1), ...first, placed: at(2) },
    ]);
  });

  it('a commit that failed leaves the next one complete, with the templates of both', async () => {
    const failed = await writer
      .commit(spec, {
        build: 1,
        epoch: 1,
        from: at(5),
        to: at(6),
        changes: [change('a', { run_id: 'run_1' })],
      })
      .catch((error: unknown) => error);
    expect(failed).to.have.property('code', 'fenced');
    await commitTo(writer, spec, [change('a', { run_id: 'run_1' })]);
    await commitTo(writer, spec, [change('b', { run_id: 'run_1' })]);
    expect(await reader.get(spec, 'results', ['a', 'b'])).to.deep.equal([
      { position: at(1), run_id: 'run_1' },
      { position: at(1), run_id: 'run_1' },
    ]);
  });

  const templates = (): number => {
    const database = new Database(join(folder, 'views.sqlite'));
    const [count] = database.prepare('SELECT count(*) FROM templates').raw().get([]) as [number];
    database.close();
    return count;
  };

  it('a document that is written again and again leaves one template, however long its values are', async () => {
    for (const length of [50, 150, 1_000]) {
      const others = { run_id: 'run_1', placed: at(length), name: 'x'.repeat(length), more: { a: [length] } };
      await commitTo(writer, spec, [change(`d${length}`, others)]);
      for (let n = 0; n < 100; n += 1) {
        const [before] = await writer.load(spec, 1, [{ collection: 'results', id: `d${length}` }]);
        const after = { ...before!, value: n };
        await commitTo(writer, spec, [{ collection: 'results', id: `d${length}`, before: before!, after }]);
      }
    }
    // The first two have another set of fields before they have a value.
    expect(templates()).to.be.at.most(2);
  });

  it('new documents of two runs in turn, with long values in common, leave few templates', async () => {
    const message = 'expected 1 to equal 2 '.repeat(80);
    const changes = Array.from({ length: 2_000 }, (_, n) => {
      const run = Math.floor(n / 10) % 2;
      return change(`d${n}`, { run_id: `run_${run}`, placed: at(n + 1), name: `test ${n}`, more: message });
    });
    await commitTo(writer, spec, changes);
    expect(templates()).to.be.at.most(5);
  });

  it('documents of one run, of which many in a row have the same instant, leave few templates', async () => {
    const changes = Array.from({ length: 3_000 }, (_, n) => {
      const instant = `2026-11-25T10:00:00.${String(Math.floor(n / 64)).padStart(3, '0')}Z`;
      return change(`d${n}`, {
        run_id: 'run_1',
        placed: at(n + 1),
        created_at: instant,
        started_at: instant,
      });
    });
    await commitTo(writer, spec, changes);
    expect(templates()).to.be.at.most(12);
  });

  it('documents with ever other fields leave few templates', async () => {
    const changes = Array.from({ length: 1_000 }, (_, n) =>
      change(`d${n}`, { run_id: 'run_1', placed: at(n + 1), [`field_${n}`]: n }),
    );
    await commitTo(writer, spec, changes);
    expect(templates()).to.be.at.most(30);
    const ids = changes.map(({ id }) => id);
    expect(await reader.get(spec, 'results', ids)).to.deep.equal(changes.map(({ after }) => after));
  });

  it('a commit that could not be made does not lose the templates of the next one', async () => {
    const bad = [change('a', { run_id: 'run_1' }), change('b\0', { run_id: 'run_1' })];
    const failed = await commitTo(writer, spec, bad).catch((error: unknown) => error);
    expect(failed).to.have.property('code', 'internal');
    await commitTo(writer, spec, []);
    await commitTo(writer, spec, [change('a', { run_id: 'run_1' })]);
    expect(templates()).to.equal(1);
    expect(await reader.get(spec, 'results', ['a'])).to.deep.equal([{ position: at(1), run_id: 'run_1' }]);
  });

  it('a page sorted by positions goes on at its cursor, both ways, without ids in the index', async () => {
    const placed = (n: number) => `${at(Math.ceil(n / 4))}-${String(n).padStart(6, '0')}`;
    const numbers = Array.from({ length: 25 }, (_, n) => n + 1);
    // In another order than that of their positions.
    const changes = numbers.map((n) =>
      change(`r${(n * 7) % 25}`, { run_id: 'run_1', placed: placed(((n * 11) % 25) + 1) }),
    );
    await commitTo(writer, spec, changes);
    for (const direction of ['ascending', 'descending'] as const) {
      const seen = await inPages(spec, { field: 'placed', direction });
      const all = numbers.map(placed);
      expect(seen).to.deep.equal(direction === 'ascending' ? all : all.toReversed());
    }
    const range = { from: placed(10), to: placed(12) };
    const found = await reader.find(spec, 'results', {
      where: { run_id: 'run_1' },
      sort: { field: 'placed', direction: 'ascending' },
      range,
      limit: 10,
    });
    expect(found.items.map((item) => item['placed'])).to.deep.equal([10, 11, 12].map(placed));
  });
});

describe('positions in columns', () => {
  const position = fc
    .tuple(fc.nat(2 ** 31 - 1), fc.option(fc.nat(999_999)), fc.option(fc.nat(9)))
    .map(
      ([number, ordinal, order]) =>
        at(number || 1) +
        (ordinal === null ? '' : `-${String(ordinal).padStart(6, '0')}`) +
        (order === null ? '' : `#${order}`),
    );

  it('come back as they were, and sort as the positions do', () => {
    fc.assert(
      fc.property(position, position, (one, other) => {
        const [a, b] = [positionColumn(one), positionColumn(other)];
        expect([positionOfColumn(a), positionOfColumn(b)]).to.deep.equal([one, other]);
        expect(a < b).to.equal(one < other);
        expect(a.length).to.be.below(one.length);
      }),
    );
  });

  it('leave another text as it is', () => {
    const odd = [`${at(3)}-7`, `${at(3)}#`, `${at(3)}#x`, `${at(3)}-000007x`, `${at(3)}0`, `${at(3)}-00000x`];
    for (const text of ['', '7', 'x'.repeat(20), '0'.repeat(19), ...odd])
      expect(positionColumn(text)).to.equal(text);
  });
});
