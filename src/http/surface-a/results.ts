/** Surface A: test results. */
import type { ResultDocument } from '../../../projections/records/run-documents.js';
import { deleteResult } from '../../commands/delete-result.js';
import type { CommandHandler } from '../../commands/command-handler.js';
import { changeResult, recordResult, viewResult } from '../../commands/results.js';
import { streamName } from '../../domain/event.js';
import { normaliseInstant } from '../../domain/instant.js';
import type { ResultCommand, ResultStatus } from '../../domain/results/result.js';
import { checkInstants } from '../../domain/results/result-instants.js';
import { run } from '../../domain/runs/run.js';
import { invalid, isUnavailable } from '../../errors.js';
import { readPageToken, writePageToken } from '../page-token.js';
import { withRoomForMessages } from '../bodies/long-messages.js';
import { ok, targetIdOf, withBody, type Call, type Reply, type Route } from '../route.js';
import { findResult, findResults, replacerOf } from '../../queries/results/run-results.js';
import type { TeamViews } from '../../queries/team-views.js';
import type { Sources } from '../sources.js';
import { resultRecord } from './records.js';

export function resultRoutes({ commands, inTurn, log, views, contents, state }: Sources): Route[] {
  const update = {
    method: 'POST',
    operation: {
      id: 'updateResult',
      summary: 'Changes the fields of a result that are sent',
      answers: { 200: 'ResultRecord' },
      errors: ['project_inactive', 'redacted', 'event_limit', 'write_conflict'],
    },
    role: 'member',
    reporter: true,
    query: 'ResultQuery',
    ...withBody('UpdateResult', (call) => {
      const instants = instantsOf(call.body);
      const changes = { ...call.body, ...instants };
      checkInstants({ started_at: null, finished_at: null, ...instants }, call.context.at, instants);
      return changed(inTurn, views, call, (at) => ({ type: 'UpdateResult', at, changes }));
    }),
  } as const satisfies Omit<Route, 'path'>;

  const remove = {
    method: 'DELETE',
    operation: {
      id: 'deleteResult',
      summary: 'Deletes a result with its artifacts',
      answers: { 200: 'DeletedResult' },
      errors: ['project_inactive', 'event_limit', 'write_conflict'],
    },
    role: 'member',
    query: 'ResultQuery',
    async handle(call: Call): Promise<Reply> {
      const id = targetIdOf(call, 'test_result_id');
      await deleteResult(commands, { log, forgetting: { contents, state } }, call.context, id);
      return ok({ test_result_id: id, deleted: true });
    },
  } as const satisfies Omit<Route, 'path'>;

  const get = {
    method: 'GET',
    operation: { id: 'getResult', summary: 'Shows a result', answers: { 200: 'ResultRecord' } },
    role: 'viewer',
    reporter: true,
    query: 'ResultQuery',
    async handle(call: Call): Promise<Reply> {
      const id = targetIdOf(call, 'test_result_id');
      const current = await call.waitFor('records');
      const { team_id } = call.key;
      const { result, run: within } = await findResult(views, call.key, id, current);
      return ok(
        resultRecord(result, current ? await labelOf(commands, team_id, result) : (within?.label ?? null)),
      );
    },
  } as const satisfies Omit<Route, 'path'>;

  return [
    {
      method: 'POST',
      path: '/result/',
      operation: {
        id: 'createResult',
        summary: 'Creates a result',
        answers: { 200: 'ResultRecord' },
        errors: ['not_found', 'already_superseded', 'project_inactive', 'event_limit', 'write_conflict'],
      },
      role: 'member',
      reporter: true,
      ...withBody('CreateResult', async ({ context, body }) => {
        const recorded = await recordResult(commands, log, context, { ...body, ...instantsOf(body) });
        return ok(resultRecord(recorded, recorded.test_run_label));
      }),
    },
    { ...update, path: '/result/', withQuery: 'test_result_id' },
    { ...update, path: '/result/:test_result_id' },
    {
      method: 'POST',
      path: '/result/:test_result_id/start',
      operation: {
        id: 'startResult',
        summary: 'Starts a result now',
        answers: { 200: 'ResultRecord' },
        errors: ['project_inactive', 'redacted', 'event_limit', 'write_conflict'],
      },
      role: 'member',
      reporter: true,
      handle: (call) => changed(inTurn, views, call, (at) => ({ type: 'StartResult', at })),
    },
    {
      method: 'POST',
      path: '/result/:test_result_id/finish',
      operation: {
        id: 'finishResult',
        summary: 'Finishes a result now',
        answers: { 200: 'ResultRecord' },
        errors: ['project_inactive', 'redacted', 'event_limit', 'write_conflict'],
      },
      role: 'member',
      reporter: true,
      ...withBody('FinishResult', (call) =>
        changed(inTurn, views, call, (at) => ({ type: 'FinishResult', at, ...call.body })),
      ),
    },
    { ...remove, path: '/result/', withQuery: 'test_result_id' },
    { ...remove, path: '/result/:test_result_id' },
    { ...get, path: '/result/', withQuery: 'test_result_id' },
    { ...get, path: '/result/:test_result_id' },
    {
      method: 'GET',
      path: '/result/',
      operation: {
        id: 'listResults',
        summary: 'Lists the results of a run in order of creation',
        answers: { 200: { itemsByToken: 'ResultRecord' } },
        errors: ['not_found'],
      },
      role: 'viewer',
      reporter: true,
      query: 'ResultsQuery',
      handle: (call) => listResults(views, call),
    },
  ];
}

