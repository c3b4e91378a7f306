/** Recording a result: the one command that looks at four streams (its project, its run, what it retries, its own). */
import { streamName } from '../domain/event.js';
import { mustTakeWrites, project } from '../domain/project.js';
import {
  mustBeInstants,
  result,
  type Result,
  type ResultCommand,
  type ResultRecord,
  type ResultStatus,
} from '../domain/result.js';
import { run, textFromMetadata, type Metadata, type RunRecord } from '../domain/run.js';
import { fail, invalid } from '../errors.js';
import type { CommandContext, Ledger } from './ledger.js';
import { LEASE_MS } from '../leases/lease.js';
import { nameOf } from '../domain/team-streams.js';

export type NewResult = {
  project_id: string;
  test_run_id?: string | null;
  test_name: string;
  status: ResultStatus;
  started_at?: string | null;
  metadata?: Metadata | null;
  attempt?: number;
  retry_of?: string;
};

/** A result with what stands elsewhere: its run's present label, and the retry that superseded it. */
export type ResultView = ResultRecord & { test_run_label: string | null; superseded_by: string | null };

/** @throws LedgerError `not_found`, `validation_failed`, `project_inactive`, `already_superseded`. */
export async function recordResult(
  ledger: Ledger,
  context: CommandContext,
  wanted: NewResult,
): Promise<ResultView> {
  const { team } = context;
  const id = context.ids.created('result');
  const stream = streamName('result', team, id);
  if (context.resumed) {
    const answered = await ledger.answered(result, stream, context);
    if (answered?.life === 'present') return viewResult(ledger, team, answered);
  }
  if (wanted.retry_of !== undefined && wanted.test_run_id == null) {
    invalid('/retry_of', 'needs_run', 'needs a test_run_id');
  }
  // Before anything is claimed: a request that is refused must not stand in the way of the next retry.
  mustBeInstants({ started_at: wanted.started_at ?? null, finished_at: null }, context.at);
  const finding =
    wanted.test_run_id == null ? null : runOf(ledger, team, wanted.test_run_id, wanted.project_id);
  // Looked for at the same time, and told of after its project.
  finding?.catch(() => undefined);
  const parent = await ledger.load(project, nameOf('project', team, wanted.project_id));
  if (!parent.exists) fail('not_found', 'There is no such project.');
  const within = await finding;
  const former =
    wanted.retry_of === undefined ? null : await retryable(ledger, team, wanted.retry_of, wanted);
  mustTakeWrites(parent);
  if (former !== null) await claimRetry(ledger, context, former, id);

  const { state } = await ledger.execute(
    result,
    stream,
    context,
    {
      type: 'CreateResult',
      at: context.at,
      data: {
        result_id: id,
        project_id: wanted.project_id,
        run_id: within?.test_run_id ?? null,
        test_name: wanted.test_name,
        status: wanted.status,
        started_at: wanted.started_at ?? null,
        metadata: wanted.metadata ?? null,
        attempt: wanted.attempt ?? Math.min((former?.attempt ?? 0) + 1, 1_000),
        retry_of: former?.test_result_id ?? null,
        run_branch: textFromMetadata(within?.metadata, 'branch'),
        run_commit: textFromMetadata(within?.metadata, 'commit'),
      },
    },
    { fresh: true },
  );
  if (state.life !== 'present') fail('write_conflict', 'Another retry took over; try again.');
  return { ...state, test_run_label: within?.label ?? null, superseded_by: null };
}

/**
 * Decides on a result whose project takes writes; answers the result as it is then.
 * @throws LedgerError `not_found`, `project_inactive`, and what the decider refuses.
 */
export async function changeResult(
  ledger: Ledger,
  context: CommandContext,
  id: string,
  command: ResultCommand,
): Promise<Result> {
  const { team } = context;
  const { state } = await ledger.execute(result, nameOf('result', team, id), context, async (present) => {
    if (present.life !== 'present') fail('not_found', 'There is no such result.');
    // A fault of the request itself is told before that the project takes none.
    result.decide(command, present);
    mustTakeWrites(await ledger.load(project, streamName('project', team, present.project_id)));
    return command;
  });
  return state;
}

/** The record of a result as its stream has it. @throws LedgerError `not_found`. */
export async function viewResult(ledger: Ledger, team: string, state: Result): Promise<ResultView> {
  if (state.life !== 'present') fail('not_found', 'There is no such result.');
  const { test_run_id, claim } = state;
  const within = test_run_id === null ? null : await ledger.load(run, streamName('run', team, test_run_id));
  const retry = claim === null ? null : await ledger.load(result, streamName('result', team, claim.by));
  return {
    ...state,
    test_run_label: within?.exists ? within.label : null,
    superseded_by: retry?.life === 'present' ? retry.test_result_id : null,
  };
}

async function runOf(ledger: Ledger, team: string, id: string, projectId: string): Promise<RunRecord> {
  const found = await ledger.load(run, nameOf('run', team, id));
  if (!found.exists) fail('not_found', 'There is no such run.');
  if (found.project_id !== projectId)
    invalid('/test_run_id', 'other_project', 'must be a run of the same project');
  return found;
}

type Present = Extract<Result, { life: 'present' }>;

async function retryable(ledger: Ledger, team: string, id: string, wanted: NewResult): Promise<Present> {
  const former = await ledger.load(result, nameOf('result', team, id));
  if (former.life !== 'present') fail('not_found', 'There is no such result to retry.');
  if (former.test_run_id !== wanted.test_run_id || former.test_name !== wanted.test_name) {
    invalid('/retry_of', 'other_test', 'must be an earlier result of the same run and test name');
  }
  return former;
}

/**
 * Takes the right to retry: at most one result supersedes another, whatever crashes. A claim whose result was
 * deleted has lapsed; one whose result was never recorded lapses after the time that a live request may take,
 * and its id is voided first, so that a late writer finds it taken.
 */
async function claimRetry(
  ledger: Ledger,
  context: CommandContext,
  former: Present,
  id: string,
): Promise<void> {
  let lapsed: string | null = null;
  if (former.claim !== null && former.claim.by !== id) {
    const holder = streamName('result', context.team, former.claim.by);
    let held = await ledger.load(result, holder);
    const abandoned = Date.parse(former.claim.at) + LEASE_MS < Date.parse(context.at);
    if (held.life === 'none' && abandoned) {
      const voided = await ledger.execute(result, holder, context, {
        type: 'VoidResult',
        result_id: former.claim.by,
      });
      held = voided.state;
    }
    if (held.life === 'gone') lapsed = former.claim.by;
  }
  const stream = streamName('result', context.team, former.test_result_id);
  await ledger.execute(result, stream, context, { type: 'ClaimRetry', retry_id: id, lapsed });
}
