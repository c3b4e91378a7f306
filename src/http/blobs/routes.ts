/** Uploads to and downloads from the folder of files. A signed URL takes the place of a key. */
import type { Context } from 'koa';
import send from 'send';
import type { BlobFiles } from '../../artifacts/blob-files.js';
import { BLOBS_BASE, type CalledUrl, type SignedDownload } from '../../artifacts/blob-urls.js';
import type { Clock } from '../../clock.js';
import { fail } from '../../errors.js';
import type { OpenRoute } from '../route.js';
import { allowTime } from '../arrival-deadlines.js';
import { UPLOAD_SLOTS, openUploadSlots, type UploadSlotLimits } from './upload-slots.js';
import { uploadOf } from './upload.js';
import { limits } from '../../limits.js';

export type ServedFiles = {
  files: BlobFiles;
  clock: Clock;
  /** The time in which an upload has to arrive. */
  withinMs?: number;
  slots?: UploadSlotLimits;
};

const PATH = `${BLOBS_BASE}/:team/:artifact/:name`;

export function blobRoutes({
  files,
  clock,
  withinMs = limits.uploadMs,
  slots = UPLOAD_SLOTS,
}: ServedFiles): OpenRoute[] {
  const uploads = openUploadSlots(slots);
  return [
    {
      method: 'PUT',
      path: PATH,
      async handle(ctx) {
        const { place, size, expiresAt } = files.urls.checkUpload(calledUrl(ctx));
        const length = ctx.req.headers['content-length'];
        if (length !== undefined && Number(length) !== size) {
          fail(
            'size_mismatch',
            `The URL is for a file of ${size} bytes, but the Content-Length is ${length}.`,
          );
        }
        const done = uploads.take(place);
        try {
          // Twice the limit: a late upload is refused here with an answer, before the general deadline cuts it off.
          allowTime(ctx.req, 2 * withinMs);
          // A client that expects "100 Continue" sends no byte before all checks above have passed.
          if (ctx.req.headers.expect !== undefined) ctx.res.writeContinue();
          await files.receive(place, { size, expiresAt }, uploadOf(ctx.req, size, withinMs));
        } finally {
          done();
        }
        ctx.status = 200;
        ctx.body = '';
      },
    },
    {
      path: PATH,
      async handle(ctx) {
        const signed = files.urls.checkDownload(calledUrl(ctx));
        const { root, path } = files.find(signed.place, signed.version);
        ctx.respond = false;
        // The status of Koa is 404 until it is set.
        ctx.res.statusCode = 200;
        for (const [name, value] of Object.entries(headersOf(signed, clock))) ctx.res.setHeader(name, value);
        await sendFile(ctx, root, path);
      },
    },
  ];
}

function calledUrl(ctx: Context): CalledUrl {
  const { team, artifact, name } = ctx['params'] as Record<'team' | 'artifact' | 'name', string>;
  return { team, artifact, name, query: ctx.querystring };
}

function headersOf(signed: SignedDownload, clock: Clock): Record<string, string> {
  const seconds = Math.max(0, Math.floor((Date.parse(signed.expiresAt) - clock().getTime()) / 1_000));
  return {
    'Content-Type': signed.contentType,
    'Content-Disposition': signed.disposition,
    // The bytes of a version never change.
    ETag: `"${signed.version}"`,
    'Cache-Control': `private, max-age=${seconds}, immutable`,
    'X-Content-Type-Options': 'nosniff',
    // Nothing in a file can run, or act as our origin. The viewers of browsers need inline styles.
    'Content-Security-Policy': "default-src 'none'; style-src 'unsafe-inline'; sandbox",
    // A report on another site may show a picture: the URL alone allows access, as with other file stores.
    'Cross-Origin-Resource-Policy': 'cross-origin',
    'Referrer-Policy': 'no-referrer',
  };
}

/** The library handles ranges, conditions and HEAD. Resolves when the answer has left or its connection has ended. */
async function sendFile(ctx: Context, root: string, path: string): Promise<void> {
  const { req, res } = ctx;
  try {
    await new Promise<void>((resolve, reject) => {
      res.once('close', resolve);
      res.once('finish', resolve);
      send(req, path, { root, dotfiles: 'allow', index: false, cacheControl: false })
        .on('error', reject)
        .on('directory', () => reject(Object.assign(new Error('a folder'), { status: 404 })))
        .pipe(res);
    });
  } catch (error) {
    refuse(ctx, error as Error & { status?: number });
  }
}

/** @throws LedgerError in place of the file, if nothing of it was sent so far. */
function refuse(ctx: Context, error: Error & { status?: number }): void {
  const { res } = ctx;
  if (res.headersSent) {
    // A file that broke off must not look complete.
    res.destroy();
    return;
  }
  const range = res.getHeader('Content-Range');
  for (const name of res.getHeaderNames()) if (name !== 'x-request-id') res.removeHeader(name);
  ctx.respond = true;
  switch (error.status) {
    case 404:
      return fail('not_found', 'The file has been deleted.');
    case 412:
      return fail('precondition_failed', 'The file does not meet the condition of the request.');
    case 416:
      if (range !== undefined) res.setHeader('Content-Range', range);
      return fail('range_not_satisfiable', 'The file does not have the requested range.');
    default:
      fail('blobs_unavailable', 'The file cannot be read.', { cause: error });
  }
}
