/** Uploads the files of the results of an import. */
import { randomUUID } from 'node:crypto';
import { realpath } from 'node:fs/promises';
import { dirname, resolve } from 'node:path';
import { LRUCache } from 'lru-cache';
import { TestledgerError, unwrap, type Client } from '../../client/index.js';
import type { Masker } from '../../client/masking/masker.js';
import { forEachConcurrent } from '../../concurrency/for-each-concurrent.js';
import type { ReportAttachment } from '../../importers/entry.js';
import { resolveAttachment } from '../../importers/attachments.js';
import { limits } from '../../limits.js';
import type { Call, ResultFiles } from './calls.js';
import type { Survey } from './survey.js';

export type Uploading = {
  client: Client;
  /** Undefined: the folder of each report. */
  attachmentsRoot: string | undefined;
  masker: Masker;
};

/** Where the files of a call go. */
export type Destination = {
  resultId: (place: number) => string;
  /** Whether an earlier command may have uploaded some of them, so that the server is asked for them first. */
  isRepeat: boolean;
  uploads: Uploads;
};

/** Files that are looked for, and calls about one file. */
const AT_ONCE = 4;
/** Most results have one file, so that this many make one call. */
const RESULTS_TOGETHER = limits.artifactsPerBatch;
/** The next files are looked for and read while the server stores others. */
const PARTS_AT_ONCE = 4;

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

type UploadedFile = Omit<Upload, 'content'> & { content: Exclude<FoundContent, string> };

const isFile = (upload: Upload): upload is UploadedFile => typeof upload.content !== 'string';

/** A file that cannot be uploaded does not fail the import: the results are there. */
export async function uploadFiles(
  sending: Uploading,
  call: Pick<Call, 'files'>,
  destination: Destination,
): Promise<void> {
  for await (const group of call.files()) {
    const parts: ResultFiles[][] = [];
    for (let at = 0; at < group.length; at += RESULTS_TOGETHER)
      parts.push(group.slice(at, at + RESULTS_TOGETHER));
    await forEachConcurrent(parts, PARTS_AT_ONCE, (part) => uploadPart(sending, part, destination));
  }
}

async function uploadPart(
  sending: Uploading,
  part: readonly ResultFiles[],
  { resultId: idOf, isRepeat, uploads }: Destination,
): Promise<void> {
  // In the order of the report: a repeat of the command makes the same calls.
  const found: (readonly Upload[])[] = [];
  await forEachConcurrent([...part.entries()], AT_ONCE, async ([at, { place, file, attachments }]) => {
    const resultId = idOf(place);
    const ofResult = await Promise.all(
      attachments.map(async (attachment, n): Promise<Upload> => {
        const content = await contentOf(sending, attachment, file);
        return { attachment, content, resultId, key: `${resultId}.${n}` };
      }),
    );
    found[at] = isRepeat ? await missingOf(sending, ofResult) : ofResult;
  });
  const all = found.flat();
  for (const { attachment, content } of all)
    if (typeof content === 'string') uploads.leaveOut(content, attachment.name);
  const files = all.filter(isFile);
  const errors = await tryUploads(sending, files);
  await forEachConcurrent([...files.entries()], AT_ONCE, async ([n, file]) => {
    const error = errors[n]!;
    const reason = isGone(error) ? await uploadAgain(sending, file) : reasonOf(error);
    if (reason === null) uploads.uploaded();
    else uploads.leaveOut(reason, file.attachment.name);
  });
}

/** Returns the error of each file; null for one that was uploaded. */
async function tryUploads(
  { client, masker }: Uploading,
  files: readonly UploadedFile[],
): Promise<(Error | null)[]> {
  const uploaded = await client.uploadArtifacts(
    files.map(({ attachment: { name, content_type }, content, resultId, key }) => ({
      ...content,
      resultId,
      label: name,
      contentType: content_type,
      idempotencyKey: key,
    })),
    { masker },
  );
  return uploaded.map(({ error }) => error);
}

/**
 * An earlier command announced this file, and the time for its upload is over. Returns why it was left out; null if it
 * is there.
 */
async function uploadAgain(sending: Uploading, file: UploadedFile): Promise<string | null> {
  try {
    if ((await missingOf(sending, [file])).length === 0) return null;
  } catch (error) {
    return reasonOf(error as Error);
  }
  const [error] = await tryUploads(sending, [{ ...file, key: `${file.key}.${randomUUID()}` }]);
  return reasonOf(error!);
}

/** What a storage answers to an upload URL that is no longer valid, and the server for an artifact that is gone. */
function isGone(error: Error | null): boolean {
  const status = error instanceof TestledgerError ? error.status : null;
  return status === 403 || status === 404 || status === 410;
}

/** @throws the error, where it is that of neither the server nor the file */
function reasonOf(error: Error | null): string | null {
  if (error === null) return null;
  if (error instanceof TestledgerError) return `the server did not take it (${error.code})`;
  // The file went away, or has no right to be read.
  if ((error as NodeJS.ErrnoException).syscall !== undefined) return reasons.unreadable;
  throw error;
}

/** Those of the files of one result that the server does not have: no file has the name, and as often. */
async function missingOf(
  { client, masker }: Uploading,
  uploads: readonly Upload[],
): Promise<readonly Upload[]> {
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
    take(({ label, size }) => label === masker.name(attachment.name) && size === sizeOf(content));
  const others = uploads.filter((each) => !isSame(each));
  // A file may have changed since, or be shorter without its secrets. It is the same one by its name.
  return others.filter(({ attachment }) => !take(({ label }) => label === masker.name(attachment.name)));
}

function sizeOf(content: FoundContent): number | null {
  if (typeof content === 'string') return null;
  return 'bytes' in content ? content.bytes.length : content.size;
}

async function contentOf(
  { attachmentsRoot }: Uploading,
  attachment: ReportAttachment,
  report: string,
): Promise<FoundContent> {
  switch (attachment.source) {
    case 'url':
      return reasons.url;
    case 'body':
      return attachment.body.length === 0 ? reasons.empty : { bytes: attachment.body };
    case 'path': {
      const folder = dirname(resolve(report));
      const root = await realFolder(attachmentsRoot ?? folder);
      const found = await resolveAttachment(attachment.path, { root, bases: [folder, process.cwd()] });
      return found.found ? { path: found.path, size: found.size } : reasons[found.reason];
    }
  }
}

/** Of thousands of files, one look at the disk for each folder. */
const realFolders = new LRUCache<string, string>({ max: 100 });

async function realFolder(path: string): Promise<string> {
  const real = realFolders.get(path) ?? (await realpath(path));
  realFolders.set(path, real);
  return real;
}

const reasons = {
  url: 'it is a link',
  outside_root: 'it is outside of the folder of the report, and of --attachments-root',
  hidden: 'its path has a part that begins with a dot, or node_modules',
  not_found: 'there is no such file',
  not_a_file: 'it is no file',
  empty: 'it is empty',
  too_large: 'it is too large',
  unreadable: 'it cannot be read',
} as const;
