import { expect } from 'chai';
import { once } from 'node:events';
import type { ClientRequest, IncomingMessage } from 'node:http';
import { bytesOf, inSeconds, newPlace, put } from '../contract/blobs.subject.js';
import { eventually } from '../stores.js';
import { startBlobServer, type BlobServer } from './blob-server.js';
import { refusalOf, sendingTo } from './uploading.js';

describe('uploads at the same time', function () {
  let server: BlobServer;
  before(async () => {
    server = await startBlobServer({ slots: { ofOnePlace: 2, inAll: 3 } });
  });
  after(() => server.stop());

  const open: ClientRequest[] = [];
  afterEach(async () => {
    for (const each of open.splice(0)) each.on('error', () => undefined).destroy();
    await eventually('all have ended', async () => (await unfinished()) === 0);
  });

  const signed = (place = newPlace()) =>
    server.blobs.uploadUrl(place, { size: 5, expiresAt: inSeconds(600), origin: server.url });
  const unfinished = async () => (await server.filesThere()).filter((name) => name !== 'upload').length;

  /** Starts uploads that lack their last byte; resolves when each has a file. */
  async function half(...urls: string[]): Promise<ClientRequest[]> {
    const begun = urls.map((url) => sendingTo(url, { 'Content-Length': 5 }));
    for (const each of begun) each.write('1234');
    open.push(...begun);
    await eventually('they have begun', async () => (await unfinished()) === open.length);
    return begun;
  }

  async function ended(sending: ClientRequest): Promise<number> {
    const answer = once(sending, 'response') as Promise<[IncomingMessage]>;
    sending.end('5');
    const [response] = await answer;
    response.resume();
    return response.statusCode ?? 0;
  }

  /** Expects a refusal before the server asks for a byte. */
  async function expectOverloaded(url: string): Promise<void> {
    const sending = sendingTo(url, { 'Content-Length': 5, Expect: '100-continue' });
    const { status, headers, body } = await refusalOf(sending);
    expect([status, body.code]).to.deep.equal([503, 'overloaded']);
    expect(headers['retry-after']).to.equal('5');
  }

  it('are at most two of one file: a third is 503 overloaded until one of them has ended', async () => {
    const url = await signed();
    const [first] = await half(url, url);
    await expectOverloaded(url);
    await expectOverloaded(url);
    expect(await put(await signed(), bytesOf('12345')), 'of another file').to.equal(200);
    expect(await ended(first!)).to.equal(200);
    expect(await put(url, bytesOf('12345'))).to.equal(200);
  });

  it('are at most the configured number in all: one more is 503 overloaded', async () => {
    const [first] = await half(await signed(), await signed(), await signed());
    const url = await signed();
    await expectOverloaded(url);
    expect(await ended(first!)).to.equal(200);
    expect(await put(url, bytesOf('12345'))).to.equal(200);
  });

  it('free their slot when they are cut off or refused', async () => {
    const url = await signed();
    for (let n = 0; n < 3; n += 1) {
      for (const each of await half(url, url)) each.on('error', () => undefined).destroy();
      open.splice(0);
      await eventually('nothing is left', async () => (await unfinished()) === 0);
      const tooLong = sendingTo(url, { 'Transfer-Encoding': 'chunked' });
      tooLong.end('123456');
      expect((await refusalOf(tooLong)).status).to.equal(400);
    }
    expect(await put(url, bytesOf('12345'))).to.equal(200);
  });
});
