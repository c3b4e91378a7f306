/**
 * Records one of the calls that a run with a key is made of. The items of each call have a stream of their own, so two
 * calls never mix. One append to the run's stream then makes the call take effect: after any crash, it is there as a
 * whole or not at all. Items that are there already, of a shard or of a call that is named, are not written again.
 */
import { fromUUID } from 'typeid-js';
import { environmentKeyIn, resultEnvironment, type EnvironmentKey } from '../../domain/environment.js';
import { streamName, type StreamName } from '../../domain/event.js';
import type { EventData } from '../../domain/events.js';
import { latest } from '../../domain/instant.js';
import { mustBePresent } from '../../domain/life.js';
import { attemptsOf, type ReceivedShard } from '../../domain/runs/run-calls.js';
import { filledIn, runDescription } from '../../domain/runs/run-description.js';
import { namedSubmissionId } from '../../domain/runs/run-key.js';
import { run, type Run } from '../../domain/runs/run.js';
import type { SubmitToRun } from '../../domain/runs/submissions.js';
import { textIn } from '../../domain/understood.js';
import { streamPages, type StreamReader } from '../../log/streams.js';
import type { EventLog } from '../../ports/event-log.js';
import { appendItems } from './append-items.js';
import type { CommandContext } from '../command-context.js';
import type { CommandHandler } from '../command-handler.js';
import { checkProjectTakesWrites } from '../projects.js';
import { runWithKey } from '../runs.js';
import { lineOf } from './item-lines.js';
import type { OtherItems } from '../replacing.js';
import { hasSameItems } from './same-items.js';
import type { BulkOrigin, Submission } from './submission.js';
import type { Submitted } from './submit-run.js';

type Log = Pick<EventLog, 'append' | 'readStream' | 'limits'>;

/** A submission with a run key. */
export type KeyedSubmission = Submission & { run_key: string };

/**
 * `commands` lets the commands on one stream take turns, where many calls for one run come at once.
 * @throws AppError `not_found`, `project_inactive`, `shard_exists`, `shard_total`, `shard_mixed`, `item_limit`,
 *   `event_limit`, `validation_failed`, `write_conflict`, `log_unavailable`, `overloaded`.
 */
export async function submitToRun(
  commands: CommandHandler,
  log: Log,
  context: CommandContext,
  submission: KeyedSubmission,
): Promise<Submitted> {
  const { team, ids } = context;
  const run_id = await runWithKey(commands, team, submission.project_id, submission.run_key);
  const stream = streamName('run', team, run_id);
  const own = ownSubmissionId(context, run_id, submission);
  const answered = context.resumed ? await commands.answered(run, stream, context) : null;
  if (answered !== null) {
    const made = await isFirst(log, stream, ids.event(stream, 0));
    return { ...submitted(answered, submission, own), made, repeated: false };
  }
  await checkProjectTakesWrites(commands, context, submission.project_id);

  const hashIn = openKnownHash(log, team, submission);
  const record = openItems(log, context, submission);
  let repeated = false;
  const withItems = async (before: Run): Promise<SubmitToRun> => {
    const items_hash = await hashIn(before);
    const call = { ...callOf(run_id, context, submission), submission_id: own, items_hash };
    // A call that adds nothing, or that the run refuses, must not write items.
    repeated = run.decide(call, before).every(({ type }) => type !== 'ItemsSubmitted');
    if (repeated) return call;
    return { ...call, ...(await record(before, call)) };
  };
  // The calls for one run take turns, or refuse each other's appends. The items are appended before the turn, so that the
  // calls do not wait for each other's items.
  // What another process has written meanwhile, the turn finds.
  await withItems(await commands.load(run, stream, { mayBeBehind: true }));
  let made = false;
  const { state, appended } = await commands.execute(run, stream, context, (before) => {
    made = before.life === 'none';
    return withItems(before);
  });
  return { ...submitted(state, submission, own), made: made && appended !== null, repeated };
}

function submitted(state: Run, submission: KeyedSubmission, own: string) {
  const { test_run_id: run_id, status, items } = mustBePresent(state, 'run');
  return { run_id, status, count: items, submission_id: submissionIn(state, submission, own) };
}

/** The same at each try of one request. That of a call that is named is the same for each request with its items. */
function ownSubmissionId(
  { ids }: CommandContext,
  runId: string,
  { shard, submission_key, items_hash }: KeyedSubmission,
): string {
  if (submission_key === null || shard !== null) return ids.created('run');
  return namedSubmissionId(runId, submission_key, items_hash!);
}

/**
 * The submission that has the results of a call; null for a call without results. Those of a shard may be another call's,
 * of which this one is a repeat. `own` is the submission of a call without a shard.
 */
