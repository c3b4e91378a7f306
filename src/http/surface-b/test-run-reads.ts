/** Surface B: reads of test runs, of both surfaces. */
import { projectDocuments } from '../../../projections/projects.js';
import { runDocuments, type RunDocument } from '../../../projections/runs.js';
import type { Comparisons } from '../../queries/comparisons.js';
import { lookedThroughPoints } from '../request-cost.js';
import { ok, type Route } from '../route.js';
import type { TeamViews } from '../../queries/team-views.js';
import { listed } from './pages.js';
import { runData } from './records.js';
import { findRuns, runFilterOf } from './run-filters.js';

/** A run shows what its comparison says, which is in the read models of the outbox: these routes wait for both. */
export function testRunReads(views: TeamViews, comparisons: Comparisons): Route[] {
  async function runsData(team: string, runs: readonly RunDocument[]) {
    const insights = await comparisons.insights(
      team,
      runs.map(({ test_run_id }) => test_run_id),
    );
    return runs.map((run, n) => ({ ...runData(run), ...insights[n] }));
  }

  return [
    {
      method: 'GET',
      path: '/test-runs',
      role: 'viewer',
      query: 'TestRunsQuery',
      async handle(call) {
        await call.waitForViews();
        await views.get(projectDocuments, call.key.team_id, String(call.query['project_id']));
        const { where, others } = runFilterOf(call.query);
        const find = findRuns(views, others, (runs) => call.rate.charge(lookedThroughPoints(runs)));
        return listed(call, {
          find,
          where,
          order: 'newest first',
          data: runData,
          pageData: (runs) => runsData(call.key.team_id, runs),
        });
      },
    },
    {
      method: 'GET',
      path: '/test-runs/:id',
      role: 'viewer',
      async handle({ key, params, waitForViews }) {
        await waitForViews();
        const run = await views.get(runDocuments, key.team_id, params['id']!);
        return ok({ data: (await runsData(key.team_id, [run]))[0] });
      },
    },
  ];
}
