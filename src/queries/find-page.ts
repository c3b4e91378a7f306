/** Pages by number. Far into a list, the index is read from its nearer end; past its last entry, it is not read at all. */
import type { Collection } from '../domain/projection.js';
import type { ViewQuery } from '../ports/views.js';
import type { Stored, TypedViews } from '../projecting/typed-views.js';

export type PageQuery = Pick<ViewQuery, 'where' | 'sort' | 'limit'> & { offset: number };

export type CountedPage<T> = { items: T[]; total: number };

/** `total` counts all documents that match, at the moment of the page or later. */
export type FindCounted<T> = (query: PageQuery) => Promise<CountedPage<T>>;

/** Finds pages of a collection with their totals, which the views keep. `search`: only documents that have these texts. */
export function findCounted<D extends object>(
  views: Pick<TypedViews, 'find'>,
  collection: Collection<D>,
  search: Pick<ViewQuery, 'contains' | 'parts' | 'among'> = {},
): FindCounted<Stored<D>> {
  return async (query) => {
    const { items, total = 0 } = await views.find(collection, { ...query, ...search, total: true });
    return { items, total };
  };
}

/** Skipping this many entries of an index takes less time than a second query. */
export const NEAR = 1_000;
const TRIES = 3;

/** Returns the page at an offset, equal to the page that `find` returns for it. @throws what `find` throws */
export async function findPage<T>(
  find: FindCounted<T>,
  query: PageQuery,
  near = NEAR,
): Promise<CountedPage<T>> {
  const { offset, limit, sort } = query;
  if (offset <= near) return find(query);
  let { total } = await find({ ...query, offset: 0, limit: 1 });
  for (let tries = 0; tries < TRIES; tries += 1) {
    if (offset >= total) return { items: [], total };
    if (offset <= total / 2) break;
    const count = Math.min(limit, total - offset);
    const back = { ...query, sort: reversed(sort), offset: total - offset - count, limit: count };
    const page = await find(back);
    // Counted from the end, this is the right page only if the list has not grown or shrunk since its total was read.
    if (page.total === total) return { items: page.items.toReversed(), total };
    total = page.total;
  }
  return find(query);
}

function reversed({ field, direction }: ViewQuery['sort']): ViewQuery['sort'] {
  return { field, direction: direction === 'ascending' ? 'descending' : 'ascending' };
}
