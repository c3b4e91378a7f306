/**
 * The calls by which an import makes its run. The body of a call with results depends on the files alone, so that its
 * repeat has the same body, whenever and with whatever description it comes.
 */
import { createHash } from 'node:crypto';
import { TestledgerError, unwrap, type Client, type SubmittedRun } from '../../client/index.js';
import type { Call } from './calls.js';
import type { RunDescription } from './describe-run.js';

type Calling = { client: Client; project: string; description: RunDescription };

/**
 * Label and metadata have a call of their own, which can come again with other ones: the run takes what it lacks. It comes
 * before the results, because they take branch and commit from their run.
 */
export async function describeOnServer({ client, project, description }: Calling): Promise<void> {
  const { run_key, label, metadata } = description;
  await unwrap(client.POST('/v1/test/run/', { body: { project_id: project, run_key, label, metadata } }));
}

/** The same results for the same run have the same key, so that a repeat of the command adds nothing. */
export function keyOf(project: string, { run_key, shard }: RunDescription, { items }: Call): string {
  const hash = createHash('sha256')
    .update(JSON.stringify([project, run_key, shard]))
    .update(items);
  return `import-${hash.digest('hex')}`;
}

/** What a call with results has beside them. */
type Form = { complete: boolean; finished_at: string | null };

export type CallSent = {
  run: Pick<SubmittedRun, 'id' | 'status' | 'test_count'>;
  /** The call was the one to complete the run. */
  completed: boolean;
  resultId: (place: number) => string;
};

/** Sends the results of a call. @throws TestledgerError */
export async function submitCall(
  { client, project, description }: Calling,
  { items, results }: Call,
  { key, completes }: { key: string; completes: boolean },
): Promise<CallSent> {
  const { run_key, shard, started_at } = description;
  const run = { project_id: project, run_key, started_at };
  const written = { items, count: results };
  // A shard is known by its results, so its calls need no key in common.
  if (shard !== null) {
    const whole = { ...run, shard, started_at: startOf(description), finished_at: endOf(description) };
    const submitted = await client.submitRunWith(whole, written);
    return { run: submitted, completed: false, resultId: submitted.resultId };
  }
  const forms = formsOf(description, completes);
  for (const [n, form] of forms.entries()) {
    try {
      const submitted = await client.submitRunWith({ ...run, ...form }, written, { idempotencyKey: key });
      return { run: submitted, completed: form.complete, resultId: submitted.resultId };
    } catch (error) {
      const isOther = error instanceof TestledgerError && error.code === 'idempotency_mismatch';
      if (!isOther || n === forms.length - 1) throw error;
      // An earlier command sent these results in another form. Only the same one finds them.
    }
  }
  throw new Error('A call has at least one form.');
}

/**
 * All forms in which these files may have been sent, the best one for now first. An end that may be in the future is
 * not sent: the call then leaves the end to the one that completes the run.
 */
function formsOf({ finished_at, guessedEnd, untimedMs }: RunDescription, completes: boolean): Form[] {
  // A start that follows from the time of the import is sent by the call that completes the run.
  const complete = completes && untimedMs === 0;
  const both = (end: string | null): Form[] => [
    { complete, finished_at: end },
    { complete: !complete, finished_at: end },
  ];
  if (guessedEnd === null) return both(finished_at);
  const open = { complete: false, finished_at: guessedEnd.least };
  return isPast(guessedEnd.most) ? [...both(guessedEnd.most), open] : [open];
}

/** A run without times ends with its import. */
function startOf({ started_at, untimedMs }: RunDescription): string | null {
  return untimedMs === 0 ? started_at : new Date(Math.max(0, Date.now() - untimedMs)).toISOString();
}

/** The end as it is known now; null: the server takes its own time. */
function endOf({ finished_at, guessedEnd }: RunDescription): string | null {
  if (guessedEnd === null) return finished_at;
  return isPast(guessedEnd.most) ? guessedEnd.most : null;
}

function isPast(instant: string): boolean {
  return Date.parse(instant) <= Date.now();
}

/** Completes the run by a call without results. In a run that is completed, it changes nothing. @throws TestledgerError */
export async function completeRun({ client, project, description }: Calling): Promise<SubmittedRun> {
  const { run_key } = description;
  const [started_at, finished_at] = [startOf(description), endOf(description)];
  return client.submitRun({ project_id: project, run_key, started_at, finished_at, complete: true });
}
