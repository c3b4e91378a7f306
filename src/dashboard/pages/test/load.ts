/** What the page of one test shows, from the API: seven calls at most. */
import type { components } from '../../../client/api.generated.js';
import type { PageApi } from '../../page-api.js';
import type { Outcome } from '../result/load.js';
import { worst, worstLine } from './state.js';
import { stripOf, type TestStrip } from './strip.js';

type Schemas = components['schemas'];

export type TestView = {
  test: Schemas['Test'];
  project: Schemas['Project'];
  /** The branch that the page is about; null for all. */
  branch: string | null;
  /** The key of the environment that the page is about; null for all. */
  environment: string | null;
  /** The last 100, newest first. */
  outcomes: readonly Outcome[];
  total: number;
  line: LineView;
  /** Of the line, on the branch of the page or on that of its newest outcome. */
  strip: TestStrip;
  /** Those on which the last outcomes were, whatever the branch of the page. */
  branches: readonly { name: string; newest: Outcome }[];
};

/**
 * The line that says how the test does, which state, durations and strip are of: that of the environment of the page, or else the
 * worst one. What another one passes would hide what this one fails.
 */
export type LineView = {
  environment_key: string;
  /** The test in this environment, on the branch of the page. */
  test: Pick<Schemas['Test'], 'state' | 'last_outcomes' | 'failure_rate'>;
  /** The last 100, newest first. */
  outcomes: readonly Outcome[];
  total: number;
};

const OUTCOMES = 100;
/** Runs of the branch: among them are those in which the test did not run. */
const RUNS = 100;

export async function loadTest(
  api: PageApi,
  {
    project,
    test: id,
    branch,
    environment,
  }: { project: string; test: string } & Pick<TestView, 'branch' | 'environment'>,
): Promise<TestView> {
  const params = { id: project, test: id };
  const narrowed = { ...(environment !== null && { environment }), ...(branch !== null && { branch }) };
  const ofLine = { per_page: OUTCOMES, ...(environment !== null && { environment }) };
  const [of, test, page, all] = await Promise.all([
    api.get('/v1/projects/{id}', { params }),
    api.get('/v1/projects/{id}/tests/{test}', { params, query: narrowed }),
    api.get('/v1/projects/{id}/tests/{test}/outcomes', {
      params,
      query: { ...ofLine, ...(branch !== null && { branch }) },
    }),
    branch === null ? null : api.get('/v1/projects/{id}/tests/{test}/outcomes', { params, query: ofLine }),
  ]);
  const asked = { test: test.data, outcomes: page.data, total: page.pagination.total };
  const line = await loadLine(api, params, { ...asked, branch, environment });
  const on = branch ?? line.outcomes[0]?.branch ?? null;
  const runs = await api.get('/v1/test-runs', {
    query: { project_id: project, per_page: RUNS, ...(on !== null && { branch: on }) },
  });
  return {
    ...asked,
    project: of.data,
    branch,
    environment,
    line,
    strip: stripOf(line.outcomes, runs.data, on),
    branches: branchesOf((all ?? page).data),
  };
}

async function loadLine(
  api: PageApi,
  params: Readonly<Record<string, string>>,
  {
    branch,
    environment: asked,
    ...of
  }: Pick<TestView, 'test' | 'outcomes' | 'total' | 'branch' | 'environment'>,
): Promise<LineView> {
  const environment = asked ?? lineToShow(of.test, branch === null ? null : of.outcomes);
  if (asked !== null || of.test.environments.length < 2) return { environment_key: environment, ...of };
  const narrowed = { environment, ...(branch !== null && { branch }) };
  const [test, { data: outcomes, pagination }] = await Promise.all([
    api.get('/v1/projects/{id}/tests/{test}', { params, query: narrowed }),
    api.get('/v1/projects/{id}/tests/{test}/outcomes', {
      params,
      query: { ...narrowed, per_page: OUTCOMES },
    }),
  ]);
  return { environment_key: environment, test: test.data, outcomes, total: pagination.total };
}

/** `onBranch`: the outcomes on one branch; null for all branches. A line is as bad as it is there, if it ran there. */
function lineToShow(test: TestView['test'], onBranch: readonly Outcome[] | null): string {
  const lines = test.environments.map(({ environment_key, state }) => {
    const own = (onBranch ?? []).filter((outcome) => outcome.environment_key === environment_key);
    return { environment_key, state, last_outcomes: own.map(({ status }) => status) };
  });
  const there = worst(lines.filter(({ last_outcomes }) => last_outcomes.length > 0));
  return (there ?? worstLine(test)).environment_key;
}

/** In the order of their newest outcomes. `newest`: that of a line which failed last, if there is one. */
function branchesOf(outcomes: readonly Outcome[]): TestView['branches'] {
  const names = new Set(outcomes.flatMap(({ branch }) => branch ?? []));
  return [...names].map((name) => {
    const own = outcomes.filter(({ branch }) => branch === name);
    const isNewest = ({ environment_key: key }: Outcome, n: number) =>
      own.findIndex(({ environment_key }) => environment_key === key) === n;
    const failed = own.filter(isNewest).find(({ status }) => status === 'failed');
    return { name, newest: failed ?? own[0]! };
  });
}

export type ErrorGroup = {
  id: string;
  title: string;
  /** The newest first. */
  outcomes: Outcome[];
};

/** Failures that later attempts replace are in no group of the project, so a group of nothing else has no page. */
export function stands({ outcomes }: ErrorGroup): boolean {
  return outcomes.some(({ superseded_by }) => superseded_by === null);
}

/** The groups of the failures among these outcomes, those with most failures first. */
export function errorGroups(outcomes: readonly Outcome[]): ErrorGroup[] {
  const groups = new Map<string, ErrorGroup>();
  for (const outcome of outcomes) {
    if (outcome.group === null) continue;
    const { id, title } = outcome.group;
    const present = groups.get(id) ?? { id, title, outcomes: [] };
    present.outcomes.push(outcome);
    groups.set(id, present);
  }
  return [...groups.values()].sort((one, other) => other.outcomes.length - one.outcomes.length);
}
