/** What a failed result shows beside itself, from the history. */
import { failureDocuments, type FailureDocument } from '../../projections/history/failure-documents.js';
import { history } from '../../projections/history/history.js';
import type { ResultDocument } from '../../projections/records/run-documents.js';
import { branchDocuments, type BranchDocument } from '../../projections/history/branches.js';
import type { FailureGroup } from '../domain/test-history/result-facts.js';
import type { Moment } from '../domain/test-history/failing-row.js';
import type { ViewReader } from '../ports/views.js';
import { typedViews } from '../projecting/typed-views.js';

export type FailureFacts = {
  /** The first of the unbroken row of failures on the branch. */
  failing_since: Moment | null;
  last_passed: Moment | null;
  /** Other branches on which the newest result of the test fails. */
  also_fails_on: string[] | null;
  group: FailureGroup | null;
  known: boolean;
};

/** Of a result that has not failed. */
export const noFailure: FailureFacts = {
  failing_since: null,
  last_passed: null,
  also_fails_on: null,
  group: null,
  known: false,
};

/** The facts of the failed ones among these results, by their ids. A page of results at most. */
export type FailureFactsOf = (results: readonly ResultDocument[]) => Promise<Map<string, FailureFacts>>;

/** Branches that `also_fails_on` names. */
const OTHER_BRANCHES = 10;

export function openFailureFacts(reader: ViewReader): FailureFactsOf {
  const views = typedViews(reader, history);

  /** The branches on which the newest verdict of a test failed, the newest failure first. */
  async function failingOn(testId: string): Promise<BranchDocument[]> {
    const { items } = await views.find(branchDocuments, {
      where: { failing_test: testId },
      sort: { field: 'failed_at', direction: 'descending' },
      // The result's own branch, and results without a branch, may be among them.
      limit: OTHER_BRANCHES + 2,
    });
    return items;
  }

  return async (results) => {
    const failed = results.filter(isFailed).map(({ test_result_id }) => test_result_id);
    if (failed.length === 0) return new Map();
    const failures = await views.get(failureDocuments, failed);
    const tests = [...new Set(failures.flatMap((failure) => failure?.test_id ?? []))];
    const branches = new Map(
      await Promise.all(tests.map(async (test) => [test, await failingOn(test)] as const)),
    );
    return new Map(
      failed.map((id, n) => {
        const failure = failures[n] ?? null;
        const others = failure === null ? [] : (branches.get(failure.test_id) ?? []);
        return [id, factsOf(failure, others)];
      }),
    );
  };
}

export function isFailed({ status }: Pick<ResultDocument, 'status'>): boolean {
  return status === 'Failed';
}

/** Read models that are behind may not have the failure yet. */
function factsOf(failure: FailureDocument | null, failing: readonly BranchDocument[]): FailureFacts {
  if (failure === null || failure.reopened === true) return noFailure;
  const { failing_since, last_passed, group, branch: own, known } = failure;
  const others = failing.flatMap(({ branch }) => (branch === null || branch === own ? [] : branch));
  const also_fails_on = others.slice(0, OTHER_BRANCHES);
  return { failing_since, last_passed, also_fails_on, group, known };
}
