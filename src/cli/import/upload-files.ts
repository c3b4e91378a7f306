/** Uploads the files of the results of an import. */
import { dirname, resolve } from 'node:path';
import { TestledgerError, type Client } from '../../client/index.js';
import { forEachConcurrent } from '../../concurrency/for-each-concurrent.js';
import type { ReportAttachment } from '../../importers/entry.js';
import { resolveAttachment } from '../../importers/attachments.js';
import type { Call } from './calls.js';

export type Uploading = {
  client: Client;
  /** Null: no file that a report names is uploaded. */
  attachmentsRoot: string | null;
};

const UPLOADS_AT_ONCE = 4;

/** Files that were not uploaded, by their reason. */
export type LeftOut = { reason: string; count: number; example: string };

export type Uploads = {
  uploaded: () => void;
  leaveOut: (reason: string, example: string, count?: number) => void;
  counts: () => { uploaded: number; leftOut: readonly LeftOut[] };
};

export function countedUploads(): Uploads {
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
export async function uploadFiles(
  sending: Uploading,
  call: Pick<Call, 'files'>,
  { resultId, key, uploads }: { resultId: (place: number) => string; key: string; uploads: Uploads },
): Promise<void> {
  for await (const group of call.files()) {
    const all = group.flatMap(({ place, file, attachments }) =>
      attachments.map((attachment, n): Upload => ({
        attachment,
        file,
        resultId: resultId(place),
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
  sending: Uploading,
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
  { attachmentsRoot: root }: Uploading,
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
