import { expect } from 'chai';
import { mkdir, mkdtemp, readFile, rm, stat, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { openBlobsCopy } from '../../../src/adapters/files/copy-blobs.js';
import { openBlobFolders } from '../../../src/adapters/files/places.js';
import { newIds } from '../../../src/commands/ids.js';

describe('a copy of the files of artifacts', () => {
  let folder = '';
  const [from, to] = [() => join(folder, 'from'), () => join(folder, 'to')];
  const place = () => ({ team: newIds.created('team'), artifact: newIds.created('artifact') });
  const VERSION = 'abc-def';
  beforeEach(async () => {
    folder = await mkdtemp(join(tmpdir(), 'testledger-copy-'));
  });
  afterEach(() => rm(folder, { recursive: true }));

  async function givenFile(at: ReturnType<typeof place>): Promise<string> {
    const path = openBlobFolders(join(from(), 'blobs')).folderOf(at);
    await mkdir(path, { recursive: true });
    await writeFile(join(path, VERSION), 'the bytes');
    return join(path, VERSION);
  }
  const copyOf = (at: ReturnType<typeof place>) =>
    join(openBlobFolders(join(to(), 'blobs')).folderOf(at), VERSION);

  for (const [links, taken] of [
    [true, 'linked'],
    [false, 'copied'],
  ] as const) {
    it(`holds a file that was ${taken} after the server has deleted its own`, async () => {
      const at = place();
      const source = await givenFile(at);
      const copy = openBlobsCopy({ from: from(), to: to(), links });
      expect(await copy.take(at, VERSION)).to.equal(taken);
      expect(await copy.take(at, VERSION)).to.equal('there');
      expect((await stat(copyOf(at))).nlink).to.equal(links ? 2 : 1);
      await rm(source);
      expect(await readFile(copyOf(at), 'utf8')).to.equal('the bytes');
    });

    it(`says so when the file of one that would be ${taken} is missing, and makes nothing`, async () => {
      const copy = openBlobsCopy({ from: from(), to: to(), links });
      expect(await copy.take(place(), VERSION)).to.equal('missing');
      expect(await stat(to()).catch(() => null)).to.equal(null);
    });
  }

  it('loses a file that is removed from it, once or again, and the server keeps its own', async () => {
    const at = place();
    const source = await givenFile(at);
    const copy = openBlobsCopy({ from: from(), to: to() });
    await copy.take(at, VERSION);
    await copy.remove(at);
    await copy.remove(at);
    expect(await stat(copyOf(at)).catch(() => null)).to.equal(null);
    expect(await readFile(source, 'utf8')).to.equal('the bytes');
  });
});