function submissionIn(state: Run, { count, shard }: KeyedSubmission, own: string): string | null {
  if (count === 0) return null;
  if (shard === null) return own;
  const attempts = attemptsOf(mustBePresent(state, 'run').calls, shard.index);
  return attempts.find(({ attempt }) => attempt === shard.attempt)?.submission_id ?? null;
}

/** Whether an event is the first one of a stream. */
async function isFirst(log: StreamReader, stream: StreamName, id: string): Promise<boolean> {
  return (await log.readStream(stream, { limit: 1 })).events[0]?.id === id;
}

/** The command without what only the items and the run tell. */
function callOf(
  run_id: string,
  { at }: CommandContext,
  submission: KeyedSubmission,
): Omit<SubmitToRun, 'submission_id' | 'items_hash'> {
  const { project_id, run_key, shard, complete, started_at, duration_ms, report = null } = submission;
  return {
    type: 'SubmitToRun',
    at,
    run_id,
    project_id,
    run_key,
    ...runDescription(submission),
    items: submission.count,
    item_counts: submission.counts,
    replaced: 0,
    shard,
    duration_ms,
    report,
    started_at,
    // The client's clock may be ahead of ours: no run ends before it starts.
    finished_at: submission.finished_at ?? latest(started_at ?? at, at),
    complete,
  };
}

/**
 * Returns a function that gives the hash by which a run knows the items: that of its shard if it has the same items, which
 * may have been sent as other bytes.
 */
function openKnownHash(log: Log, team: string, submission: KeyedSubmission) {
  const compared = new Map<string, Promise<boolean>>();
  return async (before: Run): Promise<string | null> => {
    const { shard, items_hash } = submission;
    if (before.life !== 'present' || shard === null) return items_hash;
    const known = attemptsOf(before.calls, shard.index).find(({ attempt }) => attempt === shard.attempt);
    if (known === undefined || known.items_hash === items_hash) return items_hash;
    const same = compared.get(known.submission_id) ?? hasSameItems(log, team, submission, known);
    compared.set(known.submission_id, same);
    return (await same) ? known.items_hash : items_hash;
  };
}

type Recorded = Pick<EventData['ItemsSubmitted'], 'submission_id' | 'replaced'>;

/**
 * Returns a function that appends the items, related to those of the attempts of their shard that the run has. It
 * appends them again, under another id, only if another attempt has come meanwhile.
 */
function openItems(log: Log, context: CommandContext, submission: KeyedSubmission) {
  let last: { seen: string; recorded: Recorded } | null = null;
  return async (before: Run, call: SubmitToRun): Promise<Recorded> => {
    const others =
      before.life === 'present' && submission.shard !== null
        ? attemptsOf(before.calls, submission.shard.index)
        : [];
    const seen = others.map(({ submission_id }) => submission_id).join();
    if (last?.seen === seen) return last.recorded;
    const submission_id = seen === '' ? call.submission_id : relatedSubmissionId(context, call.run_id, seen);
    const { metadata } =
      before.life === 'present' ? filledIn(before, submission) : runDescription(submission);
    const environment = environmentKeyIn(submission.metadata) || environmentKeyIn(metadata);
    const otherItems = () => itemsOf(log, context.team, others, environment);
    const replaced = others.length === 0 ? 0 : await submission.relate(otherItems(), environment);
    const origin: BulkOrigin = {
      submission_id,
      run_id: call.run_id,
      project_id: call.project_id,
      finished_at: call.finished_at,
      branch: textIn(metadata, 'branch'),
      commit: textIn(metadata, 'commit'),
      environment,
    };
    await appendItems(log, context, submission, origin);
    last = { seen, recorded: { submission_id, replaced } };
    return last.recorded;
  };
}

/**
 * The id of a submission whose items depend on other attempts, the same at each try of one request that sees the same ones.
 */
function relatedSubmissionId({ ids, team }: CommandContext, runId: string, seen: string): string {
  return fromUUID(ids.event(`${streamName('items', team, runId)}/${seen}`, 0), 'run');
}

/**
 * The items of other attempts of a shard, a page at a time: the items of the whole run may be a million. `ofCall`: the
 * environment of the call that they are related to.
 */
async function* itemsOf(
  log: StreamReader,
  team: string,
  others: readonly ReceivedShard[],
  ofCall: EnvironmentKey,
): AsyncGenerator<OtherItems, void> {
  for (const { attempt, submission_id } of others) {
    for await (const events of streamPages(log, streamName('items', team, submission_id))) {
      const items = events.map(({ data, meta }) => {
        const { test_name, attempt, metadata } = data as EventData['ResultSubmitted'];
        const environment = resultEnvironment(meta.facts?.environment ?? '', metadata);
        return { line: lineOf(test_name, environment, ofCall), attempt };
      });
      yield {
        attempt,
        submission_id,
        first: events[0]!.revision,
        lines: items.map(({ line }) => line),
        attempts: items.map((item) => item.attempt),
      };
    }
  }
}
