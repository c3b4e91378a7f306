import { expect } from 'chai';
import { once } from 'node:events';
import { request, type ClientRequest, type IncomingMessage } from 'node:http';
import { bytesOf, get, inSeconds, newPlace, put } from '../../contract/blobs/subject.js';
import { eventually } from '../../stores.js';
import { startBlobServer, type BlobServer } from './blob-server.js';
import { refusalOf, sendingTo } from './uploading.js';

describe('uploads at the same time', function () {
  let server: BlobServer;
  before(async () => {
    server = await startBlobServer({ admitted: { uploads: { places: { perKey: 2, perTeam: 3, all: 4 } } } });
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

  it('are at most the share of one team: another team gets the rest at once', async () => {
    const place = newPlace();
    const ofTeam = () => signed({ ...newPlace(), team: place.team });
    const [first] = await half(await ofTeam(), await ofTeam(), await ofTeam());
    const url = await ofTeam();
    await expectOverloaded(url);
    expect(await put(await signed(), bytesOf('12345')), 'of another team').to.equal(200);
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

describe('downloads at the same time', () => {
  let server: BlobServer;
  before(async () => {
    server = await startBlobServer({ admitted: { downloads: { places: { perTeam: 1, all: 2 } } } });
  });
  after(() => server.stop());

  it('are at most the share of one team, until its readers have gone', async () => {
    // More than the buffers of both systems hold on loopback.
    const size = 24 * 1024 * 1024;
    const [url, others] = await Promise.all(
      [newPlace(), newPlace()].map(async (place) => {
        const upload = { size, expiresAt: inSeconds(600), origin: server.url };
        await put(await server.blobs.uploadUrl(place, upload), new Uint8Array(size));
        const { version } = await server.blobs.keep(place, { size, contentType: 'image/png' });
        const disposition = 'inline; filename=a.png';
        const download = { contentType: 'image/png', disposition, expiresAt: inSeconds(60) };
        return server.blobs.downloadUrl(place, version!, { ...download, origin: server.url });
      }),
    );
    const reader = request(url!, { agent: false });
    const [unread] = (await once(reader.end(), 'response')) as [IncomingMessage];
    expect(unread.statusCode).to.equal(200);
    const refused = await get(url!);
    expect([refused.status, JSON.parse(refused.text).code]).to.deep.equal([503, 'overloaded']);
    expect(refused.headers['retry-after']).to.equal('5');
    expect((await get(others!)).status, 'of another team').to.equal(200);
    unread.on('error', () => undefined);
    reader.destroy();
    await eventually('the next has its turn', async () => (await get(url!)).status === 200);
  });
});
