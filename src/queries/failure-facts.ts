/** What a failed result shows beside itself, from the history. */
import { failureDocuments, type FailureDocument } from '../../projections/history/failure-documents.js';
import { history } from '../../projections/history/history.js';
import type { ResultDocument } from '../../projections/records/run-documents.js';
import { linesOf } from '../../projections/history/lines.js';
import { failingLineDocuments } from '../../projections/history/failing-lines.js';
import { testDocuments } from '../../projections/history/tests.js';
import { environmentOf, type Environment, type EnvironmentKey } from '../domain/environment.js';
import type { FailureGroup } from '../domain/test-history/result-facts.js';
import type { Moment } from '../domain/test-history/failing-row.js';
import { NO_TITLE, type Titles } from '../domain/contents.js';
import type { ViewReader } from '../ports/views.js';
import { typedViews } from '../projecting/typed-views.js';

export type FailureFacts = {
  /** The first of the unbroken row of failures on the branch. */
  failing_since: Moment | null;
  last_passed: Moment | null;
  /** Other branches and environments in which the newest result of the test fails. */
  also_fails_on: FailingPlace[] | null;
  group: FailureGroup | null;
  known: boolean;
};

export type FailingPlace = {
  branch: string;
  environment: Environment | null;
  environment_key: EnvironmentKey;
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
export type FailureFactsOf = (
  results: readonly Pick<ResultDocument, 'status' | 'test_result_id'>[],
) => Promise<Map<string, FailureFacts>>;

/** What `also_fails_on` names at most. */
const OTHER_PLACES = 10;
/** The own one, those without a branch, and those of forgotten lines may be among them. */
const PLACES_READ = 3 * OTHER_PLACES;

export function openFailureFacts(reader: ViewReader, titles: Titles): FailureFactsOf {
  const views = typedViews(reader, history);

  /** Where the newest verdict of a test failed, the newest failure first. */
  async function failingOn(testId: string): Promise<FailingPlace[]> {
    const [[test = null], { items }] = await Promise.all([
      views.get(testDocuments, [testId]),
      views.find(failingLineDocuments, {
        where: { test_id: testId },
        sort: { field: 'failed_at', direction: 'descending' },
        limit: PLACES_READ,
      }),
    ]);
    // Those of lines that are forgotten are still there.
    const lines = new Set(test === null ? [] : linesOf(test).map(({ environment }) => environment));
    return items.flatMap(({ branch, environment: environment_key }) => {
      if (branch === null || !lines.has(environment_key)) return [];
      return [{ branch, environment: environmentOf(environment_key), environment_key }];
    });
  }

  return async (results) => {
    const failed = results.filter(isFailed).map(({ test_result_id }) => test_result_id);
    if (failed.length === 0) return new Map();
    const failures = await views.get(failureDocuments, failed);
    const titleOf = await titles(failures.flatMap((failure) => failure?.group.title ?? []));
    const tests = [...new Set(failures.flatMap((failure) => failure?.test_id ?? []))];
    const branches = new Map(
      await Promise.all(tests.map(async (test) => [test, await failingOn(test)] as const)),
    );
    return new Map(
      failed.map((id, n) => {
        const failure = failures[n] ?? null;
        const others = failure === null ? [] : (branches.get(failure.test_id) ?? []);
        const title = failure === null ? '' : (titleOf.get(failure.group.title) ?? NO_TITLE);
        return [id, factsOf(failure, others, title)];
      }),
    );
  };
}

export function isFailed({ status }: Pick<ResultDocument, 'status'>): boolean {
  return status === 'Failed';
}

/** Read models that are behind may not have the failure yet. */
function factsOf(
  failure: FailureDocument | null,
  failing: readonly FailingPlace[],
  title: string,
): FailureFacts {
  if (failure === null || failure.reopened === true) return noFailure;
  const { failing_since, last_passed, branch: own, environment = '', known } = failure;
  const group = { ...failure.group, title };
  const others = failing.filter(
    ({ branch, environment_key }) => branch !== own || environment_key !== environment,
  );
  const also_fails_on = others.slice(0, OTHER_PLACES);
  return { failing_since, last_passed, also_fails_on, group, known };
}
