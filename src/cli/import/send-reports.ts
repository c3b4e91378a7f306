/** Sends the results of reports as one run, in one call or several, and the files of its results. */
import type { Client, SubmittedRun } from '../../client/index.js';
import { keyIn } from '../../client/ci/ci-environment.js';
import type { Masker } from '../../client/masking/masker.js';
import { environmentIn } from '../../domain/environment.js';
import { limits } from '../../limits.js';
import { failWith } from '../errors.js';
import type { Call, Calls } from './calls.js';
import type { RunDescription } from './describe-run.js';
import type { Survey } from './survey.js';
import { uploadFiles, uploadsOf, type LeftOut } from './upload-files.js';

export type Sending = {
  client: Client;
  project: string;
  survey: Survey;
  description: RunDescription;
  /** Whether this command is the last one of a run without shards. */
  complete: boolean;
  /** Whether what made the reports broke off, so that results may be missing. */
  brokeOff: boolean;
  calls: Calls;
  /** Undefined: the folder of each report. */
  attachmentsRoot: string | undefined;
  masker: Masker;
  /** After each call, the results that were sent so far. */
  onSent: (results: number) => void;
};

export type Sent = {
  run: Pick<SubmittedRun, 'id' | 'status' | 'test_count'>;
  /** Whether an earlier command had sent all of the results. */
  repeated: boolean;
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
  const submitted: SubmittedRun[] = [];
  let begun = 0;
  let sent = 0;
  const sendOne = async (call: Call, n: number) => {
    const run = await submitCall(sending, call, n);
    submitted.push(run);
    sent += call.results;
    onSent(sent);
    await uploadFiles(sending, call, { resultId: run.resultId, isRepeat: run.repeated, uploads });
  };
  const working = new Set<Promise<unknown>>();
  try {
    for await (const call of calls.all(survey.retried)) {
      // The last one completes the run, so the others are there before it.
      while (working.size >= (call.last ? 1 : CALLS_AT_ONCE)) await Promise.race(working);
      const work: Promise<unknown> = sendOne(call, (begun += 1)).then(() => working.delete(work));
      working.add(work);
      // The next `race` throws it.
      work.catch(() => undefined);
    }
    await Promise.all(working);
  } catch (error) {
    await Promise.allSettled(working);
    throw error;
  }
  const { id, status, test_count } = submitted.at(-1)!;
  const repeated = submitted.every((each) => each.repeated);
  return { run: { id, status, test_count }, repeated, attachments: uploads.counts() };
}

/** With --partial, a file may be left out, or end too early. */
function isCut({ errors, warnings }: Survey): boolean {
  return errors.length > 0 || warnings.some(({ code }) => code === 'incomplete');
}

function cutReport({ reports }: Survey): { partial: true; failures_unread?: number } {
  const failures_unread = reports.reduce((sum, one) => sum + one.failures_unread, 0);
  return { partial: true, ...(failures_unread > 0 && { failures_unread }) };
}

/**
 * The server knows a call of a run by its number, its environment and its results, for ever. So the same files add nothing again,
 * whenever and with whatever other description they come. Two legs of a matrix may make the same report.
 */
function submitCall(
  { client, project, description, complete, survey, brokeOff }: Sending,
  { items, results, last }: Call,
  n: number,
) {
  const { isAttemptKnown: _, ...run } = description;
  const environment = environmentIn(run.metadata);
  const completes = last && complete && run.shard === null;
  return client.submitRunWith(
    {
      ...run,
      project_id: project,
      complete: completes,
      submission_key: keyIn(environment, String(n)),
      ...(last && (brokeOff || isCut(survey)) && { report: cutReport(survey) }),
    },
    { items, count: results },
  );
}
