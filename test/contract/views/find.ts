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

    it('orders by the sort field, and equal values by id, in both directions', async () => {
      await store({ a: { at: '2' }, b: { at: '1' }, c: { at: '2' }, d: { at: '1' }, e: { at: '3' } });
      expect((await found({})).names).to.equal('bdace');
      expect((await found({ sort: descending })).names).to.equal('ecadb');
    });

    it('goes on after a cursor, also between documents with equal sort values', async () => {
      await store({ a: { at: '2' }, b: { at: '1' }, c: { at: '2' }, d: { at: '2' }, e: { at: '3' } });
      const { names, next } = await found({ limit: 3 });
      expect([names, next]).to.deep.equal(['bac', { value: '2', id: 'c' }]);
      expect(await found({ limit: 3, after: { value: '2', id: 'c' } })).to.include({
        names: 'de',
        next: null,
      });
      expect((await found({ sort: descending, after: { value: '2', id: 'c' } })).names).to.equal('ab');
      expect((await found({ after: { value: '2', id: 'bb' } })).names).to.equal('cde');
    });

    it('says that nothing follows exactly when nothing does', async () => {
      await store({ a: { at: '1' }, b: { at: '2' } });
      expect((await found({ limit: 1 })).next).to.deep.equal({ value: '1', id: 'a' });
      expect((await found({ limit: 2 })).next).to.equal(null);
      expect((await found({ limit: 3 })).next).to.equal(null);
      expect((await found({ limit: 1, offset: 1 })).next).to.equal(null);
      expect(await found({ limit: 1, offset: 2 })).to.include({ names: '', next: null });
    });

    it('skips as many documents as the offset says', async () => {
      await store({ a: { at: '1' }, b: { at: '2' }, c: { at: '3' }, d: { at: '4' } });
      expect(await found({ offset: 1, limit: 2 })).to.deep.include({
        names: 'bc',
        next: { value: '3', id: 'c' },
      });
      expect((await found({ offset: 1, limit: 2, sort: descending })).names).to.equal('cb');
    });

    it('compares text, numbers, booleans and null for equality; a missing field counts as null', async () => {
      await store({
        a: { kind: 'x', rank: 1 },
        b: { kind: true, rank: 1 },
        c: { kind: false, rank: 1 },
        d: { kind: null, rank: 1 },
        e: { rank: 1 },
        f: { kind: 'true', rank: 1 },
        g: { kind: 7, rank: 1 },
        h: { kind: '7', rank: 1 },
      });
      const of = async (kind: string | number | boolean | null) =>
        (await found({ where: { kind }, sort: { field: 'rank', direction: 'ascending' } })).names;
      expect(await of('x')).to.equal('a');
      expect(await of(true)).to.equal('b');
      expect(await of(false)).to.equal('c');
      expect(await of(null)).to.equal('de');
      expect(await of('true')).to.equal('f');
      expect(await of(7)).to.equal('g');
      expect(await of('7')).to.equal('h');
      expect(await of('')).to.equal('');
    });

    it('puts documents without the sort field first, and last when descending; cursors pass through them', async () => {
      await store({ a: { at: null }, b: {}, c: { at: '1' }, d: { at: '2' } });
      for (const [sort, order] of [
        [ascending, 'abcd'],
        [descending, 'dcba'],
      ] as const) {
        let names = '';
        let page = await found({ sort, limit: 1 });
        for (; page.next !== null; page = await found({ sort, limit: 1, after: page.next }))
          names += page.names;
        expect(names + page.names).to.equal(order);
      }
    });

    it('keeps to a range on the sort field, with its bounds or without, in both directions', async () => {
      await store({
        o: { at: null },
        a: { at: '1' },
        b: { at: '2' },
        c: { at: '2' },
        d: { at: '3' },
        e: { at: '4' },
      });
      expect((await found({ range: { from: '2' } })).names).to.equal('bcde');
      expect((await found({ range: { to: '2' } })).names).to.equal('abc');
      expect((await found({ range: { from: '2', to: '3' } })).names).to.equal('bcd');
      expect((await found({ range: { from: '2', to: '3' }, sort: descending })).names).to.equal('dcb');
      expect((await found({ range: { from: '1', to: '3', exclusive: true } })).names).to.equal('bc');
      expect((await found({ range: { from: '2', exclusive: true } })).names).to.equal('de');
      expect((await found({ range: { to: '2', exclusive: true } })).names).to.equal('a');
      expect((await found({ range: { from: '3', to: '2' } })).names).to.equal('');
      expect((await found({ range: {} })).names).to.equal('oabcde');
    });

    it('keeps to a range of numbers', async () => {
      await store({ o: {}, a: { rank: -1.5 }, b: { rank: 0 }, c: { rank: 10 }, d: { rank: 9 } });
      const sort = { field: 'rank', direction: 'ascending' } as const;
      const where = { team: null };
      expect((await found({ where, sort })).names).to.equal('oabdc');
      expect((await found({ where, sort, range: { from: 0 } })).names).to.equal('bdc');
      expect((await found({ where, sort, range: { to: 9 } })).names).to.equal('abd');
      expect((await found({ where, sort, range: { from: -1, to: 9, exclusive: true } })).names).to.equal('b');
    });

    it('keeps to the type of the bound in a range with one bound', async () => {
      await store({ o: {}, n: { at: 5 }, t: { at: 'text' } });
      expect((await found({})).names).to.equal('ont');
      expect((await found({ range: { from: 1 } })).names).to.equal('n');
      expect((await found({ range: { to: 9 } })).names).to.equal('n');
      expect((await found({ range: { from: 'a' } })).names).to.equal('t');
      expect((await found({ range: { to: 'z' } })).names).to.equal('t');
    });

    it('keeps to a range also after a cursor, or an offset', async () => {
      await store({ a: { at: '1' }, b: { at: '2' }, c: { at: '3' }, d: { at: '4' }, e: { at: '5' } });
      const range = { from: '2', to: '4' };
      expect((await found({ range, after: { value: '2', id: 'b' } })).names).to.equal('cd');
      expect((await found({ range, sort: descending, after: { value: '4', id: 'd' } })).names).to.equal('cb');
      expect((await found({ range, after: { value: '1', id: 'a' } })).names).to.equal('bcd');
      expect((await found({ range, sort: descending, after: { value: '5', id: 'e' } })).names).to.equal(
        'dcb',
      );
      expect((await found({ range, offset: 1 })).names).to.equal('cd');
    });

    describe('by a part of a text', () => {
      const byName = { field: 'name', direction: 'ascending' } as const;
      const named = (contains: string, more: Partial<ViewQuery> = {}) =>
        views.reader
          .find(spec, 'things', {
            where: { team: 'x' },
            sort: byName,
            limit: 100,
            contains,
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
        for (const [contains, expected] of Object.entries(found)) {
          expect(await named(contains), contains).to.deep.equal({
            names: expected,
            next: null,
            total: expected.length,
          });
        }
      });

      it('gives pages of them by cursor, by offset, from the other end and within a range', async () => {
        const letters = ['a', 'b', 'c', 'd', 'e', 'f'];
        await commitTo(
          views.writer,
          spec,
          letters.map((name) =>
            added(name, { name: `${name}${name < 'e' ? '!' : ''}`, team: 'x', kind: name }),
          ),
        );
        const first = await named('!', { limit: 3 });
        expect(first).to.deep.equal({ names: ['a!', 'b!', 'c!'], next: { value: 'c!', id: 'c' }, total: 4 });
        expect(await named('!', { after: first.next! })).to.deep.include({ names: ['d!'], next: null });
        expect(await named('!', { offset: 1, limit: 2 })).to.deep.include({ names: ['b!', 'c!'], total: 4 });
        expect(await named('!', { offset: 9 })).to.deep.equal({ names: [], next: null, total: 4 });
        const sort = { ...byName, direction: 'descending' } as const;
        expect((await named('!', { sort, limit: 2 })).names).to.deep.equal(['d!', 'c!']);
        expect((await named('!', { range: { from: 'b', to: 'd' } })).names).to.deep.equal(['b!', 'c!']);
        const where = { team: 'x', kind: 'b' };
        expect(await named('!', { where })).to.deep.equal({ names: ['b!'], next: null, total: 1 });
        expect(await named('?', { where })).to.deep.equal({ names: [], next: null, total: 0 });
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

    it('gives a total by fields that are null or missing', async () => {
      await store({ a: { kind: null, team: 'x' }, b: { team: 'x' }, c: { kind: 'k', team: 'x' }, d: {} });
      expect(await found({ where: { team: 'x', kind: null }, total: true })).to.include({
        names: 'ab',
        total: 2,
      });
      expect(await found({ where: { kind: null, team: null }, total: true })).to.include({
        names: 'd',
        total: 1,
      });
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
