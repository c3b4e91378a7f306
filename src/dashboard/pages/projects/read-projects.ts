/** What the page of all projects shows: one page of them with how they stand, and the names of inactive ones. */
import type { components } from '../../../client/api.generated.js';
import { isAppError } from '../../../errors.js';
import type { PageApi } from '../../page-api.js';
import { stateOf, type RunState } from '../../../domain/runs/run-state.js';

export type Project = components['schemas']['Project'];
export type Overview = components['schemas']['ProjectOverview'];

export type Projects = {
  /** Active ones, unless the filter says otherwise. */
  listed: readonly {
    project: Project;
    overview: Overview;
    /** That of its newest completed run. */
    state: RunState | 'no_runs';
  }[];
  total: number;
  inactive: readonly Project[];
  inactiveTotal: number;
};

/** Each project on a page costs a call. */
export const PER_PAGE = 20;
const INACTIVE = 100;

/** By what the filter says. */
export async function readProjects(
  api: PageApi,
  { status, q }: Readonly<Record<string, string>>,
  page: number,
): Promise<Projects> {
  const words = q === undefined ? {} : { q };
  const [found, inactive] = await Promise.all([
    api.get('/v1/projects', {
      query: { ...words, status: status === 'inactive' ? status : 'active', page, per_page: PER_PAGE },
    }),
    status === undefined
      ? api.get('/v1/projects', { query: { ...words, status: 'inactive', per_page: INACTIVE } })
      : null,
  ]);
  const overviews = await Promise.all(
    found.data.map(({ id }) => api.get('/v1/projects/{id}/overview', { params: { id } })),
  );
  const states = await Promise.all(overviews.map(({ data }) => stateOfNewest(api, data)));
  return {
    listed: found.data.map((project, n) => ({
      project,
      overview: overviews[n]!.data,
      state: states[n]!,
    })),
    total: found.pagination.total,
    inactive: inactive?.data ?? [],
    inactiveTotal: inactive?.pagination.total ?? 0,
  };
}

/** An overview does not say of a run without an outcome whether it has results. */
async function stateOfNewest(api: PageApi, { runs: [newest] }: Overview): Promise<RunState | 'no_runs'> {
  if (newest === undefined) return 'no_runs';
  if (newest.outcome !== null) return newest.outcome;
  try {
    return stateOf((await api.get('/v1/test-runs/{id}', { params: { id: newest.id } })).data);
  } catch (error) {
    if (!isAppError(error, 'not_found')) throw error;
    // It was deleted meanwhile.
    return 'empty';
  }
}

/** The share of results that passed in a run, from 0 to 1; null where none passed or failed. */
export function passRate({ passed, failed }: { passed: number; failed: number }): number | null {
  return passed + failed === 0 ? null : passed / (passed + failed);
}

/** That of all runs together. */
export function passRateOf(runs: Overview['runs']): number | null {
  const sum = (of: 'passed' | 'failed') => runs.reduce((all, run) => all + run[of], 0);
  return passRate({ passed: sum('passed'), failed: sum('failed') });
}

/** `98.7 %`. One failure among many is not 100 %. */
export function percent(rate: number | null): string {
  if (rate === null) return '–';
  if (rate === 1) return '100 %';
  return `${(Math.floor(rate * 1_000) / 10).toFixed(1)} %`;
}
