/** Any commits and any queries, compared with a map. */
import { expect } from 'chai';
import fc from 'fast-check';
import type { Change, Cursor, Document, ProjectionSpec, ViewQuery } from '../../../src/ports/views.js';
import type { ViewsUnderTest } from './subject.js';
import { at, commitTo, document, thingsSpec, type Fields } from './things.js';

type Model = Map<string, Document>;
type Write = { id: string; fields: Fields | null };

const kinds = [null, 'x', '', true, false, 'true', 3, '3'] as const;
const field = <T>(...values: T[]) => fc.constantFrom<(T | null | undefined)[]>(null, undefined, ...values);
const fields = fc.record({
  team: field('red', 'blue'),
  kind: fc.constantFrom(...kinds, undefined),
  at: field('2026-01', '2026-02', '2026-03', 'é', '😀'),
  rank: field(-2, 0, 1.5, 10),
  holder: field('ann', 'bob'),
  owner: field<unknown>('sun', 'moon', 7),
  number: field(0, 1, 2, 7, 31),
  labels: field('\na\n', '\nb\n', '\na\nb\n', '\nA.\\\n', '\nß\n'),
  name: field<unknown>('Cart › pays', 'Straße', 'STRASSE', 'ΟΔΟΣ οδος', 'a.c', 'abc', 'x', 3),
});
const part = fc.constantFrom('ss', 'SSE', '› P', 'ς', 'Σ', '.', 'C', 'a', 'Straße', 'none', '(', '\\', '3');
const id = fc.integer({ min: 0, max: 25 }).map((n) => `thing_${n}`);
const write: fc.Arbitrary<Write> = fc.record({ id, fields: fc.option(fields, { freq: 4 }) });
const commits = fc.array(fc.uniqueArray(write, { maxLength: 15, selector: ({ id: key }) => key }), {
  maxLength: 6,
});

const shapes = thingsSpec().collections[0]?.indexes ?? [];
const query = fc
  .record({
    index: fc.constantFrom(...shapes),
    values: fc.record({
      team: field('red', 'blue'),
      kind: fc.constantFrom(...kinds, undefined),
      holder: fc.constantFrom('ann', 'bob'),
    }),
    owner: fc.option(fc.constantFrom('sun', 'moon', 7, null), { nil: undefined }),
    parts: fc.option(
      fc.array(
        fc.record({
          field: fc.constant('labels'),
          part: fc.constantFrom('\nb\n', 'a', 'A', '.', 'n', 'In', 'ß', '\\'),
          not: fc.boolean(),
        }),
        { minLength: 1, maxLength: 2 },
      ),
      { nil: undefined, freq: 2 },
    ),
    digits: fc.option(fc.constantFrom('', '0', '1', '0110', '10000001', '1'.repeat(40)), {
      nil: undefined,
      freq: 2,
    }),
    direction: fc.constantFrom('ascending' as const, 'descending' as const),
    bounds: fc.option(fc.tuple(fc.nat(4), fc.nat(4), fc.boolean()), { nil: null, freq: 3 }),
    contains: fc.option(fc.array(part, { minLength: 1, maxLength: 2 }), { nil: undefined }),
    limit: fc.integer({ min: 1, max: 7 }),
  })
  .map(({ index, values, owner, parts, digits, direction, bounds, contains, limit }): ViewQuery => {
    const sort = index.at(-1) ?? '';
    const equal = Object.fromEntries(
      index.slice(0, -1).map((name) => [name, values[name as 'team' | 'kind' | 'holder'] ?? null]),
    );
    const where = { ...equal, ...(owner !== undefined && { owner }) };
    const range = bounds === null ? {} : { range: rangeOf(sort, bounds) };
    const search = sort === 'name' && contains !== undefined ? { contains } : {};
    const among = digits === undefined ? {} : { among: { field: 'number', digits } };
    const besides = { ...search, ...(parts && { parts }), ...among };
    return { where, sort: { field: sort, direction }, limit, ...range, ...besides };
  });

function rangeOf(
  sort: string,
  [from, to, exclusive]: [number, number, boolean],
): NonNullable<ViewQuery['range']> {
  const texts = sort === 'name' ? ['S', 'ab', 'abd', 'Ο'] : ['2026-01', '2026-02', '2026-025', 'é'];
  const bounds = sort === 'rank' ? [-2, 0, 1, 10] : texts;
  // The number after the last one means no bound.
  const [low, high] = [bounds[from], bounds[to]];
  return {
    ...(low === undefined ? {} : { from: low }),
    ...(high === undefined ? {} : { to: high }),
    exclusive,
  };
}

