/** A page of runs, with the run before each on its branch. */
import type { components } from '../../../client/api.generated.js';
import { instant, systemClock } from '../../../clock.js';
import { ages, sinceOf } from '../../parts/filter/vocabularies.js';
import type { Filter } from '../../parts/filter/filter.js';
import type { Order } from '../../parts/lists/sorting.js';
import type { PageApi } from '../../page-api.js';

export type Run = components['schemas']['TestRun'];

export type Runs = {
  rows: readonly { run: Run; before: Run | null }[];
  total: number;
  /** Values of the newest runs, by the fields of the filter. */
  known: Readonly<Record<string, readonly (string | null)[]>>;
  /** The list may leave out runs that match. */
  isCut: boolean;
};

export const PER_PAGE = 50;

type Asked = { values: Filter['values']; order: Order; project: string; page: number };

export async function readRuns(api: PageApi, { values, order, project, page }: Asked): Promise<Runs> {
  const { age, ...others } = values;
  const since = sinceOf(age, instant(systemClock));
  const pageAt = (page: number, filter: Filter['values']) =>
    api.get('/v1/test-runs', { query: { project_id: project, ...filter, order, page, per_page: PER_PAGE } });
  const filter = { ...others, ...(since !== undefined && { since }) };
  // A list that leaves runs out, or begins with the oldest one, does not show the run before.
  const isWhole = order === 'desc' && Object.keys(filter).every((name) => isOfLine(name));
  const [here, next, newest] = await Promise.all([
    pageAt(page, filter),
    isWhole ? pageAt(page + 1, filter) : null,
    Object.keys(filter).length === 0 ? null : pageAt(1, {}),
  ]);
  const older = next === null ? [] : [...here.data, ...next.data];
  const rows = here.data.map((run, n) => ({ run, before: runBefore(run, older.slice(n + 1)) }));
  const known = knownOf((newest ?? here).data);
  return { rows, total: here.pagination.total, known, isCut: isCut(filter) };
}

/** The runs on a branch, or in an environment, have all runs before each other. */
function isOfLine(name: string): boolean {
  return name === 'branch' || name === 'environment';
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

function knownOf(runs: readonly Run[]): Runs['known'] {
  const valuesOf = (field: 'branch' | 'tool' | 'actor' | 'pull_request' | 'environment_key') =>
    runs.map((run) => run[field]);
  return {
    branch: valuesOf('branch'),
    environment: valuesOf('environment_key'),
    tool: valuesOf('tool'),
    actor: valuesOf('actor'),
    pull_request: valuesOf('pull_request'),
    age: ages,
  };
}

/** No index serves these together (`http/surface-b/runs/run-filters.ts`). */
function isCut(filter: object): boolean {
  const names = Object.keys(filter);
  const narrowing = names.filter((name) => name !== 'status');
  if (narrowing.some((name) => ['q', 'tool', 'actor', 'since'].includes(name))) return true;
  const isByStatus = narrowing.length < names.length;
  return narrowing.length > 1 || (isByStatus && ['build', 'environment'].includes(narrowing[0] ?? ''));
}
