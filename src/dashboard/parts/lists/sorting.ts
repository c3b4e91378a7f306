/** By what a list is sorted: it stands in the address. */

export type Order = 'asc' | 'desc';

export type Sorting = { url: URL; sort: string; order: Order };

/** `sorts`: those that the list has. Without one of them in the address, the list has its own order. */
export function sortingIn(url: URL, sorts: readonly string[], own: Pick<Sorting, 'sort' | 'order'>): Sorting {
  const asked = url.searchParams.get('sort');
  const sort = sorts.find((each) => each === asked);
  if (sort === undefined) return { url, ...own };
  return { url, sort, order: url.searchParams.get('order') === 'asc' ? 'asc' : 'desc' };
}
