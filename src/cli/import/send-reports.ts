/** Sends the results of reports as one run, in one call or several, and the files of its results. */
import { TestledgerError, type Client, type SubmittedRun } from '../../client/index.js';
import { limits } from '../../limits.js';
import { failWith } from '../errors.js';
import type { Call, Calls } from './calls.js';
import type { RunDescription } from './describe-run.js';
import { idsBefore } from './missing-files.js';
import { completeRun, describeOnServer, keyOf, submitCall, type CallSent } from './submit-call.js';
import type { Survey } from './survey.js';
import { uploadFiles, uploadsOf, type LeftOut } from './upload-files.js';

export type Sending = {
  client: Client;
  project: string;
  survey: Survey;
  description: RunDescription;
  /** Whether this command is the last one of a run without shards. */
  complete: boolean;
  calls: Calls;
  /** Null: no file that a report names is uploaded. */
  attachmentsRoot: string | null;
  /** The run, where an earlier command has sent these results or some of them. */
  before: Sent['run'] | null;
  /** After each call, the results that were sent so far. */
  onSent: (results: number) => void;
};

export type Sent = {
  run: Pick<SubmittedRun, 'id' | 'status' | 'test_count'>;
  calls: number;
  attachments: { uploaded: number; leftOut: readonly LeftOut[] };
};

/** The server works on this many submissions of a team at the same time. */
const CALLS_AT_ONCE = 2;

/** @throws CliError; TestledgerError. A run in several calls may then be there in part; the same command adds the rest. */
export async function sendReports(sending: Sending): Promise<Sent> {
  const { survey, description, calls, onSent } = sending;
  if (description.shard !== null && !calls.isOne())
    failWith('usage', `a shard has at most ${limits.itemsPerSubmission} results in 32 MiB: use more shards`);
  const uploads = uploadsOf(survey);
  const ofLast: Sent['run'][] = [];
  await describeOnServer(sending);
  let count = 0;
  let sent = 0;
  const sendOne = async (call: Call) => {
    const key = keyOf(sending.project, description, call);
    const completes = call.last && sending.complete && description.shard === null;
    const there = await callBefore(sending, call);
    const { run, completed, resultId } = there ?? (await submitCall(sending, call, { key, completes }));
    if (call.last) ofLast.push(completes && !completed ? await completeRun(sending) : run);
    count += 1;
    sent += call.results;
    onSent(sent);
    await uploadFiles(sending, call, { resultId, key, isRepeat: sending.before !== null, uploads });
  };
  const working = new Set<Promise<unknown>>();
  try {
    for await (const call of calls.all(survey.retried)) {
      // The last one completes the run, so the others are there before it.
      while (working.size >= (call.last ? 1 : CALLS_AT_ONCE)) await Promise.race(working);
      const work: Promise<unknown> = sendOne(call).then(() => working.delete(work));
      working.add(work);
      // The next `race` throws it.
      work.catch(() => undefined);
    }
    await Promise.all(working);
  } catch (error) {
    await Promise.allSettled(working);
    // Nothing else would end a run that was described, and whose first results are refused.
    const isOwn = sending.before === null && description.shard === null && count === 0;
    if (isOwn && isRefusal(error)) await completeRun(sending).catch(() => undefined);
    throw error;
  }
  const { id, status, test_count } = ofLast[0]!;
  return { run: { id, status, test_count }, calls: count, attachments: uploads.counts() };
}

function isRefusal(error: unknown): boolean {
  const status = error instanceof TestledgerError ? error.status : null;
  return status !== null && status >= 400 && status < 500;
}

/**
 * What an earlier command has sent of the run of these contents, if it is one call; null where that is not there.
 * Idempotency keys are forgotten after a day, and a run that was not completed may be older.
 */
async function callBefore(
  { client, description, before, calls }: Sending,
  call: Call,
): Promise<CallSent | null> {
  // Of several calls, one that is missing could be taken for another one with the same names.
  if (before === null || !description.isOfContent || !calls.isOne()) return null;
  const resultId = await idsBefore(client, before.id, call);
  return resultId === null ? null : { run: before, completed: false, resultId };
}
