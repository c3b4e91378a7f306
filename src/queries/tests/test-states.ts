/** The states of tests and their lines, which stand in buckets, and what they say of owners, from the history. */
import {
  branchBucket,
  branchBucketDocuments,
  branchStateIn,
  type BranchState,
} from '../../../projections/history/branches.js';
import { placeIn, type Place } from '../../../projections/history/buckets.js';
import { numberOf } from '../../../projections/history/lines.js';
import { ownerIn } from '../../../projections/history/owners.js';
import type { TestDocument } from '../../../projections/history/tests.js';
import { stateIn, testBucketDocuments, type TestState } from '../../../projections/history/test-buckets.js';
import type { EnvironmentKey } from '../../domain/environment.js';
import type { Collection } from '../../domain/projection.js';
import type { TypedViews } from '../../projecting/typed-views.js';

type Views = Pick<TypedViews, 'get'>;
export type Placed = Pick<TestDocument, 'project_id' | 'number'>;

/** A line of a test; undefined for the test as a whole. Null where the test does not have the line. */
export function placedLine(
  test: Placed & Pick<TestDocument, 'lines'>,
  environment: EnvironmentKey | undefined,
): Placed | null {
  const number = environment === undefined ? test.number : numberOf(test, environment);
  return number === null ? null : { project_id: test.project_id, number };
}

/** In the order of the tests; without entries for null, and for a test that had no results. */
export async function statesOf(views: Views, tests: readonly (Placed | null)[]): Promise<TestState[]> {
  return statesIn(views, testBucketDocuments, tests, { idOf: ({ bucket }) => bucket, stateIn });
}

/** The same on a branch. */
export async function statesOnBranch(
  views: Views,
  tests: readonly (Placed | null)[],
  branch: string | null,
): Promise<BranchState[]> {
  const idOf = (place: Place) => branchBucket(place, branch);
  return statesIn(views, branchBucketDocuments, tests, { idOf, stateIn: branchStateIn });
}

/** Each bucket is read once. */
async function statesIn<D extends object, S>(
  views: Views,
  collection: Collection<D>,
  tests: readonly (Placed | null)[],
  { idOf, stateIn: stateAt }: { idOf(place: Place): string; stateIn(bucket: D | null, slot: number): S },
): Promise<S[]> {
  const places = tests.map((test) => {
    const place = test && placeIn(test.project_id, test.number);
    return place && { id: idOf(place), slot: place.slot };
  });
  const ids = [...new Set(places.flatMap((place) => place?.id ?? []))];
  const found = await views.get(collection, ids);
  const buckets = new Map(ids.map((id, n) => [id, found[n] ?? null]));
  return places.map((place) => stateAt(place && (buckets.get(place.id) ?? null), place?.slot ?? 0));
}

/** The owners of tests as a selection has them: those of their newest results in it. */
export async function ownersOf(
  views: Views,
  tests: readonly TestDocument[],
  { branch, environment }: { branch?: string | null | undefined; environment?: EnvironmentKey | undefined },
): Promise<(string | null)[]> {
  if (branch === undefined && !environment) return tests.map(({ owner }) => owner);
  const placed = tests.map((test) => placedLine(test, environment));
  const states =
    branch === undefined ? await statesOf(views, placed) : await statesOnBranch(views, placed, branch);
  return states.map(({ owners }) => ownerIn(owners));
}
