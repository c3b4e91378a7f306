/** Read models by their collections' handles, so that documents have their types. */
import type { Collection, Document, ProjectionSpec } from '../domain/projection.js';
import type { Found, ViewQuery, ViewReader } from '../ports/views.js';

export type TypedViews = {
  /** Documents in the order of the ids, null where there is none. */
  get<D extends object>(collection: Collection<D>, ids: readonly string[]): Promise<(Stored<D> | null)[]>;
  /** One page. @throws AppError `internal` when no declared index serves it. */
  find<D extends object>(collection: Collection<D>, query: ViewQuery): Promise<FoundOf<D>>;
};

/** A document as a store returns it. */
export type Stored<D extends object> = D & Pick<Document, 'position'>;

export type FoundOf<D extends object> = Omit<Found, 'items'> & { items: Stored<D>[] };

export function typedViews(views: Pick<ViewReader, 'get' | 'find'>, spec: ProjectionSpec): TypedViews {
  // The only casts of documents: a store returns the documents that the fold put, and the handle names their type.
  return {
    get: <D extends object>({ name }: Collection<D>, ids: readonly string[]) =>
      views.get(spec, name, ids) as Promise<unknown> as Promise<(Stored<D> | null)[]>,
    find: <D extends object>({ name }: Collection<D>, query: ViewQuery) =>
      views.find(spec, name, query) as Promise<unknown> as Promise<FoundOf<D>>,
  };
}

/**
 * Views for one answer, which read a document once while it is among the `most` that were read last. A later answer needs views
 * of its own.
 */
export function readOnce({ get }: Pick<TypedViews, 'get'>, most: number): Pick<TypedViews, 'get'> {
  const kept = new Map<string, Promise<unknown>>();
  return {
    async get<D extends object>(collection: Collection<D>, ids: readonly string[]) {
      const nameOf = (id: string) => `${collection.name} ${id}`;
      const missing = [...new Set(ids.filter((id) => !kept.has(nameOf(id))))];
      const read = missing.length === 0 ? null : get(collection, missing);
      missing.forEach((id, n) =>
        kept.set(
          nameOf(id),
          read!.then((found) => found[n]),
        ),
      );
      const found = ids.map((id) => kept.get(nameOf(id)) as Promise<Stored<D> | null>);
      for (const name of kept.keys()) {
        if (kept.size <= most) break;
        kept.delete(name);
      }
      return Promise.all(found);
    },
  };
}
