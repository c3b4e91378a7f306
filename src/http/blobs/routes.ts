/** Uploads to and downloads from the folder of files. A signed URL takes the place of a key. */
import { stat } from 'node:fs/promises';
import type { IncomingMessage } from 'node:http';
import { join } from 'node:path';
import type { Context } from 'koa';
import send from 'send';
import type { Admission } from '../../admission/admission.js';
import type { BlobFiles } from '../../artifacts/blob-files.js';
import { BLOBS_BASE, type CalledUrl, type SignedDownload } from '../../artifacts/blob-urls.js';
import type { Clock } from '../../clock.js';
import { canRunScripts } from '../../domain/artifact/shown-media.js';
import { fail, invalid } from '../../errors.js';
import type { MayGive } from '../../redaction/unmasked-files.js';
import { essenceOf, isMediaType } from '../../validation/media-type.js';
import { letBodyCome } from '../protocol/expect-continue.js';
import { isOpenedApart, type Apart } from '../apart.js';
import { rememberHeaders } from '../protocol/headers.js';
import type { OpenRoute } from '../route.js';
import { allowTime } from '../backpressure/arrival-deadlines.js';
import { untilGone } from '../backpressure/until-gone.js';
import { uploadOf, type UploadPace } from './upload.js';
import { limits } from '../../limits.js';

export type ServedFiles = {
  files: BlobFiles;
  clock: Clock;
  pace?: UploadPace;
  admission: Admission;
  /** Where files may run scripts, apart from everything else. Default: nowhere. */
  apart?: Apart;
  /** Default: all of them. */
  mayGive?: MayGive;
};

const UPLOAD_PACE: UploadPace = { withinMs: limits.uploadMs, bytesPerSecond: 16 * 1_024 };

const PATH = `${BLOBS_BASE}/:team/:artifact/:name`;

export function blobRoutes({
  files,
  clock,
  pace = UPLOAD_PACE,
  admission,
  apart = { origin: null, onLoopback: false },
  mayGive = () => Promise.resolve(),
}: ServedFiles): OpenRoute[] {
  return [
    {
      method: 'PUT',
      path: PATH,
      operation: {
        id: 'uploadFile',
        summary: 'Uploads the file of an artifact to its signed URL',
        answers: { 200: null },
        errors: [
          'url_not_valid',
          'size_mismatch',
          'validation_failed',
          'payload_too_large',
          'overloaded',
          'blobs_unavailable',
          'not_found',
        ],
      },
      async handle(ctx) {
        const { place, size, expiresAt } = files.urls.checkUpload(calledUrl(ctx));
        mustBeWhole(ctx.req);
        const length = ctx.req.headers['content-length'];
        if (length !== undefined && Number(length) !== size) {
          fail(
            'size_mismatch',
            `The URL is for a file of ${size} bytes, but the Content-Length is ${length}.`,
          );
        }
        const { team, artifact } = place;
        const done = admission.admitNow('uploads', { team, key: `${team}/${artifact}` });
        try {
          // Twice the limit: a late upload is refused here with an answer, before the general deadline cuts it off.
          allowTime(ctx.req, 2 * pace.withinMs);
          letBodyCome(ctx.res);
          await files.receive(place, { size, expiresAt }, uploadOf(ctx.req, size, pace));
        } finally {
          done();
        }
        ctx.status = 200;
        ctx.body = '';
      },
    },
    {
      path: PATH,
      operation: {
        id: 'downloadFile',
        summary: 'Downloads a file from its signed URL',
        answers: { 200: { media: ['*/*'] }, 206: { media: ['*/*'] }, 304: null },
        errors: [
          'url_not_valid',
          'not_found',
          'precondition_failed',
          'range_not_satisfiable',
          'overloaded',
          'blobs_unavailable',
        ],
      },
      async handle(ctx) {
        const signed = files.urls.checkDownload(calledUrl(ctx));
        untilGone(ctx.res, admission.admitNow('downloads', { team: signed.place.team }));
        const { root, path } = files.find(signed.place, signed.version);
        const { place, version, contentType: content_type } = signed;
        await mayGive({ place, version, content_type, sizeOf: () => sizeOf(join(root, path)) });
        ctx.respond = false;
        const withoutFile = rememberHeaders(ctx.res);
        // The status of Koa is 404 until it is set.
        ctx.res.statusCode = 200;
        const headers = {
          ...headersOf(signed, clock),
          ...(isOpenedApart(apart, ctx.req) && headersApart(signed)),
        };
        for (const [name, value] of Object.entries(headers)) ctx.res.setHeader(name, value);
        await sendFile(ctx, { root, path, withoutFile });
      },
    },
  ];
}

/** 0 for a file that is gone, which is told when it is sent. */
async function sizeOf(file: string): Promise<number> {
  return (await stat(file).catch(() => null))?.size ?? 0;
}

/** RFC 9110, section 14.4: a part that is taken for the whole would destroy the file. @throws AppError. */
function mustBeWhole({ headers }: IncomingMessage): void {
  if (headers['content-range'] === undefined) return;
  invalid('Content-Range', 'not_valid', 'must not be sent, because an upload is the whole file');
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

/**
 * A report in HTML may run its own scripts here. The sandbox gives it an origin that nothing else has, and it may load
 * nothing: it reaches neither pages nor the network.
 */
function headersApart({ contentType, disposition }: SignedDownload): Record<string, string> {
  if (!isMediaType(contentType) || !canRunScripts(essenceOf(contentType))) return {};
  return {
    'Content-Disposition': disposition.replace(/^attachment\b/, 'inline'),
    'Content-Security-Policy':
      "sandbox allow-scripts allow-popups; default-src data: blob: 'unsafe-inline' 'unsafe-eval'; " +
      "form-action 'none'; base-uri 'none'; frame-ancestors 'none'",
  };
}

/** `withoutFile` takes back the headers that belong to the file. */
type FileToSend = { root: string; path: string; withoutFile: () => void };

/** The library handles ranges, conditions and HEAD. Resolves when the answer has left or its connection has ended. */
async function sendFile(ctx: Context, { root, path, withoutFile }: FileToSend): Promise<void> {
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
    refuse(ctx, error as Error & { status?: number }, withoutFile);
  }
}

/** @throws AppError in place of the file, if nothing of it was sent so far. */
function refuse(ctx: Context, error: Error & { status?: number }, withoutFile: () => void): void {
  const { res } = ctx;
  if (res.headersSent) {
    // A file that broke off must not look complete.
    res.destroy();
    return;
  }
  const range = res.getHeader('Content-Range');
  withoutFile();
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
