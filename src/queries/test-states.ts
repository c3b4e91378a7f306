/** The states of tests, which stand in pages, from the read models of the outbox projector. */
import {
  branchPage,
  branchPageDocuments,
  branchStateIn,
  type BranchState,
} from '../../projections/tests/branches.js';
import { placeIn } from '../../projections/tests/pages.js';
import type { TestDocument } from '../../projections/tests/tests.js';
import { noState, stateIn, testPageDocuments, type TestState } from '../../projections/tests/test-pages.js';
import type { TypedViews } from '../projecting/typed-views.js';

type Views = Pick<TypedViews, 'get'>;
type Placed = Pick<TestDocument, 'project_id' | 'number'>;

/** In the order of the tests; without entries for null, and for a test that had no results. */
export async function statesOf(views: Views, tests: readonly (Placed | null)[]): Promise<TestState[]> {
  const places = tests.map((test) => placeOf(test));
  const ids = [...new Set(places.flatMap((place) => place?.page ?? []))];
  const found = await views.get(testPageDocuments, ids);
  const pages = new Map(ids.map((id, n) => [id, found[n] ?? null]));
  return places.map((place) =>
    place === null ? noState : stateIn(pages.get(place.page) ?? null, place.slot),
  );
}

export async function stateOnBranch(
  views: Views,
  test: Placed | null,
  branch: string | null,
): Promise<BranchState> {
  const place = placeOf(test);
  const [page = null] =
    place === null ? [] : await views.get(branchPageDocuments, [branchPage(place, branch)]);
  return branchStateIn(page, place?.slot ?? 0);
}

function placeOf(test: Placed | null) {
  return test?.number == null ? null : placeIn(test.project_id, test.number);
}
