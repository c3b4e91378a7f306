/** Surface A: test runs. */
import { projectDocuments } from '../../../projections/records/projects.js';
import { runDocuments } from '../../../projections/records/run-documents.js';
import { createRun, updateRun } from '../../commands/runs.js';
import { invalid } from '../../errors.js';
import { readPageToken, writePageToken } from '../page-token.js';
import { ok, targetIdOf, withBody, type Call, type Reply, type Route } from '../route.js';
import { listedRuns } from '../../queries/listed-runs.js';
import { oldRunsOf } from '../../retention/walk.js';
import type { Sources } from '../sources.js';
import { runRecord } from './records.js';

export function runRoutes({ inTurn, views, state }: Sources): Route[] {
  const update = {
    method: 'POST',
    operation: {
      id: 'updateRun',
      summary: 'Changes the fields of a run that are sent',
      answers: { 204: null },
      errors: ['project_inactive', 'event_limit', 'write_conflict'],
    },
    role: 'member',
    reporter: true,
    query: 'RunQuery',
    ...withBody('UpdateRun', async (call) => {
      await updateRun(inTurn, call.context, targetIdOf(call, 'test_run_id'), call.body);
      return { status: 204 };
    }),
  } as const satisfies Omit<Route, 'path'>;

  const get = {
    method: 'GET',
    operation: { id: 'getRun', summary: 'Shows a run', answers: { 200: 'RunRecord' } },
    role: 'viewer',
    reporter: true,
    query: 'RunQuery',
    async handle(call: Call): Promise<Reply> {
      const id = targetIdOf(call, 'test_run_id');
      await call.waitFor('records');
      const found = await views.get(runDocuments, call.key, id);
      return ok(runRecord(found, found));
    },
  } as const satisfies Omit<Route, 'path'>;

  return [
    {
      method: 'POST',
      path: '/run/',
      operation: {
        id: 'createRun',
        summary: 'Creates a run, or finds the one with the run key',
        answers: { 200: 'RunRecord' },
        errors: ['not_found', 'project_inactive', 'event_limit', 'write_conflict'],
      },
      role: 'member',
      reporter: true,
      query: 'RunQuery',
      ...withBody('CreateRun', async (call) => {
        const { record, made } = await createRun(inTurn, call.context, call.body);
        if (made) return ok(runRecord(record));
        // The counts of a run that was there are only in the views, which may not have it yet.
        await call.waitFor('records');
        const [found] = await views.some(runDocuments, call.key, [record.test_run_id]);
        return ok(runRecord(record, found));
      }),
    },
    { ...update, path: '/run/', withQuery: 'test_run_id' },
    { ...update, path: '/run/:test_run_id' },
    { ...get, path: '/run/', withQuery: 'test_run_id' },
    { ...get, path: '/run/:test_run_id' },
    {
      method: 'GET',
      path: '/run/',
      operation: {
        id: 'listRuns',
        summary: 'Lists the runs of a project, newest first',
        answers: { 200: { itemsByToken: 'RunRecord' } },
        errors: ['not_found'],
      },
      role: 'viewer',
      reporter: true,
      query: 'RunsQuery',
      async handle({ key, query, waitFor }) {
        const { project_id, status } = query;
        if (project_id === undefined) {
          invalid('?project_id', 'required', 'is required where there is no test_run_id');
        }
        const list = ['runs', String(project_id), String(status ?? '')];
        const after = readPageToken(list, query['page_token']);
        await waitFor('records');
        const project = await views.get(projectDocuments, key, String(project_id));
        const where = { project_id, ...(status !== undefined && { status }) };
        const old = await oldRunsOf(state, project);
        const { items, next } = await listedRuns(views, where, old, {
          limit: Number(query['page_size']),
          after,
        });
        return ok({
          items: items.map((each) => runRecord(each, each)),
          page_token: writePageToken(list, next),
        });
      },
    },
  ];
}
