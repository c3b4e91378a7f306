/** The states of tests, which stand in buckets, from the history. */
import {
  branchBucket,
  branchBucketDocuments,
  branchStateIn,
  type BranchState,
} from '../../../projections/history/branches.js';
import { placeIn } from '../../../projections/history/buckets.js';
import type { TestDocument } from '../../../projections/history/tests.js';
import {
  noState,
  stateIn,
  testBucketDocuments,
  type TestState,
} from '../../../projections/history/test-buckets.js';
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

export async function stateOnBranch(
  views: Views,
  { project_id, number }: Placed,
  branch: string | null,
): Promise<BranchState> {
  const place = placeIn(project_id, number);
  const [bucket = null] = await views.get(branchBucketDocuments, [branchBucket(place, branch)]);
  return branchStateIn(bucket, place.slot);
}
