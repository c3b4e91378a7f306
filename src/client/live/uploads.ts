/** Uploads the files of results that were accepted, a few at a time. */
import { randomUUID } from 'node:crypto';
import type { Masker } from '../masking/masker.js';
import { groupsOf, type UploadGroup, type Uploaded } from '../upload-artifacts.js';
import type { LiveAttachment } from './item.js';
import type { QueuedTest } from './queue.js';
import type { Outcome, Tries } from './tries.js';
import { limits } from '../../limits.js';

export type UploadingServer = {
  uploadGroup(
    group: UploadGroup<FileToUpload>,
    options: { signal: AbortSignal },
  ): Promise<readonly Uploaded[]>;
};

export type FileToUpload = {
  /** A try whose answer was lost may have uploaded the file, and the next one must not do it again. */
  idempotencyKey: string;
  resultId: string;
  label: string;
  contentType: string;
} & ({ path: string } | { bytes: Uint8Array });

export type Uploads = {
  /** Takes the files of a batch; `resultId` gives the id of its n-th result. */
  add(batch: readonly QueuedTest[], resultId: (n: number) => string): void;
  /** Resolves when every file is uploaded or given up. */
  finish(): Promise<{ uploaded: number; notUploaded: number; reason: string | null }>;
};

const AT_ONCE = 2;
/** Files that wait. Their contents are bounded, their paths are small. */
const MOST_FILES = 10_000;
const MOST_BODY_BYTES = 32 * 1_024 * 1_024;

export function openUploads(tries: Tries, server: () => Promise<UploadingServer>, masker: Masker): Uploads {
  const waiting: FileToUpload[] = [];
  let waitingBytes = 0;
  let uploaded = 0;
  let notUploaded = 0;
  let reason: string | null = null;
  const workers = new Set<Promise<void>>();

  function lose(why: string): void {
    notUploaded += 1;
    reason ??= why;
  }

  async function upload(group: UploadGroup<FileToUpload>): Promise<Outcome<readonly Uploaded[]>> {
    for (let { files } = group; ;) {
      const outcome = await tries.untilAnswered(async (signal) =>
        (await server()).uploadGroup({ ...group, files }, { signal }),
      );
      // A log that has grown between two tries is another upload.
      if (outcome.kind !== 'refused' || outcome.error.code !== 'idempotency_mismatch') return outcome;
      files = files.map((file) => ({ ...file, idempotencyKey: randomUUID() }));
    }
  }

  function* taken(): Generator<FileToUpload> {
    for (let file = waiting.shift(); file !== undefined; file = waiting.shift()) {
      waitingBytes -= bodyBytes(file);
      yield file;
    }
  }

  async function work(): Promise<void> {
    for await (const group of groupsOf(taken(), masker)) {
      const outcome = await upload(group);
      for (const [n, file] of group.files.entries()) {
        const error = outcome.kind === 'done' ? outcome.value[n]!.error : null;
        if (outcome.kind === 'gave_up') lose(outcome.reason);
        else if (outcome.kind === 'refused') lose(`"${file.label}": ${outcome.error.message}`);
        else if (error !== null) lose(`"${file.label}": ${error.message}`);
        else uploaded += 1;
      }
    }
  }

  return {
    add(batch, resultId) {
      let first = 0;
      for (const { results, attachments } of batch) {
        for (const [n, { place, attachment }] of attachments.entries()) {
          const file = fileOf(attachment, resultId(first + place));
          if (n >= limits.artifactsPerResult) lose('a result takes at most 50 files');
          else if (waiting.length >= MOST_FILES || waitingBytes + bodyBytes(file) > MOST_BODY_BYTES)
            lose('more files wait than can be held');
          else {
            waiting.push(file);
            waitingBytes += bodyBytes(file);
          }
        }
        first += results;
      }
      while (workers.size < Math.min(AT_ONCE, waiting.length)) {
        const worker = work().finally(() => workers.delete(worker));
        workers.add(worker);
      }
    },
    async finish() {
      await Promise.all(workers);
      return { uploaded, notUploaded, reason };
    },
  };
}

function fileOf(attachment: LiveAttachment, resultId: string): FileToUpload {
  const contentType = attachment.content_type || 'application/octet-stream';
  return {
    idempotencyKey: randomUUID(),
    resultId,
    label: Array.from(attachment.name.toWellFormed()).slice(0, limits.artifactTextLength).join('') || 'file',
    contentType,
    ...('path' in attachment ? { path: attachment.path } : { bytes: attachment.body }),
  };
}

function bodyBytes(file: FileToUpload): number {
  return 'bytes' in file ? file.bytes.length : 0;
}
