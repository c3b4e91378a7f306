/** A projection for the suites, and short ways to commit to it. */
import { expect } from 'chai';
import { ALL_PARTITIONS } from '../../../src/domain/partition.js';
import type { CollectionSpec } from '../../../src/domain/projection.js';
import type { Build, Change, Document, ProjectionSpec, ViewWriter } from '../../../src/ports/views.js';
import { START, type Position } from '../../../src/domain/event.js';
import { isAppError, type ErrorCode } from '../../../src/errors.js';

export type Fields = Readonly<Record<string, unknown>>;

export function thingsSpec(name = 'things', version = 1): ProjectionSpec {
  return {
    name,
    version,
    collections: [
      {
        name: 'things',
        indexes: [
          ['at'],
          ['team', 'at'],
          ['team', 'kind', 'at'],
          ['team', 'rank'],
          ['kind', 'rank'],
          ['team', 'name'],
          ['team', 'kind', 'name'],
          ['holder', 'at'],
        ],
        searchable: 'name',
        filterable: ['owner', 'labels', 'number'],
        sparse: ['holder'],
        totals: [[], ['team'], ['kind', 'team']],
      },
      { name: 'others', indexes: [['at']] },
    ],
  };
}

/** The same projection with other declarations of its first collection, `things`. */
export function withThings(spec: ProjectionSpec, declared: Partial<CollectionSpec>): ProjectionSpec {
  const [things, ...others] = spec.collections;
  return { ...spec, collections: [{ ...things!, ...declared }, ...others] };
}

/** The n-th position; later ones sort after it. */
export function at(n: number): Position {
  return n === 0 ? START : String(n).padStart(20, '0');
}

/** All partitions of a build at one position. */
export function standing(
  position: Position,
  epoch: number,
): Pick<Build, 'checkpoints' | 'position' | 'epoch' | 'lastEvent'> {
  return { checkpoints: [{ partitions: ALL_PARTITIONS, position, epoch }], position, epoch, lastEvent: null };
}

/** A new document. */
export function added(id: string, fields: Fields = {}, collection = 'things'): Change {
  return { collection, id, before: null, after: document(fields) };
}

export function document(fields: Fields = {}): Document {
  return { position: at(1), ...fields };
}

/** Commits changes to a build at its current position, and moves it one position on. Answers the new position. */
export async function commitTo(
  writer: ViewWriter,
  spec: ProjectionSpec,
  changes: readonly Change[],
  { build = 1, epoch = 1, to }: { build?: number; epoch?: number; to?: Position } = {},
): Promise<Position> {
  const standing = (await writer.builds(spec.name)).find((candidate) => candidate.build === build);
  if (standing === undefined) throw new Error(`${spec.name} has no build ${build}`);
  const next = to ?? at(Number(standing.position) + 1);
  await writer.commit(spec, { build, epoch, from: standing.position, to: next, changes });
  return next;
}

/** Expects a AppError with that code. */
export async function refused(attempt: Promise<unknown>, code: ErrorCode): Promise<void> {
  const outcome = await attempt.then(
    (value) => ({ value }),
    (error: unknown) => ({ error }),
  );
  if (!('error' in outcome)) return expect.fail(`expected ${code}, but the call succeeded`);
  expect(isAppError(outcome.error, code), String(outcome.error)).to.equal(true);
}
