/** The states of tests, which stand in buckets, and what they say of owners, from the history. */
import {
  branchBucket,
  branchBucketDocuments,
  branchStateIn,
  type BranchState,
} from '../../../projections/history/branches.js';
import { placeIn } from '../../../projections/history/buckets.js';
import { numberOf } from '../../../projections/history/lines.js';
import { ownerIn } from '../../../projections/history/owners.js';
import type { TestDocument } from '../../../projections/history/tests.js';
import {
  noState,
  stateIn,
  testBucketDocuments,
  type TestState,
} from '../../../projections/history/test-buckets.js';
import type { EnvironmentKey } from '../../domain/environment.js';
import type { TypedViews } from '../../projecting/typed-views.js';

type Views = Pick<TypedViews, 'get'>;
export type Placed = Pick<TestDocument, 'project_id' | 'number'>;

/** In the order of the tests; without entries for null, and for a test that had no results. */
export async function statesOf(views: Views, tests: readonly (Placed | null)[]): Promise<TestState[]> {
  const places = tests.map((test) => test && placeIn(test.project_id, test.number));
  const ids = [...new Set(places.flatMap((place) => place?.bucket ?? []))];
  const found = await views.get(testBucketDocuments, ids);
  const buckets = new Map(ids.map((id, n) => [id, found[n] ?? null]));
  return places.map((place) =>
    place === null ? noState : stateIn(buckets.get(place.bucket) ?? null, place.slot),
  );
}

/** The same on a branch. */
export async function statesOnBranch(
  views: Views,
  tests: readonly (Placed | null)[],
  branch: string | null,
): Promise<BranchState[]> {
  const places = tests.map((test) => test && placeIn(test.project_id, test.number));
  const ids = [...new Set(places.flatMap((place) => (place === null ? [] : branchBucket(place, branch))))];
  const found = await views.get(branchBucketDocuments, ids);
  const buckets = new Map(ids.map((id, n) => [id, found[n] ?? null]));
  return places.map((place) =>
    place === null
      ? branchStateIn(null, 0)
      : branchStateIn(buckets.get(branchBucket(place, branch)) ?? null, place.slot),
  );
}

/** The owners of tests as a selection has them: those of their newest results in it. */
export async function ownersOf(
  views: Views,
  tests: readonly TestDocument[],
  { branch, environment }: { branch?: string | null | undefined; environment?: EnvironmentKey | undefined },
): Promise<(string | null)[]> {
  if (branch === undefined && !environment) return tests.map(({ owner }) => owner);
  const placed = tests.map((test): Placed | null => {
    const number = environment ? numberOf(test, environment) : test.number;
    return number === null ? null : { project_id: test.project_id, number };
  });
  const states =
    branch === undefined ? await statesOf(views, placed) : await statesOnBranch(views, placed, branch);
  return states.map(({ owners }) => ownerIn(owners));
}
