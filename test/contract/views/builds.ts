/** Builds: one is live, others are folded beside it unseen, and a promotion replaces the live one in one step. */
import { expect } from 'chai';
import { START } from '../../../src/domain/event.js';
import type { ViewsUnderTest } from './subject.js';
import type { ViewQuery } from '../../../src/ports/views.js';
import { until } from '../event-log/events.js';
import { added, at, commitTo, document, refused, standing, thingsSpec, withThings } from './things.js';

const spec = thingsSpec();
const next = thingsSpec('things', 2);
const all = { where: {}, sort: { field: 'at', direction: 'ascending' }, limit: 10, total: true } as const;

export function buildsContract(views: ViewsUnderTest): void {
  describe('preparing a build', () => {
    it('makes the first build of a projection live, and no other', async () => {
      await views.writer.prepare(spec, 1);
      await views.writer.prepare(next, 2);
      await views.writer.prepare(thingsSpec('elsewhere'), 1);
      const fresh = standing(START, 0);
      expect(byNumber(await views.writer.builds('things'))).to.deep.equal([
        { build: 1, version: 1, ...fresh, live: true },
        { build: 2, version: 2, ...fresh, live: false },
      ]);
      expect(await views.writer.builds('elsewhere')).to.deep.equal([
        { build: 1, version: 1, ...fresh, live: true },
      ]);
    });

    it('takes any number for the first build, and only higher ones after it, so that no number is used twice', async () => {
      await views.writer.prepare(spec, 5);
      expect((await views.writer.builds('things')).map(({ build, live }) => [build, live])).to.deep.equal([
        [5, true],
      ]);
      await refused(views.writer.prepare(spec, 4), 'internal');
      await views.writer.prepare(spec, 7);
      await views.writer.promote(spec, 7, 1);
      await refused(views.writer.prepare(spec, 5), 'internal');
      expect((await views.writer.builds('things')).map(({ build, live }) => [build, live])).to.deep.equal([
        [7, true],
      ]);
    });

    it('changes nothing the second time', async () => {
      await views.writer.prepare(spec, 1);
      await commitTo(views.writer, spec, [added('1')], { epoch: 3 });
      const before = await views.writer.builds('things');
      await views.writer.prepare(spec, 1);
      expect(await views.writer.builds('things')).to.deep.equal(before);
      expect(await views.reader.get(spec, 'things', ['1'])).to.deep.equal([document()]);
    });
  });

  describe('a build beside the live one', () => {
    beforeEach(async () => {
      await views.writer.prepare(spec, 1);
      await commitTo(views.writer, spec, [added('a', { from: 1 }), added('b', { from: 1 })], { to: at(8) });
      await views.writer.prepare(next, 2);
      await commitTo(
        views.writer,
        next,
        [added('a', { from: 2 }), added('c', { from: 2 }), added('d', { from: 2 })],
        { build: 2, to: at(9) },
      );
    });

    it('is not seen by readers, and has its own documents, totals and checkpoint', async () => {
      expect(await seen()).to.deep.equal({ a: 1, b: 1, c: null, count: 2, total: 2, position: at(8) });
      const loaded = await views.writer.load(
        next,
        2,
        ['a', 'b'].map((id) => ({ collection: 'things', id })),
      );
      expect(loaded.map((one) => one?.['from'] ?? null)).to.deep.equal([2, null]);
      const builds = await views.writer.builds('things');
      expect(builds.map(({ position }) => position)).to.have.members([at(8), at(9)]);
    });

    it('is the build of every reader after its promotion, which drops the other builds', async () => {
      await seen();
      await views.writer.promote(next, 2, 1);
      expect(await seen()).to.deep.equal({ a: 2, b: null, c: 2, count: 3, total: 3, position: at(9) });
      expect(await views.writer.builds('things')).to.deep.equal([
        { build: 2, version: 2, ...standing(at(9), 1), live: true },
      ]);
      await refused(
        views.writer.commit(spec, { build: 1, epoch: 1, from: at(8), to: at(9), changes: [] }),
        'fenced',
      );
      await views.reopen();
      expect(await seen()).to.deep.equal({ a: 2, b: null, c: 2, count: 3, total: 3, position: at(9) });
    });

    it('may be promoted twice, and may be followed by another build', async () => {
      await views.writer.promote(next, 2, 1);
      await views.writer.promote(next, 2, 1);
      await commitTo(views.writer, next, [added('e')], { build: 2 });
      await views.writer.prepare(next, 3);
      await commitTo(views.writer, next, [added('b', { from: 3 })], { build: 3, to: at(10) });
      await views.writer.promote(next, 3, 1);
      expect(await seen()).to.deep.equal({ a: null, b: 3, c: null, count: 1, total: 1, position: at(10) });
    });

    it('leaves other projections alone when it is promoted', async () => {
      const elsewhere = thingsSpec('elsewhere');
      await views.writer.prepare(elsewhere, 1);
      await commitTo(views.writer, elsewhere, [added('a', { from: 9 })]);
      await views.writer.promote(next, 2, 1);
      expect(await views.reader.get(elsewhere, 'things', ['a'])).to.deep.equal([document({ from: 9 })]);
    });

    it('is not promoted by a runner with an older epoch than a commit to any build', async () => {
      await commitTo(views.writer, spec, [], { epoch: 4 });
      await refused(views.writer.promote(next, 2, 3), 'fenced');
      await refused(views.writer.promote(next, 7, 4), 'fenced');
      expect(await seen()).to.include({ a: 1, b: 1, c: null, total: 2 });
      await views.writer.promote(next, 2, 4);
      expect(await seen()).to.include({ a: 2, b: null, c: 2, total: 3 });
    });

    it('is not promoted while it is behind the live one: no reader loses what it saw', async () => {
      await commitTo(views.writer, spec, [], { to: at(10) });
      await refused(views.writer.promote(next, 2, 1), 'internal');
      expect(await seen()).to.include({ a: 1, b: 1, c: null, position: at(10) });
      await commitTo(views.writer, next, [], { build: 2, to: at(10) });
      await views.writer.promote(next, 2, 1);
      expect(await seen()).to.include({ a: 2, b: null, c: 2, position: at(10) });
    });

    it('fences older runners after its promotion', async () => {
      await views.writer.promote(next, 2, 6);
      const old = { build: 2, epoch: 5, from: at(9), to: at(10), changes: [added('x')] };
      await refused(views.writer.commit(next, old), 'fenced');
      expect(await seen()).to.include({ total: 3, position: at(9) });
    });

    it('of an older version without a field to filter by is being rebuilt, and not without documents', async () => {
      const older = withThings(thingsSpec('older'), { filterable: [] });
      await views.writer.prepare(older, 1);
      await commitTo(views.writer, older, [added('a', { team: 'x', owner: 'owner', name: 'abc' })]);
      const sort = { field: 'name', direction: 'ascending' } as const;
      const find = (where: ViewQuery['where']) =>
        views.reader.find(thingsSpec('older'), 'things', {
          where,
          sort,
          limit: 5,
          contains: ['b'],
          total: true,
        });
      expect(await find({ team: 'x' })).to.include({ total: 1 });
      await refused(find({ team: 'x', owner: 'owner' }), 'views_unavailable');
    });

    async function seen() {
      const [a, b, c] = (await views.reader.get(spec, 'things', ['a', 'b', 'c'])).map(
        (one) => one?.['from'] ?? null,
      );
      const { items, total } = await views.reader.find(spec, 'things', all);
      return { a, b, c, count: items.length, total, position: await views.reader.position('things') };
    }
  });

  it('one read never mixes two builds, while one build after the other is promoted', async () => {
    const ids = ['a', 'b', 'c'];
    let build = 1;
    await views.writer.prepare(spec, build);
    await commitTo(
      views.writer,
      spec,
      ids.map((id) => added(id, { build })),
    );
    let promoting = true;
    let count = 0;
    const reads = (async () => {
      for (; promoting; count += 1) {
        const got = await views.reader.get(spec, 'things', ids);
        const { items, total } = await views.reader.find(spec, 'things', all);
        for (const documents of [got, items]) {
          expect(documents).to.have.length(3);
          expect(new Set(documents.map((one) => one?.['build'])).size).to.equal(1);
        }
        expect(total).to.equal(3);
        await new Promise(setImmediate);
      }
    })();
    for (build = 2; build <= 30; build += 1) {
      const before = count;
      await Promise.race([reads, until('a read beside it', () => count > before)]);
      await views.writer.prepare(spec, build);
      await commitTo(
        views.writer,
        spec,
        ids.map((id) => added(id, { build })),
        { build },
      );
      await views.writer.promote(spec, build, 1);
      expect((await views.reader.get(spec, 'things', ids)).map((one) => one?.['build'])).to.deep.equal([
        build,
        build,
        build,
      ]);
      await new Promise(setImmediate);
    }
    promoting = false;
    await reads;
  });
}

function byNumber<T extends { build: number }>(builds: T[]): T[] {
  return builds.toSorted((one, other) => one.build - other.build);
}
