/** Reads of folded documents: as a team's reads of the views, and as a read model. */
import type { Cursor, Document, ViewQuery, ViewReader } from '../../src/ports/views.js';
import { fail } from '../../src/errors.js';
import type { TeamViews } from '../../src/queries/team-views.js';

/** Reads by ids. `texts`: as `fold` gives them. */
export function foldedReader(texts: ReadonlyMap<string, string>): ViewReader {
  const views: Pick<ViewReader, 'get'> = {
    get: async (_, name, ids) =>
      ids.map((id) => {
        const text = texts.get(`${name}/${id}`);
        return text === undefined ? null : (JSON.parse(text) as Document);
      }),
  };
  return views as ViewReader;
}

/** `texts`: as `fold` gives them. */
export function foldedViews(texts: ReadonlyMap<string, string>): TeamViews {
  const collections = new Map<string, Map<string, Document>>();
  for (const [key, text] of texts) {
    const slash = key.indexOf('/');
    const [name, id] = [key.slice(0, slash), key.slice(slash + 1)];
    if (!collections.has(name)) collections.set(name, new Map());
    collections.get(name)!.set(id, JSON.parse(text) as Document);
  }
  const at = (name: string, id: string): Document | null => collections.get(name)?.get(id) ?? null;
  const views: Partial<Record<keyof TeamViews, unknown>> = {
    get: async ({ name }: { name: string }, _team: string, id: string) =>
      at(name, id) ?? fail('not_found', id),
    some: async ({ name }: { name: string }, _team: string, ids: readonly string[]) =>
      ids.flatMap((id) => at(name, id) ?? []),
    find: async ({ name }: { name: string }, query: ViewQuery) => {
      const { where, sort, range = {}, after, offset = 0, limit } = query;
      const backwards = sort.direction === 'descending';
      const order = (one: Cursor, other: Cursor) => {
        const [a, b] = [one.value ?? '', other.value ?? ''];
        const ascending = a === b ? one.id > other.id : a > b;
        return ascending === backwards ? -1 : 1;
      };
      const matching = [...(collections.get(name) ?? [])]
        .filter(([, document]) => Object.entries(where).every(([field, value]) => document[field] === value))
        .map(([id, document]) => ({ id, value: document[sort.field] as string, document }))
        .filter(({ value }) => range.from === undefined || value >= range.from)
        .filter(({ value }) => range.to === undefined || value <= range.to)
        .sort(order)
        .filter((each) => after === undefined || (each.id !== after.id && order(each, after) > 0));
      const page = matching.slice(offset, offset + limit);
      const last = page.at(-1);
      const next =
        last === undefined || matching.length <= offset + limit ? null : { value: last.value, id: last.id };
      return { items: page.map(({ document }) => document), next };
    },
  };
  return views as TeamViews;
}
