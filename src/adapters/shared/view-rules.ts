/** The rules that every store of read models follows. */
import type { Commit, Cursor } from '../../ports/views.js';
import { collectionOf } from './view-indexes.js';
import { scalarOf } from './view-totals.js';
import type { CollectionSpec, ProjectionSpec } from '../../domain/projection.js';
import { fail } from '../../errors.js';

/** @throws AppError `internal` for a commit that no store takes. */
export function checkCommit(spec: ProjectionSpec, { from, to, changes }: Commit): void {
  if (to < from) fail('internal', `a commit of ${spec.name} goes back from ${from} to ${to}`);
  // Such a commit could be done twice: nothing would distinguish the second one from the first.
  if (to === from && changes.length > 0)
    fail('internal', `a commit of ${spec.name} changes documents at ${from}`);
  for (const { collection, once } of changes) {
    const { totals = [] } = collectionOf(spec, collection);
    // The store does not say which documents it left out, so they would be counted.
    if (once === true && totals.length > 0) fail('internal', `${collection} has totals`);
  }
}

/** The part of a projection that decides how its builds are stored. */
export function shapeOf({ collections }: ProjectionSpec): CollectionSpec[] {
  return collections.map(({ name, indexes, totals = [], searchable, filterable, sparse }) => ({
    name,
    indexes,
    totals,
    ...(searchable !== undefined && { searchable }),
    ...(filterable !== undefined && { filterable }),
    ...(sparse !== undefined && { sparse }),
  }));
}

/** The cursor after the last document of a page. */
export function cursorAt(value: unknown, id: string, field: string): Cursor {
  const scalar = scalarOf(value, field);
  return { value: typeof scalar === 'boolean' ? Number(scalar) : scalar, id };
}

export function failFenced(projection: string, build: number): never {
  fail(
    'fenced',
    `build ${build} of ${projection} has another runner, is at another position, or was dropped`,
  );
}

/** The code asks for something that only a newer build has, and that build is still being folded. */
export function failRebuilding(): never {
  fail('views_unavailable', 'the read model is being rebuilt', { retryAfter: 10 });
}
