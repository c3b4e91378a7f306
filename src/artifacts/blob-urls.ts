/**
 * Signed URLs for writing and reading files of the folder. The URL alone is the permission: its signature covers the
 * method, the place and every parameter, literally, so that nothing in it can be exchanged, added or left out.
 */
import { createHmac, timingSafeEqual } from 'node:crypto';
import type { Instant } from '../domain/event.js';
import { fail } from '../errors.js';
import type { Clock } from '../clock.js';
import type { BlobPlace, Download } from '../ports/blobs.js';

export type BlobUrls = {
  forUpload(place: BlobPlace, upload: { size: number; expiresAt: Instant; origin: string }): string;
  forDownload(place: BlobPlace, version: string, download: Download): string;
  /** The upload that this URL permits. @throws AppError `url_not_valid` when the URL was changed or has expired */
  checkUpload(called: CalledUrl): SignedUpload;
  /** How a download from this URL is served. @throws AppError `url_not_valid` */
  checkDownload(called: CalledUrl): SignedDownload;
};

/** A URL as it was requested: with the parts of the path decoded, and with the query unchanged. */
export type CalledUrl = { team: string; artifact: string; name: string; query: string };

export type SignedUpload = { place: BlobPlace; size: number; expiresAt: Instant };

export type SignedDownload = { place: BlobPlace; version: string } & Omit<Download, 'origin'>;

/** The path of the routes that serve these URLs. */
export const BLOBS_BASE = '/v1/blobs';

/** The name of an upload at its place, which is the last part of its path. No version has this name. */
export const UPLOAD_NAME = 'upload';

/** `keys`: the first one signs, and a signature by any of them is valid. */
export function blobUrls(keys: readonly Buffer[], clock: Clock): BlobUrls {
  const signatures = (method: Method, parts: readonly string[], fields: readonly Field[]): string[] =>
    keys.map((key) =>
      createHmac('sha256', key)
        .update(JSON.stringify([method, parts, fields]))
        .digest('base64url'),
    );

  function urlOf(method: Method, origin: string, parts: readonly string[], fields: readonly Field[]): string {
    const query = new URLSearchParams([...fields, ['signature', signatures(method, parts, fields)[0]]] as [
      string,
      string,
    ][]);
    return `${origin}${BLOBS_BASE}/${parts.map(encodeURIComponent).join('/')}?${query.toString()}`;
  }

  /** Returns the values of the parameters. They must have these names, in this order, followed by the signature. */
  function check(
    method: Method,
    { team, artifact, name, query }: CalledUrl,
    names: readonly string[],
  ): string[] {
    const fields = [...new URLSearchParams(query)] as Field[];
    const [last, signature = ''] = fields.pop() ?? [];
    const given = Buffer.from(signature);
    // The texts are compared, not the bytes that they encode: several texts may encode the same bytes.
    const genuine = signatures(method, [team, artifact, name], fields)
      .map((text) => Buffer.from(text))
      .some((expected) => given.length === expected.length && timingSafeEqual(given, expected));
    const found = [...fields.map(([field]) => field), last].join();
    if (!genuine || found !== [...names, 'signature'].join()) {
      fail('url_not_valid', 'The signature of the URL is not right for this request.');
    }
    return fields.map(([, value]) => value);
  }

  function unexpired(milliseconds: string): Instant {
    if (Number(milliseconds) <= clock().getTime()) fail('url_not_valid', 'The URL has expired.');
    return new Date(Number(milliseconds)).toISOString();
  }

  return {
    forUpload: ({ team, artifact }, { size, expiresAt, origin }) =>
      urlOf(
        'PUT',
        origin,
        [team, artifact, UPLOAD_NAME],
        [
          ['size', String(size)],
          ['expires', milliseconds(expiresAt)],
        ],
      ),
    forDownload: ({ team, artifact }, version, { contentType, disposition, expiresAt, origin }) =>
      urlOf(
        'GET',
        origin,
        [team, artifact, version],
        [
          ['type', contentType],
          ['disposition', disposition],
          ['expires', milliseconds(expiresAt)],
        ],
      ),
    checkUpload(called) {
      const [size = '', expires = ''] = check('PUT', called, ['size', 'expires']);
      const place = { team: called.team, artifact: called.artifact };
      return { place, size: Number(size), expiresAt: unexpired(expires) };
    },
    checkDownload(called) {
      const names = ['type', 'disposition', 'expires'];
      const [contentType = '', disposition = '', expires = ''] = check('GET', called, names);
      const place = { team: called.team, artifact: called.artifact };
      return { place, version: called.name, contentType, disposition, expiresAt: unexpired(expires) };
    },
  };
}

type Method = 'PUT' | 'GET';
type Field = readonly [name: string, value: string];

function milliseconds(at: Instant): string {
  return String(Date.parse(at));
}
