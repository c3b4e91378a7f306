/** Surface B: reads of test runs, of both surfaces. */
import { projectDocuments } from '../../../projections/projects.js';
import { runDocuments, type RunDocument } from '../../../projections/runs.js';
import { shardDocuments } from '../../../projections/shards.js';
import { runIdOf } from '../../domain/run-key.js';
import type { FindCounted, PageQuery } from '../../queries/find-page.js';
import { findResults } from '../../queries/run-results.js';
import { ok, type Route } from '../route.js';
import type { TeamViews } from '../../queries/team-views.js';
import { findCounted, listed } from './pages.js';
import { resultData, runData } from './records.js';

export function testRunReads(views: TeamViews): Route[] {
  return [
    {
      method: 'GET',
      path: '/test-runs',
      role: 'viewer',
      query: 'TestRunsQuery',
      async handle(call) {
        const { project_id, status, run_key } = call.query;
        await call.waitForViews();
        await views.get(projectDocuments, call.key.team_id, String(project_id));
        const where = {
          project_id: String(project_id),
          ...(status !== undefined && filters[String(status)]),
        };
        const find =
          run_key === undefined
            ? findCounted(views, runDocuments)
            : findKeyed(views, call.key.team_id, String(run_key));
        return listed(call, { find, where, order: 'newest first', data: shown(views) });
      },
    },
    {
      method: 'GET',
      path: '/test-runs/:id',
      role: 'viewer',
      async handle({ key, params, waitForViews }) {
        await waitForViews();
        const run = await views.get(runDocuments, key.team_id, params['id']!);
        return ok({ data: await shown(views)(run) });
      },
    },
    {
      method: 'GET',
      path: '/test-runs/:id/results',
      role: 'viewer',
      query: 'PageQuery',
      async handle(call) {
        await call.waitForViews();
        const id = call.params['id']!;
        const find = (query: PageQuery) => findResults(views, call.key.team_id, id, query);
        return listed(call, { find, where: {}, order: 'newest last', data: resultData });
      },
    },
  ];
}

/** A run with its shards, which are in a document of their own. */
function shown(views: TeamViews) {
  return async (run: RunDocument) => {
    if (run.shard_total === undefined) return runData(run, null);
    const [shards] = await views.some(shardDocuments, run.team_id, [run.test_run_id]);
    return runData(run, { total: run.shard_total, received: shards?.received ?? [] });
  };
}

/** Finds the run with a key, if all conditions hold for it. */
function findKeyed(views: TeamViews, team: string, runKey: string): FindCounted<RunDocument> {
  return async ({ where, offset, limit }) => {
    const id = runIdOf(String(where['project_id']), runKey);
    const found: RunDocument[] = id === null ? [] : await views.some(runDocuments, team, [id]);
    const fits = ({ ...fields }: Record<string, unknown>) =>
      Object.entries(where).every(([name, value]) => fields[name] === value);
    const items = found.filter(fits);
    return { items: items.slice(offset, offset + limit), total: items.length };
  };
}

/** The condition for each word of the filter: the outcome of a run, or its status. */
const filters: Record<string, { outcome: string } | { status: string }> = {
  passed: { outcome: 'passed' },
  failed: { outcome: 'failed' },
  skipped: { outcome: 'skipped' },
  pending: { status: 'Pending' },
  running: { status: 'Running' },
  completed: { status: 'Completed' },
};