export function modelContract(views: ViewsUnderTest): void {
  it('stores the same as a map after any commits: documents, every page in both directions, offsets and totals', async () => {
    let runs = 0;
    await fc.assert(
      fc.asyncProperty(commits, fc.array(query, { minLength: 3, maxLength: 6 }), async (batches, queries) => {
        const spec = thingsSpec(`things_${(runs += 1)}`);
        await views.writer.prepare(spec, 1);
        const model: Model = new Map();
        for (const batch of batches) await applyBatch(spec, model, batch);
        await expectDocuments(spec, model);
        for (const one of queries) await expectPages(spec, model, one);
        await expectTotals(spec, model);
      }),
      { numRuns: 60 },
    );
  });

  async function applyBatch(spec: ProjectionSpec, model: Model, batch: Write[]): Promise<void> {
    const keys = batch.map((one) => ({ collection: 'things', id: one.id }));
    const loaded = await views.writer.load(spec, 1, keys);
    const changes = batch.map((one, n): Change => {
      const after = one.fields === null ? null : document({ id: one.id, ...one.fields });
      return { collection: 'things', id: one.id, before: loaded[n] ?? null, after };
    });
    await commitTo(
      views.writer,
      spec,
      changes.filter(({ before, after }) => before !== null || after !== null),
    );
    for (const { id: key, after } of changes) {
      if (after === null) model.delete(key);
      else model.set(key, JSON.parse(JSON.stringify(after)) as Document);
    }
  }

  async function expectDocuments(spec: ProjectionSpec, model: Model): Promise<void> {
    const ids = Array.from({ length: 26 }, (_, n) => `thing_${n}`);
    const expected = ids.map((key) => model.get(key) ?? null);
    expect(await views.reader.get(spec, 'things', ids)).to.deep.equal(expected);
    const [build] = await views.writer.builds(spec.name);
    expect(await views.reader.position(spec.name)).to.equal(at(Number(build?.position)));
  }

  async function expectPages(spec: ProjectionSpec, model: Model, one: ViewQuery): Promise<void> {
    const expected = matching(model, one);
    const walked: Document[] = [];
    for (let after: Cursor | null | undefined; after !== null;) {
      const page: { items: Document[]; next: Cursor | null } = await views.reader.find(spec, 'things', {
        ...one,
        ...(after === undefined ? {} : { after }),
      });
      walked.push(...page.items);
      expect(page.next === null, 'the last page').to.equal(walked.length === expected.length);
      expect(page.items.length <= one.limit, 'no more than the limit').to.equal(true);
      after = page.next;
    }
    expect(walked, 'all pages').to.deep.equal(expected);
    for (const offset of [0, 1, one.limit, expected.length]) {
      const { items } = await views.reader.find(spec, 'things', { ...one, offset });
      expect(items, `from ${offset}`).to.deep.equal(expected.slice(offset, offset + one.limit));
    }
    if (one.contains === undefined && one.parts === undefined && one.among === undefined) return;
    const { total } = await views.reader.find(spec, 'things', { ...one, total: true });
    expect(total, JSON.stringify(one)).to.equal(matching(model, { ...one, range: {} }).length);
  }

  async function expectTotals(spec: ProjectionSpec, model: Model): Promise<void> {
    const sort = { field: 'at', direction: 'ascending' } as const;
    for (const team of [null, 'red', 'blue', 'none']) {
      for (const where of [{}, { team }, ...kinds.map((kind) => ({ team, kind }))]) {
        const counted = matching(model, { where, sort, limit: 1 }).length;
        const { total } = await views.reader.find(spec, 'things', { where, sort, limit: 1, total: true });
        expect(total, JSON.stringify(where)).to.equal(counted);
      }
    }
  }
}

function matching(
  model: Model,
  { where, sort, range = {}, contains, parts = [], among }: ViewQuery,
): Document[] {
  const hasPart = (value: unknown) =>
    contains === undefined ||
    (typeof value === 'string' && contains.every((each) => value.toUpperCase().includes(each.toUpperCase())));
  const { from, to, exclusive = false } = range;
  const inRange = (value: unknown): boolean => {
    if (from === undefined && to === undefined) return true;
    if (typeof value !== typeof (from ?? to)) return false;
    const low = from === undefined ? 1 : compared(value, from);
    const high = to === undefined ? -1 : compared(value, to);
    return exclusive ? low > 0 && high < 0 : low >= 0 && high <= 0;
  };
  const sign = sort.direction === 'ascending' ? 1 : -1;
  return [...model.entries()]
    .filter(([, one]) => Object.entries(where).every(([name, value]) => (one[name] ?? null) === value))
    .filter(([, one]) =>
      parts.every(({ field: name, part: text, not = false }) => {
        const value = one[name];
        return (typeof value === 'string' && value.includes(text)) !== not;
      }),
    )
    .filter(([, one]) => among === undefined || among.digits[Number(one[among.field] ?? -1)] === '1')
    .map(([key, one]) => ({ key, one, value: one[sort.field] ?? null }))
    .filter(({ value }) => inRange(value) && hasPart(value))
    .sort((a, b) => sign * (compared(a.value, b.value) || compared(a.key, b.key)))
    .map(({ one }) => one);
}

/** Null, then numbers, then texts by code point. */
function compared(one: unknown, other: unknown): number {
  const ranks = [one, other].map((value) => (value === null ? 0 : typeof value === 'number' ? 1 : 2));
  if (ranks[0] !== ranks[1]) return (ranks[0] ?? 0) - (ranks[1] ?? 0);
  if (typeof one === 'number' && typeof other === 'number') return one - other;
  return Buffer.compare(textOf(one), textOf(other));
}

function textOf(value: unknown): Buffer {
  return Buffer.from(typeof value === 'string' ? value : '');
}
