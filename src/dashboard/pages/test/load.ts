/** What the page of one test shows, from the API: five calls. */
import type { components } from '../../../client/api.generated.js';
import type { PageApi } from '../../page-api.js';
import type { Outcome } from '../result/load.js';
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
  /** Of the branch of the page, or of that of the newest outcome. */
  strip: TestStrip;
  /** Those on which the last outcomes were, whatever the branch of the page. */
  branches: readonly { name: string; newest: Outcome; outcomes: number }[];
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
  const outcomes = page.data;
  const on = branch ?? outcomes[0]?.branch ?? null;
  const runs = await api.get('/v1/test-runs', {
    query: { project_id: project, per_page: RUNS, ...(on !== null && { branch: on }) },
  });
  return {
    test: test.data,
    project: of.data,
    branch,
    environment,
    outcomes,
    strip: stripOf(outcomes, runs.data, on),
    total: page.pagination.total,
    branches: branchesOf((all ?? page).data),
  };
}

/** In the order of their newest outcomes. */
function branchesOf(outcomes: readonly Outcome[]): TestView['branches'] {
  const found = new Map<string, { name: string; newest: Outcome; outcomes: number }>();
  for (const outcome of outcomes) {
    if (outcome.branch === null) continue;
    const present = found.get(outcome.branch);
    if (present === undefined)
      found.set(outcome.branch, { name: outcome.branch, newest: outcome, outcomes: 1 });
    else present.outcomes += 1;
  }
  return [...found.values()];
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
