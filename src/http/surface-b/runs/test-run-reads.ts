/** Surface B: reads of test runs, of both surfaces. */
import { projectDocuments } from '../../../../projections/records/projects.js';
import { runDocuments, type RunDocument } from '../../../../projections/records/run-documents.js';
import { shardDocuments } from '../../../../projections/records/shards.js';
import { wholeTeam } from '../../../domain/teams/access.js';
import type { Comparisons } from '../../../queries/comparisons.js';
import { lookedThroughPoints } from '../../backpressure/request-cost.js';
import { ok, type Route } from '../../route.js';
import type { TeamViews } from '../../../queries/team-views.js';
import type { Sources } from '../../sources.js';
import { listed } from '../pages.js';
import { runData } from '../records.js';
import { oldRunsOf } from '../../../retention/walk.js';
import { findKeyed, findRuns, runFilterOf } from './run-filters.js';

/** A run shows what its comparison says, which belongs to the history. */
export function testRunReads({ views, comparisons, state }: Sources): Route[] {
  const show = showingRuns(views, comparisons);
  return [
    {
      method: 'GET',
      path: '/test-runs',
      operation: {
        id: 'listTestRuns',
        summary: 'Lists the runs of a project, newest first',
        answers: { 200: { page: 'TestRun' } },
        errors: ['not_found'],
      },
      role: 'viewer',
      reporter: true,
      query: 'TestRunsQuery',
      async handle(call) {
        await call.waitFor('records', 'history');
        const { project_id, run_key } = call.query;
        const team = call.key.team_id;
        const project = await views.get(projectDocuments, call.key, String(project_id));
        const old = await oldRunsOf(state, project);
        const { where, ...rest } = runFilterOf(call.query);
        const find =
          run_key === undefined
            ? findRuns(views, rest, (runs) => call.rate.charge(lookedThroughPoints(runs)), old)
            : findKeyed(views, call.key, String(run_key), rest);
        return listed(call, {
          find,
          where,
          order: call.query['order'] === 'asc' ? 'newest last' : 'newest first',
          records: async (runs) => (await show(team, runs)).map(({ gate_settings: _, ...run }) => run),
        });
      },
    },
    {
      method: 'GET',
      path: '/test-runs/:id',
      operation: { id: 'getTestRun', summary: 'Shows a run', answers: { 200: { data: 'TestRun' } } },
      role: 'viewer',
      reporter: true,
      asOf: 'run',
      query: 'AsOfQuery',
      async handle({ key, params, waitFor }) {
        await waitFor('records', 'history');
        const run = await views.get(runDocuments, key, params['id']!);
        const [data] = await show(key.team_id, [run]);
        return ok({ data });
      },
    },
  ];
}

/** Shows runs with their shards and what their comparisons say, which are in documents of their own. */
export function showingRuns(views: TeamViews, comparisons: Comparisons) {
  return async (team: string, runs: readonly RunDocument[]) => {
    const ids = runs.map(({ test_run_id }) => test_run_id);
    const sharded = runs.filter(({ shard_total }) => shard_total !== undefined);
    const [insights, shards] = await Promise.all([
      comparisons.insights(team, ids),
      views.some(
        shardDocuments,
        wholeTeam(team),
        sharded.map(({ test_run_id }) => test_run_id),
      ),
    ]);
    const received = new Map(shards.map((one) => [one.run_id, one.received]));
    return runs.map((run, n) => {
      const { test_run_id, shard_total: total } = run;
      const ofRun = total === undefined ? null : { total, received: received.get(test_run_id) ?? [] };
      return { ...runData(run, ofRun), ...insights[n] };
    });
  };
}
