/** Surface A: test runs. */
import type { RunDocument } from '../../../projections/runs.js';
import type { Ledger } from '../../core/ledger.js';
import { nameOf } from '../../core/results.js';
import { streamName } from '../../domain/event.js';
import { mustTakeWrites, project } from '../../domain/project.js';
import { run, type RunCommand } from '../../domain/run.js';
import { fail, invalid } from '../../errors.js';
import { readPageToken, writePageToken } from '../page-token.js';
import { ok, subjectOf, taking, type Call, type Reply, type Route } from '../route.js';
import type { TeamViews } from '../views.js';
import { runRecord } from './records.js';

export function runRoutes(ledger: Ledger, views: TeamViews): Route[] {
  const update = {
    method: 'POST',
    role: 'member',
    query: 'RunQuery',
    ...taking('UpdateRun', async (call) => {
      const { team, at } = call.context;
      const stream = nameOf('run', team, subjectOf(call, 'test_run_id'));
      await ledger.execute(run, stream, call.context, async (state): Promise<RunCommand> => {
        if (!state.exists) fail('not_found', 'There is no such run.');
        mustTakeWrites(await ledger.load(project, streamName('project', team, state.project_id)));
        return { type: 'UpdateRun', at, ...call.body };
      });
      return { status: 204 };
    }),
  } as const satisfies Omit<Route, 'path'>;

  const get = {
    method: 'GET',
    role: 'viewer',
    query: 'RunQuery',
    async handle(call: Call): Promise<Reply> {
      const id = subjectOf(call, 'test_run_id');
      await call.fresh();
      const found = await views.run(call.key.team_id, id);
      return ok(runRecord(found, found));
    },
  } as const satisfies Omit<Route, 'path'>;

  return [
    {
      method: 'POST',
      path: '/run/',
      role: 'member',
      query: 'RunQuery',
      ...taking('CreateRun', async ({ context, body }) => {
        const { team, ids } = context;
        const run_id = ids.created('run');
        const command = async (): Promise<RunCommand> => {
          mustTakeWrites(await ledger.load(project, nameOf('project', team, body.project_id)));
          const { label = null, metadata = null, project_id } = body;
          return { type: 'CreateRun', run_id, project_id, label, metadata };
        };
        const stream = streamName('run', team, run_id);
        const { state } = await ledger.execute(run, stream, context, command, { fresh: true });
        if (!state.exists) fail('internal', 'A run that was created is not there.');
        return ok(runRecord(state));
      }),
    },
    { ...update, path: '/run/', withQuery: 'test_run_id' },
    { ...update, path: '/run/:test_run_id' },
    { ...get, path: '/run/', withQuery: 'test_run_id' },
    { ...get, path: '/run/:test_run_id' },
    {
      method: 'GET',
      path: '/run/',
      role: 'viewer',
      query: 'RunsQuery',
      async handle({ key, query, fresh }) {
        const { project_id, status } = query;
        if (project_id === undefined) {
          invalid('?project_id', 'required', 'is required where there is no test_run_id');
        }
        const list = ['runs', String(project_id), String(status ?? '')];
        const after = readPageToken(list, query['page_token']);
        await fresh();
        await views.project(key.team_id, String(project_id));
        const { items, next } = await views.find<RunDocument>('runs', {
          where: { project_id, ...(status !== undefined && { status }) },
          sort: { field: 'created_position', direction: 'descending' },
          limit: Number(query['page_size']),
          ...(after && { after }),
        });
        return ok({
          items: items.map((each) => runRecord(each, each)),
          page_token: writePageToken(list, next),
        });
      },
    },
  ];
}
