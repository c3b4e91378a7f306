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
    get: async <D extends object>({ name }: Collection<D>, ids: readonly string[]) =>
      (await views.get(spec, name, ids)) as unknown as (Stored<D> | null)[],
    find: async <D extends object>({ name }: Collection<D>, query: ViewQuery) =>
      (await views.find(spec, name, query)) as unknown as FoundOf<D>,
  };
}
