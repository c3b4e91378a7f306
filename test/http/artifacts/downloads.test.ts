import { expect } from 'chai';
import { mkdir, rm } from 'node:fs/promises';
import { join } from 'node:path';
import { Writable } from 'node:stream';
import { pino } from 'pino';
import { get, inSeconds, newPlace, put } from '../../contract/blobs/subject.js';
import { startBlobServer, type BlobServer } from './blob-server.js';

describe('downloads from the folder of files', () => {
  let server: BlobServer;
  let logged = '';
  let unmasked: (team: string) => readonly string[] = () => [];
  before(async () => {
    const lines = new Writable({
      write(chunk: Buffer, _encoding, done) {
        logged += chunk.toString();
        done();
      },
    });
    server = await startBlobServer({
      logger: pino({ level: 'debug' }, lines),
      unmasked: (team) => unmasked(team),
    });
  });
  after(() => server.stop());

  async function given(bytes: Uint8Array<ArrayBuffer>, contentType = 'image/png') {
    const place = newPlace();
    const upload = { size: bytes.length, expiresAt: inSeconds(600), origin: server.url };
    const uploadUrl = await server.blobs.uploadUrl(place, upload);
    expect(await put(uploadUrl, bytes)).to.equal(200);
    const { version } = await server.blobs.keep(place, { size: bytes.length, contentType });
    const download = { contentType, disposition: 'inline; filename=a.png', expiresAt: inSeconds(60) };
    const url = await server.blobs.downloadUrl(place, version!, { ...download, origin: server.url });
    return { place, version: version!, url, uploadUrl };
  }

  it('are refused for a text of up to 10 MB that holds a text which its team is redacting', async () => {
    const bytes = (text: string) => new Uint8Array(Buffer.from(text));
    const secret = 'canary-1';
    const log = await given(bytes(`a log of ${secret}`), 'text/plain; charset=utf-8');
    const clean = await given(bytes('a log of nothing'), 'text/plain');
    const json = await given(bytes(`{"a":"${secret}"}`), 'application/json');
    const picture = await given(bytes(secret), 'image/png');
    const large = await given(bytes(secret.padEnd(10_000_001)), 'text/plain');
    const statuses = () =>
      Promise.all([log, clean, json, picture, large].map(async ({ url }) => (await get(url)).status));
    unmasked = (team) => (team === log.place.team || team === json.place.team ? ['another', secret] : []);
    expect(await statuses()).to.deep.equal([404, 200, 404, 200, 200]);
    unmasked = () => [];
    expect(await statuses()).to.deep.equal([200, 200, 200, 200, 200]);
  });

  it('have headers that prevent scripts, guessed types and referrers', async () => {
    const { url, version } = await given(new Uint8Array(5), 'text/html');
    const { status, headers } = await get(url);
    expect(status).to.equal(200);
    expect(headers).to.include({
      'content-type': 'text/html',
      'content-disposition': 'inline; filename=a.png',
      'content-length': '5',
      'x-content-type-options': 'nosniff',
      'content-security-policy': "default-src 'none'; style-src 'unsafe-inline'; sandbox",
      'cross-origin-resource-policy': 'cross-origin',
      'referrer-policy': 'no-referrer',
      etag: `"${version}"`,
    });
    expect(headers['last-modified']).to.be.a('string');
    expect(headers['x-request-id']).to.be.a('string');
  });

  it('allow only the client to cache the file, until the URL expires', async () => {
    const { url } = await given(new Uint8Array(5));
    const { headers } = await get(url);
    const [, seconds] = /^private, max-age=(\d+), immutable$/.exec(headers['cache-control'] ?? '') ?? [];
    expect(Number(seconds)).to.be.within(50, 60);
  });

  it('answer HEAD with the headers and without a body', async () => {
    const { url } = await given(new Uint8Array(1_000));
    const { status, headers } = await fetch(url, { method: 'HEAD' });
    expect(status).to.equal(200);
    expect(headers.get('content-length')).to.equal('1000');
    expect(headers.get('content-type')).to.equal('image/png');
  });

  it('continue where a client was cut off, if the file is the same', async () => {
    const { url, version } = await given(new Uint8Array(Buffer.from('0123456789')));
    const same = await get(url, { Range: 'bytes=4-', 'If-Range': `"${version}"` });
    expect([same.status, same.text]).to.deep.equal([206, '456789']);
    const other = await get(url, { Range: 'bytes=4-', 'If-Range': '"another"' });
    expect([other.status, other.text]).to.deep.equal([200, '0123456789']);
  });

  for (const [what, headers, status, code] of [
    ['a range beyond the file', { Range: 'bytes=10-' }, 416, 'range_not_satisfiable'],
    ['a condition that does not hold', { 'If-Match': '"another"' }, 412, 'precondition_failed'],
  ] as const) {
    it(`refuse ${what} with ${status}, as a problem`, async () => {
      const { url } = await given(new Uint8Array(10));
      const { headers: answered, text, ...answer } = await get(url, headers);
      expect(answer.status).to.equal(status);
      expect(JSON.parse(text)).to.include({ status, code });
      expect(answered['content-type']).to.match(/^application\/problem\+json/);
      for (const name of ['content-disposition', 'etag']) expect(answered[name]).to.equal(undefined);
      expect(answered['cache-control']).to.equal('no-store');
      if (status === 416) expect(answered['content-range']).to.equal('bytes */10');
    });
  }

  it('are a 404 problem that is not cached once the file is deleted', async () => {
    const { place, url } = await given(new Uint8Array(5));
    await server.blobs.clear(place, null);
    const { status, headers, text } = await get(url);
    expect(status).to.equal(404);
    expect(JSON.parse(text)).to.include({ code: 'not_found' });
    expect(headers['cache-control']).to.equal('no-store');
  });

  it('are 404 for anything but a file, never a listing', async () => {
    const { place, version, url } = await given(new Uint8Array(5));
    const file = join(server.folder, 'blobs', place.team, place.artifact.slice(-2), place.artifact, version);
    await rm(file);
    await mkdir(file);
    expect((await get(url)).status).to.equal(404);
  });

  it('are counted and logged like all requests, without the signature of the URL', async () => {
    logged = '';
    const { url, uploadUrl, place } = await given(new Uint8Array(5));
    await get(url);
    await put(`${uploadUrl}x`, new Uint8Array(5));
    const lines = logged
      .trim()
      .split('\n')
      .map((line) => JSON.parse(line) as Record<string, unknown>);
    expect(lines.map(({ method, status }) => [method, status])).to.deep.equal([
      ['PUT', 200],
      ['GET', 200],
      ['PUT', 403],
    ]);
    for (const line of lines) {
      expect(line['request_id']).to.be.a('string');
      expect(line['path']).to.match(new RegExp(`^/v1/blobs/${place.team}/${place.artifact}/[^?]+$`));
    }
    for (const each of [url, uploadUrl]) {
      expect(logged).to.not.include(new URL(each).searchParams.get('signature'));
    }
    expect(logged).to.not.include('signature');
  });
});
