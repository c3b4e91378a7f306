/** Sends the results of reports as one run, in one call or several, and the files of its results. */
import { createHash } from 'node:crypto';
import { dirname, resolve } from 'node:path';
import { TestledgerError, type Client, type RunToSubmit, type SubmittedRun } from '../../client/index.js';
import { forEachConcurrent } from '../../concurrency/for-each-concurrent.js';
import type { ReportAttachment } from '../../importers/entry.js';
import { resolveAttachment } from '../../importers/attachments.js';
import { limits } from '../../limits.js';
import { failWith } from '../errors.js';
import type { Call, Calls } from './calls.js';
import type { RunDescription } from './describe-run.js';
import type { Survey } from './survey.js';

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
  /** After each call, the results that were sent so far. */
  onSent: (results: number) => void;
};

export type Sent = {
  run: Pick<SubmittedRun, 'id' | 'status' | 'test_count'>;
  calls: number;
  attachments: { uploaded: number; leftOut: readonly LeftOut[] };
};

/** Files that were not uploaded, by their reason. */
export type LeftOut = { reason: string; count: number; example: string };

const UPLOADS_AT_ONCE = 4;

/** The server works on this many submissions of a team at the same time. */
const CALLS_AT_ONCE = 2;

/** @throws CliError; TestledgerError. A run in several calls may then be there in part; the same command adds the rest. */
export async function sendReports(sending: Sending): Promise<Sent> {
  const { survey, description, calls, onSent } = sending;
  if (description.shard !== null && !calls.isOne())
    failWith('usage', `a shard has at most ${limits.itemsPerSubmission} results in 32 MiB: use more shards`);
  const uploads = countedUploads();
  const { ofNoResult } = survey;
  if (ofNoResult !== null) uploads.leaveOut('it belongs to no result', ofNoResult.example, ofNoResult.count);
  const ofLast: SubmittedRun[] = [];
  let count = 0;
  let sent = 0;
  const sendOne = async (call: Call) => {
    const key = keyOf(description, call);
    const run = await submit(sending, call, key);
    count += 1;
    sent += call.results;
    onSent(sent);
    await upload(sending, call, { run, key, uploads });
    if (call.last) ofLast.push(run);
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
  } finally {
    await Promise.allSettled(working);
  }
  const { id, status, test_count } = ofLast[0]!;
  return { run: { id, status, test_count }, calls: count, attachments: uploads.counts() };
}

async function submit(
  { client, project, description, complete }: Sending,
  { items, results, last }: Call,
  key: string,
): Promise<SubmittedRun> {
  const { run_key, shard, label, metadata, started_at, finished_at } = description;
  const run: RunToSubmit = {
    project_id: project,
    run_key,
    ...(shard === null ? { complete: last && complete } : { shard }),
    label,
    metadata,
    started_at,
    finished_at,
  };
  return client.submitRunWith(run, { items, count: results }, { idempotencyKey: key });
}

/** The same results for the same run have the same key, so that a repeat of the command adds nothing. */
function keyOf({ run_key, shard }: RunDescription, { items }: Call): string {
  const hash = createHash('sha256')
    .update(JSON.stringify([run_key, shard]))
    .update(items);
  return `import-${hash.digest('hex')}`;
}

type Uploads = {
  uploaded: () => void;
  leaveOut: (reason: string, example: string, count?: number) => void;
  counts: () => Sent['attachments'];
};

function countedUploads(): Uploads {
  const leftOut = new Map<string, LeftOut>();
  let uploaded = 0;
  return {
    uploaded: () => void (uploaded += 1),
    leaveOut(reason, example, count = 1) {
      const known = leftOut.get(reason);
      if (known === undefined) leftOut.set(reason, { reason, count, example });
      else known.count += count;
    },
    counts: () => ({ uploaded, leftOut: [...leftOut.values()] }),
  };
}

type Upload = { attachment: ReportAttachment; file: string; resultId: string; key: string };

/** A file that cannot be uploaded does not fail the import: the results are there. */
async function upload(
  sending: Sending,
  call: Call,
  { run, key, uploads }: { run: SubmittedRun; key: string; uploads: Uploads },
): Promise<void> {
  for await (const group of call.files()) {
    const all = group.flatMap(({ place, file, attachments }) =>
      attachments.map((attachment, n): Upload => ({
        attachment,
        file,
        resultId: run.resultId(place),
        key: `${key}.${place}.${n}`,
      })),
    );
    await forEachConcurrent(all, UPLOADS_AT_ONCE, async (each) => {
      const reason = await uploadOne(sending, each);
      if (reason === null) uploads.uploaded();
      else uploads.leaveOut(reason, each.attachment.name);
    });
  }
}

/** Returns why the file was left out; null if it was uploaded. */
async function uploadOne(
  sending: Sending,
  { attachment, file, resultId, key }: Upload,
): Promise<string | null> {
  const content = await contentOf(sending, attachment, file);
  if (typeof content === 'string') return content;
  const { name, content_type } = attachment;
  try {
    await sending.client.uploadArtifact(
      { ...content, resultId, label: name, kind: kindOf(content_type), contentType: content_type },
      { idempotencyKey: key },
    );
    return null;
  } catch (error) {
    if (error instanceof TestledgerError) return `the server did not take it (${error.code})`;
    const { syscall } = error as NodeJS.ErrnoException;
    // The file went away, or has no right to be read.
    if (syscall !== undefined) return reasons.unreadable;
    throw error;
  }
}

async function contentOf(
  { attachmentsRoot: root }: Sending,
  attachment: ReportAttachment,
  report: string,
): Promise<{ path: string } | { bytes: Uint8Array } | string> {
  switch (attachment.source) {
    case 'url':
      return reasons.url;
    case 'body':
      return attachment.body.length === 0 ? reasons.empty : { bytes: attachment.body };
    case 'path': {
      if (root === null) return 'there is no --attachments-root';
      const bases = [dirname(resolve(report)), process.cwd()];
      const found = await resolveAttachment(attachment.path, { root, bases });
      return found.found ? { path: found.path } : reasons[found.reason];
    }
  }
}

const reasons = {
  url: 'it is a link',
  outside_root: 'it is outside of --attachments-root',
  not_found: 'there is no such file',
  not_a_file: 'it is no file',
  empty: 'it is empty',
  too_large: 'it is too large',
  unreadable: 'it cannot be read',
} as const;

function kindOf(contentType: string): 'Log' | 'Image' | 'Video' | 'Other' {
  if (contentType.startsWith('image/')) return 'Image';
  if (contentType.startsWith('video/')) return 'Video';
  return contentType.startsWith('text/') ? 'Log' : 'Other';
}