async function changed(
  commands: CommandHandler,
  views: TeamViews,
  call: Omit<Call, 'body'>,
  command: (at: string) => ResultCommand,
): Promise<Reply> {
  const { context } = call;
  const id = targetIdOf(call, 'test_result_id');
  const state = await changeResult(
    commands,
    context,
    { id, marked: views.contents.marked },
    command(context.at),
  );
  const { test_run_label, ...view } = await viewResult(commands, context.team, state);
  const superseded_by = view.superseded_by ?? (await replacerOf(views, call.key, id).catch(unlessAway));
  return ok(resultRecord({ ...view, superseded_by }, test_run_label));
}

/** The change is recorded, so it must be answered though the views are unavailable. */
function unlessAway(error: unknown): null {
  if (isUnavailable(error)) return null;
  throw error;
}

/** The instants that the client sent, in the form in which they are stored. */
function instantsOf(body: { started_at?: string | null; finished_at?: string | null }) {
  const given: { started_at?: string | null; finished_at?: string | null } = {};
  if (body.started_at !== undefined) given.started_at = body.started_at && normaliseInstant(body.started_at);
  if (body.finished_at !== undefined)
    given.finished_at = body.finished_at && normaliseInstant(body.finished_at);
  return given;
}

/**
 * The present label of a result's run. It comes from the run's stream, whose state is kept in memory: a second document
 * would cost a GET as much as the first. If the views are behind or the log is unavailable, it comes from the views.
 */
async function labelOf(
  commands: CommandHandler,
  team: string,
  { test_run_id }: Pick<ResultDocument, 'test_run_id'>,
): Promise<string | null> {
  if (test_run_id === null) return null;
  const within = await commands.load(run, streamName('run', team, test_run_id));
  return within.life === 'present' ? within.label : null;
}

async function listResults(views: TeamViews, { key, query, waitFor }: Call): Promise<Reply> {
  const { test_run_id, status } = query;
  if (test_run_id === undefined) {
    invalid('?test_run_id', 'required', 'is required where there is no test_result_id');
  }
  const list = ['results', String(test_run_id), String(status ?? '')];
  const after = readPageToken(list, query['page_token']);
  await waitFor('records');
  const {
    run: within,
    items,
    next,
  } = await findResults(views, key, String(test_run_id), {
    status: status as ResultStatus | undefined,
    after,
    limit: Number(query['page_size']),
  });
  return ok({
    items: withRoomForMessages(items).map((each) => resultRecord(each, within.label)),
    page_token: writePageToken(list, next),
  });
}
