/** What the page of one result shows, from the API: eight calls at most, and one for each other attempt. */
import type { components } from '../../../client/api.generated.js';
import { testIdOf } from '../../../domain/test-history/test.js';
import { orNull } from '../../or-null.js';
import type { PageApi } from '../../page-api.js';
import type { ArtifactRecord } from './sort-artifacts.js';

type Schemas = components['schemas'];
export type TestResult = Schemas['TestResult'];
export type Outcome = Schemas['TestOutcome'];
export type GroupRun = Schemas['ProjectFailure']['runs'][number];

export type ResultView = {
  result: TestResult;
  testId: string;
  project: Schemas['Project'];
  /** Null for a result without a run. */
  run: Schemas['TestRun'] | null;
  /** In the environment of the result. Null while the test has no final result. */
  test: Schemas['Test'] | null;
  /** The outcomes of the test in the environment of the result, before and after this one, newest first. */
  outcomes: readonly Outcome[];
  /** The number of all outcomes of the test there. */
  outcomesTotal: number;
  /** Those of the same run, by their number. This result is one of them, unless it is not final. */
  attempts: readonly Outcome[];
  artifacts: readonly ArtifactRecord[];
  /** The files of other attempts that have some, those next to this one first. */
  otherFiles: readonly { attempt: Outcome; artifacts: readonly ArtifactRecord[] }[];
  /** Other results of the run with the same error. */
  together: { results: readonly TestResult[]; total: number };
  /** Other runs in which the same error was seen, the last one first. */
  elsewhere: { runs: readonly GroupRun[]; total: number };
  /** Failures that later attempts replace are in no group of the project, so a group of nothing else has no page. */
  groupHasPage: boolean;
};

export async function loadResult(api: Pick<PageApi, 'get'>, id: string): Promise<ResultView> {
  const { data: result } = await api.get('/v1/test-results/{id}', { params: { id } });
  const { project_id, test_run_id, name, group, environment_key: environment } = result;
  const testId = result.test_id ?? testIdOf(project_id, name.toWellFormed());
  const ofTest = { id: project_id, test: testId };
  const [project, run, test, outcomes, artifacts, together, elsewhere] = await Promise.all([
    api.get('/v1/projects/{id}', { params: { id: project_id } }),
    test_run_id === null ? null : api.get('/v1/test-runs/{id}', { params: { id: test_run_id } }),
    orNull(api.get('/v1/projects/{id}/tests/{test}', { params: ofTest, query: { environment } })),
    orNull(
      api.get('/v1/projects/{id}/tests/{test}/outcomes', {
        params: ofTest,
        query: { around: id, environment, per_page: OUTCOMES },
      }),
    ),
    api.get('/v1/test/artifact/', { query: { test_result_id: id } }),
    group === null || test_run_id === null
      ? null
      : orNull(
          api.get('/v1/test-runs/{id}/failures/{group}', {
            params: { id: test_run_id, group: group.id },
            query: { per_page: TOGETHER + 1 },
          }),
        ),
    group === null
      ? null
      : orNull(
          api.get('/v1/projects/{id}/failures/{group}', {
            params: { id: project_id, group: group.id },
            query: { per_page: ELSEWHERE + 1 },
          }),
        ),
  ]);
  const near = outcomes?.data ?? [];
  const attempts = attemptsOf(result, near);
  const otherFiles = await filesOfOthers(api, result, attempts);
  const runs = elsewhere?.runs ?? [];
  const others = runs.filter(({ run_id }) => run_id === null || run_id !== test_run_id);
  const own = runs.length - others.length;
  return {
    result,
    testId,
    project: project.data,
    run: run?.data ?? null,
    test: test?.data ?? null,
    outcomes: near,
    outcomesTotal: outcomes?.pagination.total ?? 0,
    attempts,
    artifacts: artifacts.items,
    otherFiles,
    together: {
      results: (together?.data ?? []).filter((each) => each.id !== id).slice(0, TOGETHER),
      total: Math.max(0, (together?.pagination.total ?? 0) - (result.superseded_by === null ? 1 : 0)),
    },
    elsewhere: {
      runs: others.slice(0, ELSEWHERE),
      total: Math.max(0, (elsewhere?.pagination.total ?? 0) - own),
    },
    groupHasPage: elsewhere !== null,
  };
}

/** Enough for the usual duration, and for the attempts of one run. */
const OUTCOMES = 60;
const TOGETHER = 5;
const ELSEWHERE = 5;

/** Other attempts whose files are shown: the tabs lead to the rest. */
const OTHER_ATTEMPTS = 6;

async function filesOfOthers(
  api: Pick<PageApi, 'get'>,
  { id, attempt: own }: TestResult,
  attempts: readonly Outcome[],
): Promise<ResultView['otherFiles']> {
  const others = attempts
    .filter(({ result_id }) => result_id !== id)
    .sort((one, other) => Math.abs(one.attempt - own) - Math.abs(other.attempt - own))
    .slice(0, OTHER_ATTEMPTS);
  const found = await Promise.all(
    others.map(async (attempt) => {
      const query = { test_result_id: attempt.result_id };
      const listed = await orNull(api.get('/v1/test/artifact/', { query }));
      return { attempt, artifacts: listed?.items ?? [] };
    }),
  );
  return found.filter(({ artifacts }) => artifacts.length > 0);
}

function attemptsOf({ id, test_run_id }: TestResult, near: readonly Outcome[]): Outcome[] {
  if (test_run_id === null) return near.filter(({ result_id }) => result_id === id);
  return near
    .filter((outcome) => outcome.test_run_id === test_run_id)
    .toReversed()
    .sort((one, other) => one.attempt - other.attempt)
    .slice(0, 20);
}

/** Half of the passes took at most `p50`, all but one of twenty at most `p95`. Null with fewer than three. */
export function usualDuration(outcomes: readonly Outcome[]): { p50: number; p95: number } | null {
  const passes = outcomes
    .flatMap(({ status, duration_ms }) => (status === 'passed' && duration_ms !== null ? duration_ms : []))
    .sort((one, other) => one - other);
  if (passes.length < 3) return null;
  const at = (share: number) => passes[Math.min(passes.length - 1, Math.floor(share * passes.length))]!;
  return { p50: at(0.5), p95: at(0.95) };
}
