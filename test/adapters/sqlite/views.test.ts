import { ALL_PARTITIONS } from '../../../src/domain/partition.js';
import { expect } from 'chai';
import { copyFile, mkdtemp, open, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { openDatabase } from '../../../src/adapters/sqlite/database.js';
import { openAnnouncer, openPositionWaits } from '../../../src/adapters/sqlite/views/position-waits.js';
import { documentsById } from '../../../src/adapters/sqlite/views/layout.js';
import { countColumn, pageColumn } from '../../../src/adapters/sqlite/views/find.js';
import { openSqliteViewReader } from '../../../src/adapters/sqlite/views/reader.js';
import { openSqliteViewWriter } from '../../../src/adapters/sqlite/views/writer.js';
import type { ProjectionSpec, ViewQuery, ViewReader, ViewWriter } from '../../../src/ports/views.js';
import { START } from '../../../src/domain/event.js';
import { isAppError } from '../../../src/errors.js';
import { viewsContract } from '../../contract/views/contract.js';
import { added, at, commitTo, document, refused, thingsSpec } from '../../contract/views/things.js';
import { everyShape } from '../shared/view-queries.js';

const emptyFolder = () => mkdtemp(join(tmpdir(), 'testledger-views-'));

viewsContract('SQLite', async () => {
  const folder = await emptyFolder();
  return {
    reader: () => openSqliteViewReader({ folder }),
    writer: () => openSqliteViewWriter({ folder }),
    remove: () => rm(folder, { recursive: true }),
  };
});

describe('the views in a SQLite file', () => {
  const spec = thingsSpec();
  const all = { where: {}, sort: { field: 'at', direction: 'ascending' }, limit: 10 } as const;
  let folder: string;
  let opened: (ViewReader | ViewWriter)[];
  const reader = () => keep(openSqliteViewReader({ folder }));
  const writer = () => keep(openSqliteViewWriter({ folder }));
  const keep = <T extends ViewReader | ViewWriter>(one: T): T => {
    opened.push(one);
    return one;
  };
  const file = () => join(folder, 'records.sqlite');

  beforeEach(async () => {
    folder = await emptyFolder();
    opened = [];
  });
  afterEach(async () => {
    for (const one of opened.toReversed()) await one.close();
    await rm(folder, { recursive: true });
  });

  describe('the planner', () => {
    const plan = (sql: string, params: readonly (string | number)[]): string[] => {
      const database = openDatabase(file(), { readonly: true, synchronous: 'NORMAL', busyTimeoutMs: 1_000 });
      const rows = database.prepare(`EXPLAIN QUERY PLAN SELECT ${sql}`).raw().all(params) as [
        0,
        0,
        0,
        string,
      ][];
      database.close();
      return rows.map(([, , , detail]) => detail);
    };
    const things = spec.collections[0]!;
    const { indexes } = things;

    it('uses a covering index for every shape of query, and sorts and scans nothing', async () => {
      await writer().prepare(spec, 1);
      let shapes = 0;
      for (const index of indexes) {
        for (const query of everyShape(things, index)) {
          const { sql, params } = pageColumn('things', 1, things, index, query);
          const steps = plan(sql, params);
          const what = `${JSON.stringify(query)}: ${steps.join('; ')}`;
          expect(
            steps.filter((step) => step.includes('TEMP B-TREE')),
            what,
          ).to.deep.equal([]);
          const entered = steps.filter((step) =>
            step.includes(`things.1.things USING COVERING INDEX things.1.things(${index.join()})`),
          );
          expect(entered, what).to.have.length(1);
          // The documents of the page are then fetched by their ids.
          const touching = steps.filter((step) => /things\.1\.things|kept/.test(step));
          expect(touching.at(-1), what).to.equal(
            'SEARCH kept USING INDEX sqlite_autoindex_things.1.things_1 (_id=?)',
          );
          expect(touching, what).to.have.length(2);
          for (const term of expectedTerms(index, query)) expect(entered[0], what).to.include(term);
          shapes += 1;
        }
      }
      const searched = indexes.filter((index) => index.at(-1) === 'name').length;
      expect(searched).to.be.above(0);
      // Each without and with each filterable field, without filters, with numbers, and with parts and numbers.
      expect(shapes).to.equal((3 * indexes.length + searched) * 2 * 4 * 5 * 4);
    });

    it('counts the texts with a part, and the numbers that are wanted, by a covering index', async () => {
      await writer().prepare(spec, 1);
      for (const index of indexes.filter((fields) => fields.at(-1) === 'name')) {
        for (const query of everyShape(things, index).filter(
          ({ contains, parts, among }) => contains ?? parts ?? among,
        )) {
          const { sql, params } = countColumn('things', 1, things, index, query);
          const steps = plan(sql, params).filter((step) => step.includes('things.1.things'));
          expect(steps, sql).to.have.length(1);
          expect(steps[0]).to.include(
            `SEARCH things.1.things USING COVERING INDEX things.1.things(${index.join()}) (team=?`,
          );
        }
      }
    });

    it('uses the primary key for documents by id', async () => {
      await writer().prepare(spec, 1);
      const steps = plan(documentsById('things', 1, things), ['["a","b"]']).filter((step) =>
        step.includes('kept'),
      );
      expect(steps).to.have.length(1);
      expect(steps[0]).to.match(/^SEARCH kept USING INDEX sqlite_autoindex_things\.1\.things_1 \(_id=\?\)/);
    });

    /** The terms by which the index is entered: all equal fields, and the nearest bound in the direction of reading. */
    function expectedTerms(index: readonly string[], { after, range, sort }: ViewQuery): string[] {
      const terms = index.slice(0, -1).map((name) => `${name}=?`);
      const forwards = sort.direction === 'ascending';
      if (after !== undefined) terms.push(`(${sort.field},_id)${forwards ? '>' : '<'}(?,?)`);
      if (range?.from !== undefined && (after === undefined || !forwards)) terms.push(`${sort.field}>?`);
      if (range?.to !== undefined && (after === undefined || forwards)) terms.push(`${sort.field}<?`);
      return terms;
    }
  });

  describe('the file', () => {
    it('comes back empty when it was deleted, whatever was left beside it', async () => {
      const first = writer();
      await first.prepare(spec, 1);
      await commitTo(first, spec, [added('a')]);
      for (const end of ['-wal', '-shm']) await copyFile(file() + end, `${file()}${end}.kept`);
      await first.close();
      await rm(file());
      for (const end of ['-wal', '-shm']) await copyFile(`${file()}${end}.kept`, file() + end);

      const early = reader();
      expect(await early.position('things')).to.equal(START);
      const second = writer();
      expect(await second.builds('things')).to.deep.equal([]);
      await second.prepare(spec, 1);
      expect(await early.get(spec, 'things', ['a'])).to.deep.equal([null]);
      await commitTo(second, spec, [added('a', { n: 2 })]);
      expect(await early.get(spec, 'things', ['a'])).to.deep.equal([document({ n: 2 })]);
    });

    it('is named, with the advice to delete it, when it is damaged', async () => {
      const first = writer();
      await first.prepare(spec, 1);
      await first.close();
      const handle = await open(file(), 'r+');
      await handle.write(Buffer.alloc(4096, 'garbage'), 0, 4096, 0);
      await handle.close();
      for (const end of ['-wal', '-shm']) await rm(file() + end, { force: true });

      expect(() => openSqliteViewWriter({ folder }))
        .to.throw()
        .that.satisfies((error: unknown) => {
          expect(isAppError(error, 'views_unavailable')).to.equal(true);
          expect(String(error))
            .to.include(file())
            .and.to.include('delete it')
            .and.to.include('rebuilt from the log');
          return true;
        });
      await refused(reader().get(spec, 'things', ['a']), 'views_unavailable');
    });

    it('is not written to by a build whose collections changed under the same version', async () => {
      const first = writer();
      await first.prepare(spec, 1);
      const changed = { ...spec, collections: [{ name: 'things', indexes: [['team']] }] };
      await refused(first.prepare(changed, 1), 'internal');
      await refused(first.prepare({ ...spec, version: 2 }, 1), 'internal');
      await first.prepare({ ...changed, version: 2 }, 2);
    });

    it('refuses a change of a document that is not as it was loaded, because the totals would be wrong for ever', async () => {
      const views = writer();
      await views.prepare(spec, 1);
      const there = added('there');
      await commitTo(views, spec, [there]);
      for (const wrong of [
        there,
        { ...there, id: 'gone', before: there.after },
        { ...there, id: 'gone', before: there.after, after: null },
      ]) {
        await refused(commitTo(views, spec, [added('beside'), wrong]), 'internal');
      }
      expect(await views.load(spec, 1, [{ collection: 'things', id: 'beside' }])).to.deep.equal([null]);
    });

    it('keeps no counter that came to 0', async () => {
      const views = writer();
      await views.prepare(spec, 1);
      const change = added('a', { team: 'x', kind: 'y' });
      await commitTo(views, spec, [change]);
      const counters = (): unknown[] => {
        const database = openDatabase(file(), {
          readonly: true,
          synchronous: 'NORMAL',
          busyTimeoutMs: 1_000,
        });
        const rows = database.prepare('SELECT n FROM "things.1#totals"').raw().all();
        database.close();
        return rows;
      };
      expect(counters()).to.deep.equal([[1], [1], [1]]);
      await commitTo(views, spec, [{ ...change, before: change.after, after: null }]);
      expect(counters()).to.deep.equal([]);
    });

    it('refuses names that SQLite could take for another', async () => {
      const named = (name: string): ProjectionSpec => ({
        ...spec,
        collections: [{ name: 'c', indexes: [[name]] }],
      });
      for (const name of ['_id', 'Team', 'a"b', 'a.b', '', '1a'])
        await refused(writer().prepare(named(name), 1), 'internal');
      const reserved = writer();
      await reserved.prepare(named('select'), 1);
      await commitTo(reserved, named('select'), [added('a', { select: 1 }, 'c')]);
      const query = { where: {}, sort: { field: 'select', direction: 'ascending' }, limit: 1 } as const;
      expect((await reader().find(named('select'), 'c', query)).items).to.have.length(1);
    });
  });

  it('a page that only a newer build has an index for is refused as unavailable until that build is live', async () => {
    const old: ProjectionSpec = {
      name: 'things',
      version: 1,
      collections: [
        {
          name: 'things',
          indexes: [
            ['team', 'at'],
            ['team', 'name'],
          ],
        },
      ],
    };
    const views = [writer(), reader()] as const;
    await views[0].prepare(old, 1);
    await commitTo(views[0], old, [added('a', { team: 'x', at: '1' })]);
    await refused(views[1].find(spec, 'things', all), 'views_unavailable');
    await refused(views[1].get(spec, 'others', ['a']), 'views_unavailable');
    const counted = { ...all, where: { team: 'x' } };
    await refused(views[1].find(spec, 'things', { ...counted, total: true }), 'views_unavailable');
    expect((await views[1].find(spec, 'things', counted)).items).to.have.length(1);
    const named = { ...counted, sort: { field: 'name', direction: 'ascending' } } as const;
    await refused(views[1].find(spec, 'things', { ...named, contains: ['x'] }), 'views_unavailable');
    await refused(
      views[1].find(spec, 'things', { ...named, contains: ['x'], total: true }),
      'views_unavailable',
    );
    expect((await views[1].find(spec, 'things', named)).items).to.have.length(1);
    expect(await views[1].get(spec, 'things', ['a'])).to.have.length(1);

    await views[0].prepare({ ...spec, version: 2 }, 2);
    await commitTo(views[0], { ...spec, version: 2 }, [], { build: 2 });
    await views[0].promote({ ...spec, version: 2 }, 2, 1);
    expect(await views[1].find(spec, 'things', { ...all, total: true })).to.deep.equal({
      items: [],
      next: null,
      total: 0,
    });
  });

  it('one announcement costs one read, for any number of waits', async () => {
    const checkpoint = { partitions: ALL_PARTITIONS, epoch: 1 };
    let position = at(1);
    let reads = 0;
    const arrivals = openPositionWaits(folder, () => {
      reads += 1;
      return [{ ...checkpoint, position }];
    });
    const announcer = openAnnouncer(folder);
    const waiting = Array.from({ length: 1_000 }, () =>
      arrivals.wait({ projection: 'things', partition: undefined, atLeast: at(2), timeoutMs: 60_000 }),
    );
    expect(reads).to.equal(1_000);
    position = at(2);
    announcer.announce('others');
    announcer.announce('things');
    announcer.announce('things');
    expect(new Set(await Promise.all(waiting))).to.deep.equal(new Set([at(2)]));
    expect(reads).to.equal(1_001);
    announcer.close();
    arrivals.close();
  });
});
