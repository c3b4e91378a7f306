import { expect } from 'chai';
import { once } from 'node:events';
import { request, type IncomingMessage } from 'node:http';
import { openS3Blobs } from '../../../src/adapters/s3/blobs.js';
import type { S3Url } from '../../../src/adapters/s3/url.js';
import { systemClock } from '../../../src/clock.js';
import type { Blobs } from '../../../src/ports/blobs.js';
import { isAppError, type AppError } from '../../../src/errors.js';
import { blobsContract } from '../../contract/blobs/contract.js';
import { bytesOf, get, inSeconds, newPlace, put, steps } from '../../contract/blobs/subject.js';
import { freePort } from '../../kit/free-port.js';
import { startVersitygw, type S3Server } from '../../stack/versitygw.js';
import { storeOf, withCredentials } from './bucket.js';

const origin = 'http://not.used';
/** A call is given up after 4 s. Without that, it hangs as long as the store does. */
const GIVEN_UP_MS = 20_000;

blobsContract('S3 (versitygw)', async () => {
  const server = await startVersitygw();
  const restore = withCredentials(server);
  const blobs = openS3Blobs(storeOf(server), systemClock);
  return {
    blobs,
    origin,
    async stop() {
      await blobs.close();
      restore();
      await server.stop();
    },
  };
});

