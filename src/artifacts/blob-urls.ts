/**
 * URLs by which files of the folder are written and read. The URL is the authority: its signature covers the method,
 * the place and every parameter, as they stand there, so nothing in it can be exchanged, added or left out.
 */
import { createHmac, timingSafeEqual } from 'node:crypto';
import type { Instant } from '../domain/event.js';
import { fail } from '../errors.js';
import type { Clock } from '../clock.js';
import type { BlobPlace, Download } from '../ports/blobs.js';

export type BlobUrls = {
  forUpload(place: BlobPlace, upload: { size: number; expiresAt: Instant; origin: string }): string;
  forDownload(place: BlobPlace, version: string, download: Download): string;
  /** What an upload to this URL may be. @throws LedgerError `url_not_valid`: tampered with, or past its end. */
  checkUpload(called: CalledUrl): SignedUpload;
  /** What a download from this URL is served as. @throws LedgerError `url_not_valid` */
  checkDownload(called: CalledUrl): SignedDownload;
};

/** As it was called: the parts of the path decoded, the query as it stands there. */
export type CalledUrl = { team: string; artifact: string; name: string; query: string };

export type SignedUpload = { place: BlobPlace; size: number; expiresAt: Instant };

export type SignedDownload = { place: BlobPlace; version: string } & Omit<Download, 'origin'>;

/** Where the routes are that serve these URLs. */
export const BLOBS_BASE = '/v1/blobs';

/** What an upload is called at its place, and so the last part of its path; no version is called so. */
export const UPLOAD = 'upload';

export function blobUrls(key: Buffer, clock: Clock): BlobUrls {
  const sign = (method: Method, parts: readonly string[], fields: readonly Field[]): string =>
    createHmac('sha256', key)
      .update(JSON.stringify([method, parts, fields]))
      .digest('base64url');

  function urlOf(method: Method, origin: string, parts: readonly string[], fields: readonly Field[]): string {
    const query = new URLSearchParams([...fields, ['signature', sign(method, parts, fields)]] as [
      string,
      string,
    ][]);
    return `${origin}${BLOBS_BASE}/${parts.map(encodeURIComponent).join('/')}?${query.toString()}`;
  }

  /** The values of the parameters, which have to be these in this order, and then the signature. */
  function check(
    method: Method,
    { team, artifact, name, query }: CalledUrl,
    names: readonly string[],
  ): string[] {
    const fields = [...new URLSearchParams(query)] as Field[];
    const [last, signature = ''] = fields.pop() ?? [];
    const expected = Buffer.from(sign(method, [team, artifact, name], fields));
    const given = Buffer.from(signature);
    // Of the text, not of the bytes that it stands for: several texts may stand for the same.
    const genuine = given.length === expected.length && timingSafeEqual(given, expected);
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
        [team, artifact, UPLOAD],
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
