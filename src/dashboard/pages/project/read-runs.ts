/** A page of runs, with the run before each on its branch. */
import type { components } from '../../../client/api.generated.js';
import type { PageApi } from '../../page-api.js';

export type Run = components['schemas']['TestRun'];

export type RunFilter = { branch: string; environment: string; outcome: string; q: string };

export type Runs = {
  rows: readonly { run: Run; before: Run | null }[];
  total: number;
  /** The branches of the runs, for the field that asks for one. */
  branches: readonly string[];
};

export const PER_PAGE = 50;
const LOOKED_THROUGH = 1_000;

/** What the API calls `status`. A text in the URL that is none of them selects nothing. */
export const outcomes = ['failed', 'passed', 'skipped', 'running', 'pending'] as const;

export function filterOf({ searchParams }: URL): RunFilter {
  const text = (name: string) => (searchParams.get(name) ?? '').trim().slice(0, 255);
  const outcome = outcomes.find((each) => each === searchParams.get('outcome')) ?? '';
  return { branch: text('branch'), environment: environmentIn(searchParams), outcome, q: text('q') };
}

/** A key of an environment, which is longer than other texts. Without one, a list is of all environments. */
export function environmentIn(params: URLSearchParams): string {
  return (params.get('environment') ?? '').trim();
}

export async function readRuns(
  api: PageApi,
  { project, page, branch, environment, outcome, q }: RunFilter & { project: string; page: number },
): Promise<Runs> {
  const pageAt = (page: number) =>
    api.get('/v1/test-runs', {
      query: {
        project_id: project,
        branch,
        // An empty one would ask for runs without an environment.
        ...(environment !== '' && { environment }),
        status: outcome,
        q,
        page,
        per_page: PER_PAGE,
      },
    });
  // A list that leaves runs out does not show the run before.
  const isWhole = outcome === '' && q === '';
  const [here, next] = await Promise.all([pageAt(page), isWhole ? pageAt(page + 1) : null]);
  const known = next === null ? [] : [...here.data, ...next.data];
  const rows = here.data.map((run, n) => ({ run, before: runBefore(run, known.slice(n + 1)) }));
  return { rows, total: here.pagination.total, branches: branchesOf(here.data) };
}

/** The newest completed run with a duration among older ones, on the same branch, of the same tool and environment. */
function runBefore({ branch, tool, environment_key }: Run, older: readonly Run[]): Run | null {
  return (
    older.find(
      (each) =>
        each.branch === branch &&
        each.tool === tool &&
        each.environment_key === environment_key &&
        each.status === 'completed' &&
        each.duration_ms !== null,
    ) ?? null
  );
}

function branchesOf(runs: readonly Run[]): string[] {
  return [...new Set(runs.flatMap(({ branch }) => branch ?? []))];
}

/** Whether the list may leave out older runs that match: a search looks through the newest ones only. */
export function isCut({ q }: RunFilter): boolean {
  return q !== '';
}

export const searchNote = `A search looks through the newest ${LOOKED_THROUGH.toLocaleString('en')} runs.`;
