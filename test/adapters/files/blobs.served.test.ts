import { expect } from 'chai';
import fs, { mkdir, readdir, rm, utimes, writeFile } from 'node:fs/promises';
import { syncBuiltinESMExports } from 'node:module';
import { join } from 'node:path';
import { openFolderBlobs } from '../../../src/adapters/files/blobs.js';
import { blobUrls } from '../../../src/artifacts/blob-urls.js';
import { systemClock } from '../../../src/clock.js';
import type { BlobPlace } from '../../../src/ports/blobs.js';
import { isAppError, AppError } from '../../../src/errors.js';
import { bytesOf, inSeconds, newPlace } from '../../contract/blobs/subject.js';
import { startBlobServer, type BlobServer } from '../../http/artifacts/blob-server.js';

describe('the blobs in a folder, as files', () => {
  let server: BlobServer;
  beforeEach(async () => {
    server = await startBlobServer();
  });
  afterEach(() => server.stop());

  const receive = (place: BlobPlace, text: string, expiresAt = inSeconds(600), size = text.length) =>
    server.files.receive(place, { size, expiresAt }, chunks(text));
  const keep = (place: BlobPlace, size: number) =>
    server.blobs.keep(place, { size, contentType: 'text/plain' });

  it('are below the team and the artifact, named by ids alone', async () => {
    const place = newPlace();
    await receive(place, '12345');
    const { version } = await keep(place, 5);
    const folder = join(server.folder, 'blobs', place.team, place.artifact.slice(-2), place.artifact);
    expect(await readdir(folder)).to.have.members(['upload', version]);
  });

  it('are all deleted with their folders when the last one is cleared', async () => {
    const place = newPlace();
    await receive(place, '12345');
    await keep(place, 5);
    expect(await server.blobs.clear(place, null)).to.equal(5);
    expect(await readdir(join(server.folder, 'blobs'))).to.deep.equal(['tmp']);
    expect(await server.filesThere()).to.deep.equal([]);
  });

  it('count once, however many names they have, and only when the last name is removed', async () => {
    const place = newPlace();
    await receive(place, '12345');
    const { version } = await keep(place, 5);
    expect(await server.blobs.clear(place, version), 'only one of two names').to.equal(0);
    expect(await server.blobs.clear(place, null), 'the last name').to.equal(5);
    await receive(place, '12345');
    await keep(place, 5);
    await receive(place, 'abcdefg');
    expect(await server.blobs.clear(place, null), 'two files').to.equal(12);
  });

  it('are a new version for each upload, also of the same bytes', async () => {
    const place = newPlace();
    await receive(place, '12345');
    const first = await keep(place, 5);
    await receive(place, '12345');
    expect(await keep(place, 5)).to.not.deep.equal(first);
  });

  it('are stored however often their folder is removed meanwhile', async () => {
    const place = newPlace();
    let over = false;
    const clearing = (async () => {
      while (!over) await server.blobs.clear(place, null);
    })();
    for (let n = 0; n < 50; n += 1) await receive(place, '12345');
    over = true;
    await clearing;
  });

  it('are not stored when the URL ends during the upload, and leave nothing', async () => {
    const place = newPlace();
    let time = new Date();
    const clock = () => time;
    const urls = blobUrls([Buffer.alloc(32)], clock);
    const { files, blobs } = await openFolderBlobs({ folder: server.folder, urls, clock, alone: true });
    const expiresAt = new Date(time.getTime() + 1_000).toISOString();
    const bytes = (async function* () {
      yield bytesOf('123');
      time = new Date(time.getTime() + 1_000);
      yield bytesOf('45');
    })();
    await refused(files.receive(place, { size: 5, expiresAt }, bytes), 'url_not_valid');
    expect(await blobs.keep(place, { size: 5, contentType: 'text/plain' })).to.deep.equal({
      version: null,
      found: null,
    });
    expect(await server.filesThere()).to.deep.equal([]);
  });

  it('are read no further than one chunk past their size, and leave nothing when their size is wrong', async () => {
    let asked = 0;
    const endless = (async function* () {
      for (;;) {
        asked += 1;
        yield bytesOf('1234');
      }
    })();
    const upload = { size: 10, expiresAt: inSeconds(600) };
    await refused(server.files.receive(newPlace(), upload, endless), 'size_mismatch');
    expect(asked).to.equal(3);
    await refused(receive(newPlace(), '12345', inSeconds(600), 6), 'size_mismatch');
    expect(await server.filesThere()).to.deep.equal([]);
  });

  it('leave nothing of an upload whose bytes end with an error', async () => {
    const broken = (async function* () {
      yield bytesOf('12');
      throw new AppError('malformed_request', 'cut off');
    })();
    const upload = { size: 5, expiresAt: inSeconds(600) };
    await refused(server.files.receive(newPlace(), upload, broken), 'malformed_request');
    expect(await server.filesThere()).to.deep.equal([]);
  });

  it('are kept for good: every folder on the way is durable, whatever made it', async () => {
    const place = newPlace();
    await receive(place, '12345');
    const { open } = fs;
    const synced: string[] = [];
    fs.open = async (...call) => {
      const handle = await open(...call);
      const sync = handle.sync.bind(handle);
      return Object.assign(handle, { sync: () => sync().then(() => void synced.push(String(call[0]))) });
    };
    syncBuiltinESMExports();
    try {
      await keep(place, 5);
    } finally {
      fs.open = open;
      syncBuiltinESMExports();
    }
    const names = ['blobs', place.team, place.artifact.slice(-2), place.artifact];
    const folders = names.map((_, n) => join(server.folder, ...names.slice(0, n + 1)));
    expect(synced).to.have.members(folders);
  });

  it('are kept soon or not at all, because a cleanup relies on it', async () => {
    const place = newPlace();
    await receive(place, '12345');
    const { now } = performance;
    let looks = 0;
    performance.now = () => now.call(performance) + 5_000 * (looks += 1);
    try {
      await refused(keep(place, 5), 'blobs_unavailable');
    } finally {
      performance.now = now;
    }
    expect(looks).to.equal(2);
    expect(await server.filesThere()).to.deep.equal(['upload']);
    expect(server.blobs.settlesInMs).to.be.above(5_000);
  });

  it('that a killed process left unfinished are removed at the next start', async () => {
    const tmp = join(server.folder, 'blobs', 'tmp');
    await writeFile(join(tmp, 'left'), 'half');
    const options = { folder: server.folder, urls: server.files.urls, clock: systemClock };
    await openFolderBlobs({ ...options, alone: false });
    expect(await readdir(tmp), 'another process may be writing it').to.deep.equal(['left']);
    await openFolderBlobs({ ...options, alone: true });
    expect(await readdir(tmp)).to.deep.equal([]);
    await writeFile(join(tmp, 'old'), 'half');
    const hourAgo = new Date(Date.now() - 3_600_000);
    await utimes(join(tmp, 'old'), hourAgo, hourAgo);
    await openFolderBlobs({ ...options, alone: false });
    expect(await readdir(tmp)).to.deep.equal([]);
  });

  it('are unavailable, with the reason, when the folder cannot be used', async () => {
    const place = newPlace();
    const root = join(server.folder, 'blobs');
    await rm(root, { recursive: true });
    await writeFile(root, 'not a folder');
    const reasons = [
      await refused(receive(place, '12345'), 'blobs_unavailable'),
      await refused(keep(place, 5), 'blobs_unavailable'),
      await refused(server.blobs.clear(place, null), 'blobs_unavailable'),
    ];
    for (const { cause } of reasons) expect(cause).to.have.property('code', 'ENOTDIR');
  });

  it('have no place for a name that is not one of our ids', async () => {
    const { artifact, team } = newPlace();
    const tricks = [
      '..',
      '../..',
      '/etc',
      '',
      'a\0b',
      `${artifact}/..`,
      `../${artifact}`,
      'x'.repeat(5_000),
      'ä',
    ];
    for (const trick of tricks) {
      for (const place of [
        { team: trick, artifact },
        { team, artifact: trick },
      ]) {
        await refused(receive(place, '12345'), 'not_found');
        await refused(keep(place, 5), 'not_found');
        await refused(server.blobs.clear(place, null), 'not_found');
      }
      expect(() => server.files.find({ team, artifact }, trick)).to.throw(AppError, 'no such file');
    }
    await mkdir(join(server.folder, 'blobs'), { recursive: true });
    expect(await readdir(server.folder)).to.deep.equal(['blobs']);
    expect(await readdir(join(server.folder, 'blobs'))).to.deep.equal(['tmp']);
  });
});

async function* chunks(text: string): AsyncGenerator<Uint8Array> {
  for (let at = 0; at < text.length; at += 3) yield bytesOf(text.slice(at, at + 3));
}

async function refused(work: Promise<unknown>, code: string): Promise<AppError> {
  try {
    await work;
  } catch (error) {
    if (!isAppError(error)) throw error;
    expect(error.code, error.message).to.equal(code);
    return error;
  }
  return expect.fail(`it was not refused with ${code}`);
}
