/** All documents of a query, a page at a time, for what no index answers. */
import { setImmediate } from 'node:timers/promises';
import type { Collection } from '../domain/projection.js';
import type { ViewQuery } from '../ports/views.js';
import type { FoundOf, Stored, TypedViews } from '../projecting/typed-views.js';

/** `query`: its limit is that of each page. */
export async function* everyPage<D extends object>(
  views: Pick<TypedViews, 'find'>,
  collection: Collection<D>,
  query: ViewQuery,
): AsyncGenerator<readonly Stored<D>[], void> {
  for (let next: ViewQuery | null = query; next !== null;) {
    const found: FoundOf<D> = await views.find(collection, next);
    yield found.items;
    next = found.next === null ? null : { ...query, after: found.next };
    // Views in files are read on this thread. Without a pause, a long list would block all other work on it.
    if (next !== null) await setImmediate();
  }
}
