/** The subject of the suite, and what a client with a URL does. */
import { expect } from 'chai';
import { once } from 'node:events';
import { request, type IncomingHttpHeaders, type IncomingMessage } from 'node:http';
import { text } from 'node:stream/consumers';
import { typeidUnboxed } from 'typeid-js';
import type { BlobPlace, Blobs } from '../../../src/ports/blobs.js';

/** The store of the current test. */
export type BlobsUnderTest = {
  readonly blobs: Blobs;
  /** The origin that a request of ours would pass on. Only stores whose files are served by us use it. */
  readonly origin: string;
};

export function newPlace(): BlobPlace {
  return { team: typeidUnboxed('team'), artifact: typeidUnboxed('artifact') };
}

export function bytesOf(text: string): Uint8Array<ArrayBuffer> {
  return new TextEncoder().encode(text);
}

/** An instant this many seconds from now. */
export function inSeconds(seconds: number): string {
  return new Date(Date.now() + seconds * 1_000).toISOString();
}

/** The answers of a store that refuses: its own 400, or the 403 of a wrong signature. */
export const REFUSED = [400, 403];

type Headers = Record<string, string>;

/** PUTs without a header except the length. */
export async function put(
  url: string,
  bytes: Uint8Array<ArrayBuffer>,
  headers: Headers = {},
): Promise<number> {
  const response = await fetch(url, { method: 'PUT', body: bytes, headers });
  await response.arrayBuffer();
  return response.status;
}

export type Got = { status: number; headers: IncomingHttpHeaders; text: string };

/** Not by `fetch`: with a condition, `fetch` also sends `Cache-Control: no-cache`, which asks for the whole file. */
export async function get(url: string, headers: Headers = {}): Promise<Got> {
  const [response] = (await once(request(url, { headers }).end(), 'response')) as [IncomingMessage];
  return { status: response.statusCode ?? 0, headers: response.headers, text: await text(response) };
}

/** The steps of the tests on the subject. */
export function steps(subject: BlobsUnderTest) {
  const uploadUrl = (place: BlobPlace, size: number, expiresAt = inSeconds(600)) =>
    subject.blobs.uploadUrl(place, { size, expiresAt, origin: subject.origin });
  const downloadUrl = (place: BlobPlace, version: string, more: object = {}) =>
    subject.blobs.downloadUrl(place, version, {
      contentType: 'text/plain',
      disposition: 'attachment; filename="log.txt"',
      expiresAt: inSeconds(600),
      origin: subject.origin,
      ...more,
    });
  const keep = (place: BlobPlace, size: number) =>
    subject.blobs.keep(place, { size, contentType: 'text/plain' });
  return {
    uploadUrl,
    downloadUrl,
    keep,
    async upload(place: BlobPlace, content: string): Promise<void> {
      const bytes = bytesOf(content);
      expect(await put(await uploadUrl(place, bytes.length), bytes)).to.equal(200);
    },
    async kept(place: BlobPlace, content: string): Promise<string> {
      const { version } = await keep(place, bytesOf(content).length);
      return version ?? expect.fail('nothing was kept');
    },
    async read(place: BlobPlace, version: string): Promise<string> {
      const got = await get(await downloadUrl(place, version));
      expect(got.status, got.text).to.equal(200);
      return got.text;
    },
  };
}

/** The URL with one thing changed: each part of our path, and each parameter changed or left out. */
export function tampered(url: string): [what: string, url: string][] {
  const { origin, pathname, searchParams } = new URL(url);
  const made: [string, string][] = [];
  const changed = (was: string) => was.slice(0, -1) + (was.endsWith('1') ? '2' : '1');
  const parts = pathname.split('/');
  for (let n = Math.max(1, parts.length - 3); n < parts.length; n += 1) {
    const others = parts.map((part, at) => (at === n ? changed(part) : part));
    made.push([`part ${n} of the path`, `${origin}${others.join('/')}?${searchParams.toString()}`]);
  }
  for (const [name, value] of searchParams) {
    // It names the operation of the SDK. No store reads it, and it decides nothing.
    if (name === 'x-id') continue;
    const [other, without] = [new URLSearchParams(searchParams), new URLSearchParams(searchParams)];
    other.set(name, changed(value));
    without.delete(name);
    made.push([`${name} changed`, `${origin}${pathname}?${other.toString()}`]);
    made.push([`${name} left out`, `${origin}${pathname}?${without.toString()}`]);
  }
  return made;
}
