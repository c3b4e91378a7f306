/**
 * The commands on results. To record one takes four streams: its project, its run, the result that it retries, its own.
 */
import { environmentKeyIn, resultEnvironment, type EnvironmentKey } from '../domain/environment.js';
import { streamName } from '../domain/event.js';
import { mustBePresent } from '../domain/life.js';
import { mustTakeWrites, project } from '../domain/project.js';
import {
  failRedacted,
  result,
  type PresentResult,
  type Result,
  type ResultCommand,
  type ResultRecord,
  type ResultStatus,
} from '../domain/results/result.js';
import { checkInstants } from '../domain/results/result-instants.js';
import { run, type Metadata, type RunRecord } from '../domain/runs/run.js';
import type { BeginningFacts } from '../domain/test-history/result-facts.js';
import { textIn } from '../domain/understood.js';
import { streamNameOf } from '../domain/teams/team-streams.js';
import { fail, invalid } from '../errors.js';
import { limits } from '../limits.js';
import { seenBy, type CommandContext } from './command-context.js';
import type { CommandHandler } from './command-handler.js';
import { checkProjectTakesWrites } from './projects.js';
import { replacementOf } from './shard-reruns.js';
import { LEASE_MS } from '../leases/lease.js';
import type { StreamReader } from '../log/streams.js';
import type { Contents } from '../ports/contents.js';

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

/** A result with the fields that other streams hold: the label of its run, and the retry that superseded it. */
export type ResultView = ResultRecord & { test_run_label: string | null; superseded_by: string | null };

/** @throws AppError `validation_failed`, `not_found`, `project_inactive`, `already_superseded`, `write_conflict`. */
export async function recordResult(
  commands: CommandHandler,
  log: StreamReader,
  context: CommandContext,
  wanted: NewResult,
): Promise<ResultView> {
  const { team, at } = context;
  const { project_id, test_run_id = null, test_name, status, started_at = null, metadata = null } = wanted;
  const id = context.ids.created('result');
  const stream = streamName('result', team, id);
  if (context.resumed) {
    const answered = await commands.answered(result, stream, context);
    if (answered?.life === 'present') return viewResult(commands, team, answered);
  }
  if (wanted.retry_of !== undefined && test_run_id === null) {
    invalid('/retry_of', 'needs_run', 'needs a test_run_id');
  }
  // Before a retry is claimed: a refused request must not block the next retry.
  checkInstants({ started_at, finished_at: null }, at);
  const loading = test_run_id === null ? null : runOf(commands, context, test_run_id, project_id);
  // The run is read at the same time as its project. A missing project is refused before a missing run.
  loading?.catch(() => undefined);
  const parent = mustBePresent(
    seenBy(context, await commands.load(project, streamNameOf('project', team, project_id))),
    'project',
  );
  const within = await loading;
  const former =
    wanted.retry_of === undefined ? null : await retryable(commands, context, wanted.retry_of, wanted);
  if (former !== null) mustBeSameEnvironment(former, metadata);
  mustTakeWrites(parent);
  if (former !== null) await claimRetry(commands, log, context, former, id);

  const data = {
    result_id: id,
    project_id,
    run_id: within?.test_run_id ?? null,
    test_name,
    status,
    started_at,
    metadata,
    attempt: wanted.attempt ?? Math.min((former?.attempt ?? 0) + 1, limits.attempts),
    retry_of: former?.test_result_id ?? null,
    run_branch: textIn(within?.metadata, 'branch'),
    run_commit: textIn(within?.metadata, 'commit'),
  };
  const facts: BeginningFacts = {};
  const environment = callEnvironment(former, within);
  const shard_attempt = former?.context?.shard_attempt ?? null;
  if (environment !== '') facts.environment = environment;
  if (shard_attempt !== null) facts.shard_attempt = shard_attempt;
  const command = { type: 'CreateResult', at, data, facts } as const;
  const { state } = await commands.execute(result, stream, context, command, { newStream: true });
  if (state.life !== 'present') fail('write_conflict', 'Another retry took over. Try again.');
  // The new fields stand first: behind the spread they would make a hash table of the copy (docs/decisions/033).
  return { test_run_label: within?.label ?? null, superseded_by: null, ...state };
}

/**
 * Decides on a result and returns its new state. A refusal by the decider comes before that of an inactive project.
 * @throws AppError of the decider; `not_found`, `project_inactive`, `redacted`.
 */
