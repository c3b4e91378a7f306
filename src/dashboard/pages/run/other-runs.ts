/** The runs with which a run can be compared: those of its tool, of one branch or of all. */
import type { PageApi } from '../../page-api.js';
import type { Run } from './read-run.js';

export type OtherRuns = {
  /** The branch that was asked for; empty for none. */
  branch: string;
  /** Those of the branch; without one, of all branches. Newest first. */
  runs: readonly Run[];
  /** The newest one of the branch, a completed one where there is one; null where nothing or no such branch was asked for. */
  newest: Run | null;
  /** The branches of the newest runs of the project, each with its newest run. */
  branches: readonly { name: string; newest: Run }[];
};

const LOOKED_THROUGH = 100;
const RUNS = 20;
const BRANCHES = 12;

export async function readOtherRuns(api: PageApi, run: Run, branch: string): Promise<OtherRuns> {
  const runsOf = async (of?: string): Promise<Run[]> => {
    const query = { project_id: run.project_id, branch: of, per_page: LOOKED_THROUGH };
    const { data } = await api.get('/v1/test-runs', { query });
    return data.filter(({ id, tool }) => id !== run.id && tool === run.tool);
  };
  const [all, own] = await Promise.all([runsOf(), branch === '' ? null : runsOf(branch)]);
  return {
    branch,
    runs: (own ?? all).slice(0, RUNS),
    newest: own?.find(({ status }) => status === 'completed') ?? own?.[0] ?? null,
    branches: branchesOf(all).slice(0, BRANCHES),
  };
}

/** In the order of their newest runs. */
function branchesOf(runs: readonly Run[]): OtherRuns['branches'][number][] {
  const found = new Map<string, Run>();
  for (const run of runs) if (run.branch !== null && !found.has(run.branch)) found.set(run.branch, run);
  return [...found].map(([name, newest]) => ({ name, newest }));
}
