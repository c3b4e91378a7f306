/** What the page of a commit, a pull request or a branch shows: its builds, and the failures of the newest one by cause. */
import type { components } from '../../../client/api.generated.js';
import { branchStateOf, buildsOf, type BranchState } from '../../../domain/runs/branch-state.js';
import { newestStarts } from '../../../domain/runs/newest-starts.js';
import { stateOf } from '../../../domain/runs/run-state.js';
import { orNull } from '../../or-null.js';
import type { PageApi } from '../../page-api.js';

export type Run = components['schemas']['TestRun'];

/** One of them is set. */
export type Wanted = { commit: string } | { pull_request: string } | { branch: string };

/** A cause of failures over all runs of a build. */
export type Cause = {
  group: string;
  title: string;
  tests: number;
  isNew: boolean;
  runs: readonly Run[];
  /** Of one of them: the result that shows it. */
  example: string | null;
};

export type Change = {
  state: BranchState;
  /** The runs of the newest build that count, those that failed first: up to 50. */
  legs: readonly Run[];
  /** How many there are. */
  legsTotal: number;
  causes: readonly Cause[];
  /** Causes that are not listed, because a run has more. */
  hasMore: boolean;
  /** The builds before it, the newest first, with all of their runs. */
  before: readonly (readonly Run[])[];
};

const RUNS = 100;
/** Runs of which the failures are read. */
const FAILED_RUNS = 12;
const GROUPS = 20;
const BUILDS = 20;
const LEGS = 50;

export async function readChange(api: PageApi, project_id: string, wanted: Wanted): Promise<Change> {
  const { data: runs, pagination } = await api.get('/v1/test-runs', {
    query: { project_id, per_page: RUNS, ...wanted },
  });
  const [newest = [], ...before] = buildsOf(runs) as Run[][];
  const legs = newestStarts(newest).toSorted((one, other) => rank(one) - rank(other));
  const failed = legs.filter((run) => stateOf(run) === 'failed').slice(0, FAILED_RUNS);
  const lists = await Promise.all(
    failed.map((run) =>
      orNull(api.get('/v1/test-runs/{id}/failures', { params: { id: run.id }, query: { per_page: GROUPS } })),
    ),
  );
  const causes = new Map<string, Cause>();
  for (const [n, list] of lists.entries())
    for (const { group, title, tests, new: isNew, example } of list?.data ?? []) {
      const known = causes.get(group);
      causes.set(group, {
        group,
        title,
        tests: Math.max(tests, known?.tests ?? 0),
        isNew: isNew || known?.isNew === true,
        runs: [...(known?.runs ?? []), failed[n]!],
        example: known?.example ?? example?.id ?? null,
      });
    }
  return {
    state: branchStateOf(runs, pagination.total_pages <= 1),
    legs: legs.slice(0, LEGS),
    legsTotal: legs.length,
    causes: [...causes.values()].sort(newFirst),
    hasMore:
      lists.some((list) => list !== null && list.pagination.total > GROUPS) ||
      legs.filter((run) => stateOf(run) === 'failed').length > FAILED_RUNS,
    before: before.slice(0, BUILDS),
  };
}

function newFirst(one: Cause, other: Cause): number {
  return Number(other.isNew) - Number(one.isNew) || other.runs.length - one.runs.length;
}

function rank(run: Run): number {
  const state = stateOf(run);
  return state === 'failed' ? 0 : state === 'passed' ? 2 : 1;
}