export async function changeResult(
  commands: CommandHandler,
  context: CommandContext,
  { id, marked }: { id: string; marked: Contents['marked'] },
  command: ResultCommand,
): Promise<Result> {
  const { team } = context;
  const { state } = await commands.execute(result, streamNameOf('result', team, id), context, command, {
    async check(before) {
      await checkProjectTakesWrites(commands, context, mustBePresent(before, 'result').project_id);
      // One that was redacted with its run has no event of that.
      if ((await marked([id])).has(id)) failRedacted();
    },
  });
  return state;
}

/** Returns the view of a result from its state. @throws AppError `not_found`. */
export async function viewResult(commands: CommandHandler, team: string, state: Result): Promise<ResultView> {
  const present = mustBePresent(state, 'result');
  const { test_run_id, claim } = present;
  const within = test_run_id === null ? null : await commands.load(run, streamName('run', team, test_run_id));
  const retry = claim === null ? null : await commands.load(result, streamName('result', team, claim.by));
  return {
    test_run_label: within?.life === 'present' ? within.label : null,
    superseded_by: retry?.life === 'present' ? retry.test_result_id : null,
    ...present,
  };
}

async function runOf(
  commands: CommandHandler,
  context: CommandContext,
  id: string,
  projectId: string,
): Promise<RunRecord> {
  const state = await commands.load(run, streamNameOf('run', context.team, id));
  const found = mustBePresent(seenBy(context, state), 'run');
  if (found.project_id !== projectId) {
    invalid('/test_run_id', 'other_project', 'must be a run of the same project');
  }
  return found;
}

async function retryable(
  commands: CommandHandler,
  context: CommandContext,
  id: string,
  wanted: NewResult,
): Promise<PresentResult> {
  const stream = streamNameOf('result', context.team, id);
  const former = seenBy(context, await commands.load(result, stream));
  if (former.life !== 'present') fail('not_found', 'There is no such result to retry.');
  if (former.test_run_id !== wanted.test_run_id || former.test_name !== wanted.test_name) {
    invalid('/retry_of', 'other_test', 'must be an earlier result of the same run and test name');
  }
  return former;
}

/** A retry is of the call that brought the result, whatever other calls say of the run. */
function callEnvironment(former: PresentResult | null, within: RunRecord | null): EnvironmentKey {
  return former === null ? environmentKeyIn(within?.metadata) : (former.context?.run_environment ?? '');
}

/** Else a pass on Linux would hide a failure on Windows. */
function mustBeSameEnvironment(former: PresentResult, metadata: Metadata | null): void {
  const ofCall = former.context?.run_environment ?? '';
  const environment = resultEnvironment(ofCall, former.metadata);
  if (resultEnvironment(ofCall, metadata) === environment) return;
  const shown = environment === '' ? 'has none' : `is ${environment}`;
  invalid('/retry_of', 'other_environment', `must be a result of the same environment, which ${shown}`);
}

/**
 * Claims the right to retry, so that at most one result supersedes another, whatever crashes. A claim lapses when the
 * result of its retry is deleted. If that result was never recorded, the claim lapses after the time that a live
 * request may take. Its id is voided first, so that a late writer cannot use it any more.
 */
async function claimRetry(
  commands: CommandHandler,
  log: StreamReader,
  context: CommandContext,
  former: PresentResult,
  id: string,
): Promise<void> {
  if (former.claim?.by !== id) {
    const by = await replacementOf(commands, log, context.team, former);
    if (by !== null)
      fail('already_superseded', `The shard ran again, and ${by} superseded the result: retry that one.`);
  }
  let lapsed: string | null = null;
  if (former.claim !== null && former.claim.by !== id) {
    const holder = streamName('result', context.team, former.claim.by);
    let held = await commands.load(result, holder);
    const abandoned = Date.parse(former.claim.at) + LEASE_MS < Date.parse(context.at);
    if (held.life === 'none' && abandoned) {
      const voided = await commands.execute(result, holder, context, {
        type: 'VoidResult',
        result_id: former.claim.by,
      });
      held = voided.state;
    }
    if (held.life === 'gone') lapsed = former.claim.by;
  }
  const stream = streamName('result', context.team, former.test_result_id);
  await commands.execute(result, stream, context, { type: 'ClaimRetry', retry_id: id, lapsed });
}
