import { expect } from 'chai';
import fc from 'fast-check';
import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import Database from 'libsql';
import { openSqliteViewReader } from '../../../src/adapters/sqlite/views/reader.js';
import { openSqliteViewWriter } from '../../../src/adapters/sqlite/views/writer.js';
import type { Change, ProjectionSpec, ViewReader, ViewWriter } from '../../../src/ports/views.js';
import { added, at, commitTo, refused } from '../../contract/views/things.js';

const spec: ProjectionSpec = {
  name: 'kept',
  version: 1,
  collections: [
    {
      name: 'results',
      indexes: [
        ['run_id', 'placed'],
        ['run_id', 'value', 'placed'],
      ],
      totals: [['run_id']],
    },
  ],
};
const change = (id: string, fields: Readonly<Record<string, unknown>>): Change =>
  added(id, fields, 'results');

/** Texts that SQLite or JSON could change. */
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

describe('documents in a SQLite file', () => {
  let folder: string;
  let writer: ViewWriter;
  let reader: ViewReader;
  beforeEach(async () => {
    folder = await mkdtemp(join(tmpdir(), 'testledger-documents-'));
    writer = openSqliteViewWriter({ folder });
    reader = openSqliteViewReader({ folder });
    await writer.prepare(spec, 1);
  });
  afterEach(async () => {
    await reader.close();
    await writer.close();
    await rm(folder, { recursive: true });
  });
  /** One statement on the file. */
  const inFile = (sql: string): unknown[] => {
    const database = new Database(join(folder, 'records.sqlite'));
    const statement = database.prepare(sql);
    const rows = statement.reader ? (statement.raw().all([]) as unknown[][]).flat() : [statement.run()];
    database.close();
    return rows;
  };

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

  it('take less than two thirds of their JSON, because the file has the names of their fields once', async () => {
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
    const [bytes] = inFile('SELECT sum(length(_doc)) FROM "kept.1.results"');
    expect(bytes).to.be.below((size * 2) / 3);
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
    const folded = inFile('SELECT _folded FROM "searched.1.results" ORDER BY _id');
    expect(folded).to.deep.equal(['', 'ÄDDS', 'STRASSE', '', '']);
    const found = async (contains: string) => {
      const sort = { field: 'name', direction: 'ascending' } as const;
      const query = { where: { run_id: 'run_1' }, sort, limit: 9, contains: [contains] };
      return (await reader.find(searched, 'results', query)).items.map(({ name }) => name);
    };
    expect(await found('UP [')).to.deep.equal(['adds up [1]']);
    expect(await found('dds')).to.deep.equal(['adds up [1]', 'ÄDDS']);
    expect(await found('ss')).to.deep.equal(['straße']);
    // What SQLite's `upper` makes of the number that stands for null.
    expect(await found('inf')).to.deep.equal([]);
  });

  it('are read and written by a program with other common parts than those of the file', async () => {
    await writer.close();
    inFile(`UPDATE parts SET text = 'part ' || id`);
    writer = openSqliteViewWriter({ folder });
    await commitTo(writer, spec, [change('a', { run_id: 'run_1', name: 'first' })]);
    const [before] = await writer.load(spec, 1, [{ collection: 'results', id: 'a' }]);
    const after = { ...before!, name: 'changed' };
    await commitTo(writer, spec, [{ collection: 'results', id: 'a', before: before!, after }]);
    expect(await reader.get(spec, 'results', ['a'])).to.deep.equal([after]);
    expect(after).to.deep.equal({ position: at(1), run_id: 'run_1', name: 'changed' });
  });

  it('that are damaged are an error, and no missing documents', async () => {
    await commitTo(writer, spec, [change('a', { run_id: 'run_1' })]);
    inFile(`UPDATE "kept.1.results" SET _doc = x'ff00ff'`);
    await refused(reader.get(spec, 'results', ['a']), 'views_unavailable');
    await refused(writer.load(spec, 1, [{ collection: 'results', id: 'a' }]), 'views_unavailable');
  });
});
