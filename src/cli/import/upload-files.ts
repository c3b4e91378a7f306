/** Uploads the files of the results of an import. */
import { randomUUID } from 'node:crypto';
import { dirname, resolve } from 'node:path';
import { TestledgerError, unwrap, type Client } from '../../client/index.js';
import { forEachConcurrent } from '../../concurrency/for-each-concurrent.js';
import type { ReportAttachment } from '../../importers/entry.js';
import { resolveAttachment } from '../../importers/attachments.js';
import type { Call } from './calls.js';
import type { Survey } from './survey.js';

export type Uploading = {
  client: Client;
  /** Null: no file that a report names is uploaded. */
  attachmentsRoot: string | null;
};

/** Where the files of a call go. */
export type Destination = {
  resultId: (place: number) => string;
  /** Files of the same call have the same keys. */
  key: string;
  /** Whether an earlier command may have uploaded some of them, so that the server is asked for them first. */
  isRepeat: boolean;
  uploads: Uploads;
};

const UPLOADS_AT_ONCE = 4;

const ofNothing = 'it belongs to no result';

/** Files that were not uploaded, by their reason. */
export type LeftOut = { reason: string; count: number; example: string };

export type Uploads = {
  uploaded: () => void;
  leaveOut: (reason: string, example: string, count?: number) => void;
  counts: () => { uploaded: number; leftOut: readonly LeftOut[] };
};

/** Files of no result are left out from the beginning. */
export function uploadsOf({ ofNoResult }: Pick<Survey, 'ofNoResult'>): Uploads {
  const leftOut = new Map<string, LeftOut>();
  let uploaded = 0;
  if (ofNoResult !== null) leftOut.set(ofNothing, { reason: ofNothing, ...ofNoResult });
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

/** A text says why there is none. */
type FoundContent = { path: string; size: number } | { bytes: Uint8Array } | string;

type Upload = { attachment: ReportAttachment; content: FoundContent; resultId: string; key: string };

/** A file that cannot be uploaded does not fail the import: the results are there. */
export async function uploadFiles(
  sending: Uploading,
  call: Pick<Call, 'files'>,
  { resultId, key, isRepeat, uploads }: Destination,
): Promise<void> {
  for await (const group of call.files()) {
    const all: Upload[] = [];
    await forEachConcurrent(group, UPLOADS_AT_ONCE, async ({ place, file, attachments }) => {
      const found = await Promise.all(
        attachments.map(async (attachment, n): Promise<Upload> => {
          const content = await contentOf(sending, attachment, file);
          return { attachment, content, resultId: resultId(place), key: `${key}.${place}.${n}` };
        }),
      );
      all.push(...(isRepeat ? await missingOf(sending.client, found) : found));
    });
    await forEachConcurrent(all, UPLOADS_AT_ONCE, async (each) => {
      const reason = await uploadOne(sending.client, each);
      if (reason === null) uploads.uploaded();
      else uploads.leaveOut(reason, each.attachment.name);
    });
  }
}

/** Returns why the file was left out; null if it was uploaded. */
async function uploadOne(client: Client, upload: Upload): Promise<string | null> {
  try {
    return await tryUpload(client, upload, upload.key);
  } catch (error) {
    if (!(error instanceof TestledgerError)) throw error;
    if (!isGone(error)) return refusal(error);
  }
  // An earlier command announced this file, and the time for its upload is over.
  try {
    if ((await missingOf(client, [upload])).length === 0) return null;
    return await tryUpload(client, upload, `${upload.key}.${randomUUID()}`);
  } catch (error) {
    if (!(error instanceof TestledgerError)) throw error;
    return refusal(error);
  }
}

/** @throws TestledgerError */
async function tryUpload(
  client: Client,
  { attachment, content, resultId }: Upload,
  idempotencyKey: string,
): Promise<string | null> {
  if (typeof content === 'string') return content;
  const { name, content_type } = attachment;
  try {
    await client.uploadArtifact(
      { ...content, resultId, label: name, contentType: content_type },
      { idempotencyKey },
    );
    return null;
  } catch (error) {
    const { syscall } = error as NodeJS.ErrnoException;
    // The file went away, or has no right to be read.
    if (!(error instanceof TestledgerError) && syscall !== undefined) return reasons.unreadable;
    throw error;
  }
}

/** What a storage answers to an upload URL that is no longer valid, and the server for an artifact that is gone. */
function isGone({ status }: TestledgerError): boolean {
  return status === 403 || status === 404 || status === 410;
}

function refusal({ code }: TestledgerError): string {
  return `the server did not take it (${code})`;
}

/** Those of the files of one result that the server does not have: no file has the name, and as often. */
async function missingOf(client: Client, uploads: readonly Upload[]): Promise<readonly Upload[]> {
  const [first] = uploads;
  if (first === undefined) return [];
  const query = { test_result_id: first.resultId };
  const { items } = await unwrap(client.GET('/v1/test/artifact/', { params: { query } }));
  const there = items.map(({ label, size_bytes }) => ({ label, size: size_bytes }));
  const take = (is: (one: (typeof there)[number]) => boolean): boolean => {
    const at = there.findIndex(is);
    if (at !== -1) there.splice(at, 1);
    return at !== -1;
  };
  const isSame = ({ attachment, content }: Upload): boolean =>
    take(({ label, size }) => label === attachment.name && size === sizeOf(content));
  const others = uploads.filter((each) => !isSame(each));
  // A file may have changed since. It is the same one by its name.
  return others.filter(({ attachment }) => !take(({ label }) => label === attachment.name));
}

function sizeOf(content: FoundContent): number | null {
  if (typeof content === 'string') return null;
  return 'bytes' in content ? content.bytes.length : content.size;
}

async function contentOf(
  { attachmentsRoot: root }: Uploading,
  attachment: ReportAttachment,
  report: string,
): Promise<FoundContent> {
  switch (attachment.source) {
    case 'url':
      return reasons.url;
    case 'body':
      return attachment.body.length === 0 ? reasons.empty : { bytes: attachment.body };
    case 'path': {
      if (root === null) return 'there is no --attachments-root';
      const bases = [dirname(resolve(report)), process.cwd()];
      const found = await resolveAttachment(attachment.path, { root, bases });
      return found.found ? { path: found.path, size: found.size } : reasons[found.reason];
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
