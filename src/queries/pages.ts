/** Pages by number: far into a list, an index is walked from its nearer end, and not at all past its last entry. */
import type { ViewQuery } from '../ports/views.js';

export type PageQuery = Pick<ViewQuery, 'where' | 'sort' | 'limit'> & { offset: number };

export type CountedPage<T> = { items: T[]; total: number };

/** `total` is of all that match: of the moment of the page, or of a later one. */
export type FindCounted<T> = (query: PageQuery) => Promise<CountedPage<T>>;

/** So many entries of an index are passed over in less time than a second query takes. */
const NEAR = 1_000;
const TRIES = 3;

/** The page at an offset, the same as `find` has it. @throws what `find` throws. */
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
    // Counted from the end, it is that page only if the end is still where it was.
    if (page.total === total) return { items: page.items.toReversed(), total };
    total = page.total;
  }
  return find(query);
}

function reversed({ field, direction }: ViewQuery['sort']): ViewQuery['sort'] {
  return { field, direction: direction === 'ascending' ? 'descending' : 'ascending' };
}
