/** Documents and checkpoints: all or nothing, fenced, and given back as they were. */
import { expect } from 'chai';
import fc from 'fast-check';
import type { Document } from '../../../src/ports/views.js';
import { START } from '../../../src/domain/event.js';
import type { ViewsUnderTest } from './subject.js';
import { added, at, commitTo, document, refused, standing, thingsSpec } from './things.js';

const spec = thingsSpec();
const key = (id: string, collection = 'things') => ({ collection, id });

export function commitsContract(views: ViewsUnderTest): void {
  describe('a store without any writes', () => {
    it('answers START, null and empty pages, also to a reader that was opened before the writer', async () => {
      expect(await views.reader.position('things')).to.equal(START);
      expect(await views.reader.get(spec, 'things', ['a', 'b'])).to.deep.equal([null, null]);
      const query = {
        where: {},
        sort: { field: 'at', direction: 'ascending' },
        limit: 1,
        total: true,
      } as const;
      expect(await views.reader.find(spec, 'things', query)).to.deep.equal({
        items: [],
        next: null,
        total: 0,
      });
      expect(await views.writer.builds('things')).to.deep.equal([]);
    });
  });

  describe('a commit', () => {
    beforeEach(() => views.writer.prepare(spec, 1));

    it('shows its documents and its checkpoint to readers and the writer once it is answered', async () => {
      const one = document({ name: 'one' });
      await commitTo(views.writer, spec, [
        { ...key('1'), before: null, after: one },
        added('2'),
        added('1', {}, 'others'),
      ]);
      expect(await views.reader.position('things')).to.equal(at(1));
      expect(await views.reader.get(spec, 'things', ['1'])).to.deep.equal([one]);
      expect(await views.writer.load(spec, 1, [key('1')])).to.deep.equal([one]);
      expect(await views.reader.get(spec, 'others', ['1', '2'])).to.deep.equal([document(), null]);
    });

    it('takes the changes of as many events as the writer says', async () => {
      const changes = Array.from({ length: views.writer.eventsPerCommit }, (_, n) =>
        added(`event-${n}`, { at: String(n).padStart(6, '0'), team: `team-${n % 3}` }),
      );
      await commitTo(views.writer, spec, changes);
      const query = {
        where: {},
        sort: { field: 'at', direction: 'descending' },
        limit: 1,
        total: true,
      } as const;
      const { items, total } = await views.reader.find(spec, 'things', query);
      expect(items).to.deep.equal([changes.at(-1)!.after]);
      expect(total).to.equal(changes.length);
    });

    it('without changes moves the checkpoint', async () => {
      await commitTo(views.writer, spec, [], { to: at(7) });
      expect(await views.reader.position('things')).to.equal(at(7));
    });

    it('survives closing and opening again', async () => {
      await commitTo(views.writer, spec, [added('1', { at: 'x' })]);
      await views.reopen();
      expect(await views.reader.get(spec, 'things', ['1'])).to.deep.equal([document({ at: 'x' })]);
      const [build] = await views.writer.builds('things');
      expect(build).to.deep.equal({ build: 1, version: 1, ...standing(at(1), 1), live: true });
      await views.writer.prepare(spec, 1);
      await commitTo(views.writer, spec, [added('2')]);
      expect(await views.reader.position('things')).to.equal(at(2));
    });

    it('is fenced when the build is not at its `from`, and writes nothing', async () => {
      await commitTo(views.writer, spec, [added('1')]);
      for (const from of [START, at(2)]) {
        const late = { build: 1, epoch: 1, from, to: at(3), changes: [added('2')] };
        await refused(views.writer.commit(spec, late), 'fenced');
      }
      await expectOnly(['1'], at(1));
    });

    it('is fenced with an epoch below the highest one that committed, and writes nothing', async () => {
      await commitTo(views.writer, spec, [added('1')], { epoch: 5 });
      const old = { build: 1, epoch: 4, from: at(1), to: at(2), changes: [added('2')] };
      await refused(views.writer.commit(spec, old), 'fenced');
      await expectOnly(['1'], at(1));
      await views.writer.commit(spec, { ...old, epoch: 5 });
      await expectOnly(['1', '2'], at(2));
    });

    it('raises the epoch even without a move and changes: older runners are fenced from then on', async () => {
      await commitTo(views.writer, spec, [added('1')]);
      await views.writer.commit(spec, { build: 1, epoch: 2, from: at(1), to: at(1), changes: [] });
      const old = { build: 1, epoch: 1, from: at(1), to: at(2), changes: [added('2')] };
      await refused(views.writer.commit(spec, old), 'fenced');
      await expectOnly(['1'], at(1));
    });

    it('is fenced for a build that was never prepared', async () => {
      await refused(
        views.writer.commit(spec, { build: 9, epoch: 1, from: START, to: at(1), changes: [] }),
        'fenced',
      );
    });

    it('must move forwards when it changes documents', async () => {
      await commitTo(views.writer, spec, [added('1')], { to: at(5) });
      const still = { build: 1, epoch: 1, from: at(5), to: at(5), changes: [added('2')] };
      await refused(views.writer.commit(spec, still), 'internal');
      await refused(views.writer.commit(spec, { ...still, to: at(4), changes: [] }), 'internal');
      await expectOnly(['1'], at(5));
    });

    it('writes no document when it cannot write one of them', async () => {
      const list = added('2', { team: ['not', 'one', 'value'] });
      await refused(commitTo(views.writer, spec, [added('1'), list]), 'internal');
      await expectOnly([], START);
    });

    async function expectOnly(ids: string[], position: string): Promise<void> {
      expect(await views.reader.position('things')).to.equal(position);
      const found = await views.reader.get(spec, 'things', ['1', '2']);
      expect(found.map((one) => one !== null)).to.deep.equal(['1', '2'].map((id) => ids.includes(id)));
      const all = {
        where: {},
        sort: { field: 'at', direction: 'ascending' },
        limit: 10,
        total: true,
      } as const;
      const { items, total } = await views.reader.find(spec, 'things', all);
      expect([items.length, total]).to.deep.equal([ids.length, ids.length]);
    }
  });

  describe('documents by id', () => {
    beforeEach(() => views.writer.prepare(spec, 1));

    it('come in the order of the ids, null for an id without a document, for any number of ids', async () => {
      const ids = Array.from({ length: 2_500 }, (_, n) => `thing_${n}`);
      await commitTo(
        views.writer,
        spec,
        ids.map((id, n) => added(id, { n })),
      );
      const asked = [...ids, 'missing', 'thing_7'].toReversed();
      const expected = asked.map((id) => (id === 'missing' ? null : document({ n: Number(id.slice(6)) })));
      expect(await views.reader.get(spec, 'things', asked)).to.deep.equal(expected);
      expect(
        await views.writer.load(
          spec,
          1,
          asked.map((id) => key(id)),
        ),
      ).to.deep.equal(expected);
      expect(await views.reader.get(spec, 'things', [])).to.deep.equal([]);
      expect(await views.writer.load(spec, 1, [])).to.deep.equal([]);
    });

    it('are loaded from several collections at once', async () => {
      await commitTo(views.writer, spec, [
        added('a', { n: 1 }),
        added('a', { n: 2 }, 'others'),
        added('b', { n: 3 }, 'others'),
      ]);
      const loaded = await views.writer.load(spec, 1, [
        key('b', 'others'),
        key('a'),
        key('b'),
        key('a', 'others'),
      ]);
      expect(loaded.map((one) => one?.['n'] ?? null)).to.deep.equal([3, 1, null, 2]);
    });

    it('are null for texts that cannot be ids', async () => {
      await commitTo(views.writer, spec, [added('a'), added('b\ufffd')]);
      const odd = ['a\0', 'a\0b', '\ud800', 'b\ud800', '', '"', 'a"', "a'", 'A', 'a '];
      for (const one of odd) expect(await views.reader.get(spec, 'things', [one])).to.deep.equal([null]);
      expect(await views.reader.get(spec, 'things', odd)).to.deep.equal(odd.map(() => null));
    });

    it('are refused with ids that could not be given back as they are', async () => {
      for (const id of ['', 'a\0', 'a\ud800'])
        await refused(commitTo(views.writer, spec, [added(id)]), 'internal');
    });

    it('are distinguished by any text', async () => {
      const ids = ['a', 'A', 'é', 'e\u0301', '😀', '\uffff', "x'; --", '"', '%', 'a/b', 'a.b', '$a', ' '];
      await commitTo(
        views.writer,
        spec,
        ids.map((id, n) => added(id, { n })),
      );
      const found = await views.reader.get(spec, 'things', ids);
      expect(found.map((one) => one?.['n'])).to.deep.equal(ids.map((_, n) => n));
    });

    it('are refused for a collection that is not declared', async () => {
      await refused(views.reader.get(spec, 'unknown', ['a']), 'internal');
    });

    it('are given back equal as JSON, whatever they hold', async () => {
      const odd = JSON.parse(
        '{"metadata":{"__proto__":{"polluted":true},"constructor":1,"":"","$set":{"a.b":null},"\\u0000":"\\u0000\\ud83d"},"n":[1e300,-5e-324,0.1,true,[[]],{}]}',
      ) as object;
      await commitTo(views.writer, spec, [added('odd', { ...odd })]);
      const [found] = await views.reader.get(spec, 'things', ['odd']);
      expect(JSON.stringify(found)).to.equal(JSON.stringify(document({ ...odd })));
      expect(({} as Record<string, unknown>)['polluted']).to.equal(undefined);

      let n = 0;
      await fc.assert(
        fc.asyncProperty(fc.dictionary(fc.string({ unit: 'grapheme' }), fc.jsonValue()), async (metadata) => {
          const after: Document = document({ metadata });
          const id = `any_${(n += 1)}`;
          await commitTo(views.writer, spec, [{ ...key(id), before: null, after }]);
          const [given] = await views.reader.get(spec, 'things', [id]);
          expect(given).to.deep.equal(JSON.parse(JSON.stringify(after)));
        }),
      );
    });
  });
}
