import { expect } from 'chai';
import { once } from 'node:events';
import { readdir } from 'node:fs/promises';
import { request, type ClientRequest, type IncomingMessage } from 'node:http';
import { join } from 'node:path';
import { json } from 'node:stream/consumers';
import { secretInFolder } from '../../src/adapters/files/secret-key.js';
import { blobUrls } from '../../src/artifacts/blob-urls.js';
import { systemClock } from '../../src/clock.js';
import { deriveKey } from '../../src/secret-key/derive-key.js';
import { inSeconds, newPlace } from '../contract/blobs/subject.js';
import { servers, until } from '../kit/process.js';

describe('the process: uploads to its folder', () => {
  const given = servers();

  it('on a full disk, refuses an upload with 503, a code and Retry-After, leaves nothing of it, and takes one that fits', async () => {
    const server = await given.start({ fileLimit: 8_000 });
    const sending = sendingTo(await urlFor(server.url, 20_000_000), 20_000_000);
    sending.on('error', () => undefined).end(Buffer.alloc(20_000_000));
    const [response] = (await once(sending, 'response')) as [IncomingMessage];
    expect(response.statusCode).to.equal(503);
    expect(Number(response.headers['retry-after'])).to.be.greaterThan(0);
    expect(await json(response)).to.include({
      code: 'blobs_unavailable',
      detail: 'The file storage is full.',
    });
    await until('nothing to be left', async () => (await files()).length === 0);
    const small = await fetch(await urlFor(server.url, 5), { method: 'PUT', body: '12345' });
    expect(small.status).to.equal(200);
  });

  it('removes at its next start the rest of an upload during which it was killed', async () => {
    const server = await given.start();
    const sending = sendingTo(await urlFor(server.url, 1_000_000), 1_000_000);
    sending.on('error', () => undefined).write(Buffer.alloc(500_000));
    await until('the upload to begin', async () => (await files()).length === 1);
    await server.kill();
    expect(await files()).to.have.lengthOf(1);
    await given.start();
    expect(await files()).to.deep.equal([]);
  });

  it('ends within 10 s of SIGTERM during an upload that does not end, and leaves nothing of it', async () => {
    const server = await given.start();
    const sending = sendingTo(await urlFor(server.url, 1_000_000), 1_000_000);
    sending.on('error', () => undefined).write(Buffer.alloc(500_000));
    await until('the upload to begin', async () => (await files()).length === 1);
    const { code, afterMs } = await server.stop();
    expect(code).to.equal(0);
    expect(afterMs).to.be.below(10_000);
    expect(await files()).to.deep.equal([]);
  });

  /** Signed as the server signs it, with the secret in its folder. */
  async function urlFor(origin: string, size: number): Promise<string> {
    const urls = blobUrls([deriveKey(await secretInFolder(given.folder), 'blob-urls')], systemClock);
    return urls.forUpload(newPlace(), { size, expiresAt: inSeconds(600), origin });
  }

  async function files(): Promise<string[]> {
    const below = join(given.folder, 'blobs');
    const entries = await readdir(below, { recursive: true, withFileTypes: true });
    return entries.filter((entry) => entry.isFile()).map(({ name }) => name);
  }
});

function sendingTo(url: string, length: number): ClientRequest {
  return request(url, { method: 'PUT', headers: { 'Content-Length': length }, agent: false });
}
