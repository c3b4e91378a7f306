/** Finding documents: by the declared indexes only, page by page. */
import { expect } from 'chai';
import { findPage, type CountedPage, type FindCounted } from '../../../src/queries/find-page.js';
import type { Document, ViewQuery } from '../../../src/ports/views.js';
import type { ViewsUnderTest } from './subject.js';
import { added, commitTo, document, refused, thingsSpec } from './things.js';

const spec = thingsSpec();
const ascending = { field: 'at', direction: 'ascending' } as const;
const descending = { field: 'at', direction: 'descending' } as const;

export function findContract(views: ViewsUnderTest): void {
  describe('finding', () => {
    beforeEach(() => views.writer.prepare(spec, 1));

    const found = async (query: Partial<ViewQuery>) => {
      const whole = { where: {}, sort: ascending, limit: 100, ...query };
      const { items, next, total } = await views.reader.find(spec, 'things', whole);
      return { names: items.map((item) => String(item['name'])).join(''), next, total };
    };
    const store = (things: Record<string, object>) =>
      commitTo(
        views.writer,
        spec,
        Object.entries(things).map(([id, fields]) => added(id, { name: id, ...fields })),
      );

    it('gives whole documents of the collection in question', async () => {
      const thing = { at: 'x', team: 'one', list: [{ deep: null }] };
      await commitTo(views.writer, spec, [added('a', thing), added('a', { at: 'y' }, 'others')]);
      const query = { where: {}, sort: ascending, limit: 5 };
      expect((await views.reader.find(spec, 'things', query)).items).to.deep.equal([document(thing)]);
      expect((await views.reader.find(spec, 'others', query)).items).to.deep.equal([document({ at: 'y' })]);
    });

    it('keeps to the type of the bound in a range with one bound', async () => {
      await store({ o: {}, n: { at: 5 }, t: { at: 'text' } });
      expect((await found({})).names).to.equal('ont');
      expect((await found({ range: { from: 1 } })).names).to.equal('n');
      expect((await found({ range: { to: 9 } })).names).to.equal('n');
      expect((await found({ range: { from: 'a' } })).names).to.equal('t');
      expect((await found({ range: { to: 'z' } })).names).to.equal('t');
    });

    describe('by a part of a text', () => {
      const byName = { field: 'name', direction: 'ascending' } as const;
      const named = (contains: string | readonly string[], more: Partial<ViewQuery> = {}) =>
        views.reader
          .find(spec, 'things', {
            where: { team: 'x' },
            sort: byName,
            limit: 100,
            contains: [contains].flat(),
            total: true,
            ...more,
          })
          .then(({ items, next, total }) => ({ names: items.map((item) => item['name']), next, total }));

      it('gives every text that has it, ignoring case, in the usual order, and their exact number', async () => {
        const names = [
          'Adds Up',
          'adds',
          'Subtracts',
          'ΟΔΟΣ οδος',
          'Straße',
          'a_c',
          'a.c',
          '100 %',
          '',
          7,
          null,
        ];
        const team = 'x';
        await commitTo(
          views.writer,
          spec,
          names.map((name, n) => added(`t${n}`, { name, team, rank: n })),
        );
        await commitTo(views.writer, spec, [added('other', { name: 'adds', team: 'y' })]);
        expect(await named('ADD')).to.deep.equal({ names: ['Adds Up', 'adds'], next: null, total: 2 });
        const found: Record<string, readonly string[]> = {
          's u': ['Adds Up'],
          ς: ['ΟΔΟΣ οδος'],
          σ: ['ΟΔΟΣ οδος'],
          STRASSE: ['Straße'],
          'a.c': ['a.c'],
          '.*': [],
          _: ['a_c'],
          '%': ['100 %'],
          '7': [],
          "'": [],
          '[(\\^$|?{': [],
        };
        expect((await named(['up', 'ADDS'])).names).to.deep.equal(['Adds Up']);
        expect((await named(['up', 'subtracts'])).total).to.equal(0);
        for (const [contains, expected] of Object.entries(found)) {
          expect(await named(contains), contains).to.deep.equal({
            names: expected,
            next: null,
            total: expected.length,
          });
        }
      });

      it('follows changes of the text', async () => {
        const before = document({ name: 'before', team: 'x' });
        await commitTo(views.writer, spec, [added('a', before)]);
        const after = document({ name: 'After', team: 'x' });
        await commitTo(views.writer, spec, [{ collection: 'things', id: 'a', before, after }]);
        expect((await named('before')).names).to.deep.equal([]);
        expect((await named('after')).names).to.deep.equal(['After']);
        await commitTo(views.writer, spec, [{ collection: 'things', id: 'a', before: after, after: null }]);
        expect(await named('after')).to.deep.equal({ names: [], next: null, total: 0 });
      });

      it('is looked for in a field by which finds filter, in the same case, and whether it is there or not', async () => {
        const labels = { a: '\nslow\n', b: '\nslow\nsmoke\n', c: '\nSlow\n', d: null, e: '\nsl.w\n' };
        await store(Object.fromEntries(Object.entries(labels).map(([id, each]) => [id, { labels: each }])));
        const having = async (...parts: NonNullable<ViewQuery['parts']>) => {
          const { names, total } = await found({ parts, total: true });
          expect(total).to.equal(names.length);
          return names;
        };
        const field = 'labels';
        expect(await having({ field, part: '\nslow\n' })).to.equal('ab');
        expect(await having({ field, part: '\nslow\n', not: true })).to.equal('cde');
        expect(await having({ field, part: '\nsl.w\n' })).to.equal('e');
        const both = [
          { field, part: '\nslow\n' },
          { field, part: '\nsmoke\n', not: true },
        ];
        expect(await having(...both)).to.equal('a');
        expect((await found({ parts: both, range: { from: 'x' }, total: true })).total).to.equal(1);
      });

      it('is refused for another field, and for an empty text', async () => {
        await refused(named(''), 'internal');
        await refused(named('x', { sort: { field: 'rank', direction: 'ascending' } }), 'internal');
        await refused(named('x', { where: {} }), 'internal');
      });
    });

    it('gives a total of all documents that match, on any page', async () => {
      await store({ a: { team: 'x', at: '1' }, b: { team: 'x', at: '2' }, c: { team: 'y', at: '3' } });
      expect(await found({ limit: 1, total: true })).to.include({ names: 'a', total: 3 });
      expect(await found({ where: { team: 'x' }, limit: 1, total: true })).to.include({ total: 2 });
      expect(await found({ where: { team: 'x' }, range: { from: '2' }, total: true })).to.include({
        names: 'b',
        total: 2,
      });
      expect(await found({ where: { team: 'x' }, offset: 5, total: true })).to.include({
        names: '',
        total: 2,
      });
      expect(await found({ where: { team: 'z' }, total: true })).to.include({ names: '', total: 0 });
      expect((await found({ where: { team: 'x' } })).total).to.equal(undefined);
    });

    it('gives the page at an offset from the other end too', async () => {
      const at = ['1', '2', '2', '2', '3', null, '4'];
      await store(Object.fromEntries(at.map((value, n) => ['abcdefg'[n]!, { team: 'x', at: value }])));
      await commitTo(views.writer, spec, [added('o', { team: 'y', at: '2', name: 'o' })]);
      const find: FindCounted<Document> = async (query) => {
        const { items, total } = await views.reader.find(spec, 'things', { ...query, total: true });
        return { items, total: total! };
      };
      const namesOf = ({ items, total }: CountedPage<Document>) => [
        items.map((item) => item['name']).join(''),
        total,
      ];
      for (const sort of [ascending, descending]) {
        for (let offset = 0; offset <= at.length + 1; offset += 1) {
          for (const limit of [1, 2, 3, 100]) {
            const query = { where: { team: 'x' }, sort, offset, limit };
            expect(namesOf(await findPage(find, query, 0))).to.deep.equal(namesOf(await find(query)));
          }
        }
      }
    });

    it('refuses a query that no declared index, or no declared total, serves', async () => {
      const refuses = (query: Partial<ViewQuery>, collection = 'things') =>
        refused(
          views.reader.find(spec, collection, { where: {}, sort: ascending, limit: 1, ...query }),
          'internal',
        );
      await refuses({ where: { kind: 'x' } });
      await refuses({ where: { team: 'x', kind: 'y', rank: 1 } });
      await refuses({ where: { at: 'x' } });
      await refuses({ where: { unknown: 1 } });
      await refuses({ where: { kind: 'x', owner: 'y' } });
      await refuses({ where: { owner: 'y' }, total: true });
      await refuses({ parts: [{ field: 'kind', part: 'x' }] });
      await refuses({ parts: [{ field: 'labels', part: '' }] });
      await refuses({ among: { field: 'rank', digits: '1' } });
      // No index has the documents without a holder.
      await refuses({ where: { holder: null } });
      await refuses({ sort: { field: 'team', direction: 'ascending' } });
      await refuses({ where: { team: 'x' }, sort: { field: 'kind', direction: 'ascending' } });
      await refuses({ total: true }, 'others');
      await refuses({ where: { kind: 'x' }, sort: { field: 'rank', direction: 'ascending' }, total: true });
      await refuses({}, 'unknown');
    });

    it('refuses a query that contradicts itself', async () => {
      const after = { value: '1', id: 'a' };
      for (const query of [{ after, offset: 0 }, { limit: 0 }, { limit: 1.5 }, { offset: -1 }]) {
        await refused(
          views.reader.find(spec, 'things', { where: {}, sort: ascending, limit: 1, ...query }),
          'internal',
        );
      }
    });

    it('finds texts in the order of their code points, and nothing by a truncated text', async () => {
      const texts = ['', 'A', 'B', 'a', 'aa', 'a\0', 'b', 'é', '\uffff', '😀', '%', '"', "'", '\\'];
      await store(Object.fromEntries(texts.map((at, n) => [`t${n}`, { at, team: at }])));
      const query = { where: {}, sort: ascending, limit: 100 };
      const { items } = await views.reader.find(spec, 'things', query);
      const inOrder = texts.toSorted((one, other) => Buffer.compare(Buffer.from(one), Buffer.from(other)));
      expect(items.map((item) => item['at'])).to.deep.equal(inOrder);
      for (const at of texts) {
        const { items: equal } = await views.reader.find(spec, 'things', { ...query, where: { team: at } });
        expect(equal.map((item) => item['at'])).to.deep.equal([at]);
        const { items: later } = await views.reader.find(spec, 'things', {
          ...query,
          after: { value: at, id: 'zz' },
        });
        expect(later.map((item) => item['at'])).to.deep.equal(inOrder.slice(inOrder.indexOf(at) + 1));
      }
    });
  });
}