describe('the blobs: S3 (versitygw), as a store', function () {
  let server: S3Server;
  let restore: () => void;
  const opened: Blobs[] = [];
  const open = (more: Partial<S3Url> = {}) => {
    const blobs = openS3Blobs({ ...storeOf(server), ...more }, systemClock);
    opened.push(blobs);
    return blobs;
  };
  before(async function () {
    this.timeout(600_000);
    server = await startVersitygw();
    restore = withCredentials(server);
  });
  after(async () => {
    for (const blobs of opened) await blobs.close();
    restore();
    await server.stop();
  });

  const upload = { size: 5, expiresAt: inSeconds(600), origin };
  const file = { size: 5, contentType: 'image/png' };

  it('signs the length into upload URLs, and no other header that a client would have to send', async () => {
    const { searchParams } = new URL(await open().uploadUrl(newPlace(), upload));
    expect(searchParams.get('X-Amz-SignedHeaders')).to.equal('content-length;host');
    // The SDK by itself puts the checksum of an empty body into the URL. The store would then refuse every other body.
    expect([...searchParams.keys()].join()).to.not.match(/checksum|crc|sha(1|256)$|content-md5/i);
  });

  it('names keys by the prefix and our ids', async () => {
    const place = newPlace();
    const { pathname } = new URL(await open().uploadUrl(place, upload));
    expect(pathname).to.equal(`/${server.bucket}/of/the/suites/${place.team}/${place.artifact}/upload`);
    for (const trick of ['..', '../x', '', 'a/b', `${place.artifact}/`]) {
      expect(await refusal(() => open().clear({ ...place, artifact: trick }, null))).to.have.property(
        'code',
        'not_found',
      );
    }
  });

  it('keeps the same bytes, uploaded twice, as the same version', async () => {
    const place = newPlace();
    const { upload: uploaded, kept, downloadUrl } = steps({ blobs: open(), origin });
    await uploaded(place, '12345');
    const version = await kept(place, '12345');
    const { headers } = await get(await downloadUrl(place, version));
    await uploaded(place, '12345');
    expect(await kept(place, '12345')).to.equal(version);
    const again = await get(await downloadUrl(place, version));
    expect(again.headers['last-modified'], 'it is not written again').to.equal(headers['last-modified']);
  });

  it('stores a version with the type of the record, whatever type the upload had', async () => {
    const place = newPlace();
    const blobs = open();
    const url = await blobs.uploadUrl(place, upload);
    expect(await put(url, bytesOf('12345'), { 'Content-Type': 'text/html' })).to.equal(200);
    const { version } = await blobs.keep(place, file);
    const download = { contentType: '', disposition: '', expiresAt: inSeconds(60), origin };
    const { headers } = await get(await blobs.downloadUrl(place, version!, download));
    expect(headers['content-type']).to.equal('image/png');
  });

  it('leaves the neighbours of a place alone: another prefix, an id that begins alike', async () => {
    const place = newPlace();
    const [one, other] = [open(), open({ prefix: 'elsewhere/' })];
    for (const blobs of [one, other]) await steps({ blobs, origin }).upload(place, '12345');
    expect(await one.clear(place, null)).to.equal(5);
    expect(await one.keep(place, file)).to.deep.equal({ version: null, found: null });
    expect((await other.keep(place, file)).version).to.be.a('string');
  });

  it('works below any prefix: with a plus, a space, a percent sign, other letters', async () => {
    const blobs = open({ prefix: 'a+b/c d/100%/%2B/über & so=?#/' });
    const uploads = steps({ blobs, origin });
    const place = newPlace();
    await uploads.upload(place, '12345');
    const version = await uploads.kept(place, '12345');
    expect(await uploads.read(place, version)).to.equal('12345');
    expect(await blobs.clear(place, null)).to.equal(10);
  });

  it('clears any number of versions', async () => {
    const place = newPlace();
    const blobs = open();
    const uploads = steps({ blobs, origin });
    for (let n = 0; n < 12; n += 1) {
      await uploads.upload(place, `${10_000 + n}`);
      await uploads.kept(place, '12345');
    }
    expect(await blobs.clear(place, null)).to.equal(13 * 5);
  });

  it('addresses the bucket by the path, or as a host of its own', async () => {
    const place = newPlace();
    const path = new URL(await open().uploadUrl(place, upload));
    expect(path.host).to.equal(new URL(server.url).host);
    const { port } = path;
    const hosted = open({ pathStyle: false, endpoint: `http://s3.test:${port}` });
    const url = new URL(await hosted.uploadUrl(place, upload));
    expect(url.host).to.equal(`${server.bucket}.s3.test:${port}`);
    expect(url.pathname).to.equal(`/of/the/suites/${place.team}/${place.artifact}/upload`);
    // No name server knows that host. The signature must be valid for it.
    expect(await putAtLoopback(url)).to.equal(200);
    expect((await open().keep(place, file)).version).to.be.a('string');
    const amazon = open({ pathStyle: false, endpoint: null, region: 'eu-central-1' });
    expect(new URL(await amazon.uploadUrl(place, upload)).host).to.equal(
      `${server.bucket}.s3.eu-central-1.amazonaws.com`,
    );
  });

  it('signs for the host by which clients reach the store, when that is not ours', async () => {
    const place = newPlace();
    const { port } = new URL(server.url);
    const behind = open({ publicEndpoint: `http://localhost:${port}` });
    const url = await behind.uploadUrl(place, upload);
    expect(new URL(url).host).to.equal(`localhost:${port}`);
    // A URL for one host is not valid at the other.
    expect(await put(url.replace('localhost', '127.0.0.1'), bytesOf('12345'))).to.equal(403);
    expect(await putAtLoopback(new URL(url))).to.equal(200);
    expect((await behind.keep(place, file)).version).to.be.a('string');
  });

  it('signs for at most seven days, the longest time that stores take', async () => {
    const expiresAt = inSeconds(30 * 24 * 3_600);
    const { searchParams } = new URL(await open().uploadUrl(newPlace(), { ...upload, expiresAt }));
    expect(searchParams.get('X-Amz-Expires')).to.equal(String(7 * 24 * 3_600));
  });

  it('lets an upload that began before the end of its URL finish within the hour after it', () => {
    expect(open().settlesInMs).to.equal(3_600_000);
  });

  it('answers blobs_unavailable soon while the store is away, signs all the same, and recovers', async () => {
    const place = newPlace();
    const blobs = open();
    await server.kill();
    expect(await blobs.uploadUrl(place, upload)).to.be.a('string');
    for (const work of [() => blobs.keep(place, file), () => blobs.clear(place, null)]) {
      const { code, cause } = await refusal(work, GIVEN_UP_MS);
      expect(code).to.equal('blobs_unavailable');
      expect(cause).to.be.instanceOf(Error);
    }
    await server.start();
    expect(await blobs.keep(place, file)).to.deep.equal({ version: null, found: null });
  });

  it('answers blobs_unavailable soon while the store hangs', async () => {
    const place = newPlace();
    const blobs = open();
    server.freeze();
    try {
      for (const work of [() => blobs.keep(place, file), () => blobs.clear(place, null)]) {
        expect(await refusal(work, GIVEN_UP_MS)).to.have.property('code', 'blobs_unavailable');
      }
    } finally {
      server.thaw();
    }
    expect(await blobs.clear(place, null)).to.equal(0);
  });

  it('distinguishes a missing bucket and a wrong key from a missing file', async () => {
    const place = newPlace();
    const elsewhere = open({ bucket: 'no-such-bucket' });
    for (const work of [() => elsewhere.clear(place, null), () => elsewhere.keep(place, file)]) {
      expect(await refusal(work)).to.have.property('code', 'blobs_unavailable');
    }
    const unreachable = open({ endpoint: `http://127.0.0.1:${await freePort()}` });
    expect(await refusal(() => unreachable.keep(place, file), GIVEN_UP_MS)).to.have.property(
      'code',
      'blobs_unavailable',
    );
    const right = process.env['AWS_SECRET_ACCESS_KEY'];
    process.env['AWS_SECRET_ACCESS_KEY'] = 'wrong';
    try {
      const { code } = await refusal(() => open().keep(place, file));
      expect(code).to.equal('blobs_unavailable');
    } finally {
      process.env['AWS_SECRET_ACCESS_KEY'] = right;
    }
  });
});

/** Connects as if the host were a name of this machine. */
async function putAtLoopback({ host, port, pathname, search }: URL): Promise<number> {
  const headers = { Host: host, 'Content-Length': 5 };
  const sending = request({ method: 'PUT', host: '127.0.0.1', port, path: pathname + search, headers });
  const [response] = (await once(sending.end('12345'), 'response')) as [IncomingMessage];
  response.resume();
  return response.statusCode ?? 0;
}

async function refusal(work: () => Promise<unknown>, withinMs = 60_000): Promise<AppError> {
  const began = performance.now();
  try {
    await work();
  } catch (error) {
    if (!isAppError(error)) throw error;
    expect(performance.now() - began).to.be.below(withinMs);
    return error;
  }
  return expect.fail('it was not refused');
}
