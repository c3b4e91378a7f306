import { expect } from 'chai';
import { chmod, mkdtemp, readdir, readFile, rm, stat, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { secretInFolder } from '../../../src/adapters/files/secret-key.js';

describe('the secret of a server that was given none', () => {
  let folder = '';
  const file = () => join(folder, 'secret.key');
  beforeEach(async () => {
    folder = await mkdtemp(join(tmpdir(), 'testledger-secret-'));
  });
  afterEach(() => rm(folder, { recursive: true }));

  it('is made at the first start and stays the same', async () => {
    const made = await secretInFolder(folder);
    expect(Buffer.from(made, 'base64url')).to.have.lengthOf(32);
    expect(await secretInFolder(folder)).to.equal(made);
    expect(await readdir(folder)).to.deep.equal(['secret.key']);
  });

  it('is different on another server', async () => {
    const made = await secretInFolder(folder);
    await rm(file());
    expect(await secretInFolder(folder)).to.not.equal(made);
  });

  it('can be read by its owner only', async () => {
    await secretInFolder(folder);
    expect((await stat(file())).mode & 0o777).to.equal(0o600);
  });

  it('is the same for starts at the same instant', async () => {
    const made = await Promise.all(Array.from({ length: 16 }, () => secretInFolder(folder)));
    expect(new Set(made)).to.have.lengthOf(1);
    expect(await readFile(file(), 'utf8')).to.equal(`${made[0]}\n`);
    expect(await readdir(folder)).to.deep.equal(['secret.key']);
  });

  it('is made in a folder that does not exist yet', async () => {
    await secretInFolder(join(folder, 'data', 'below'));
    expect(await readdir(join(folder, 'data', 'below'))).to.deep.equal(['secret.key']);
  });

  for (const mode of [0o644, 0o640, 0o604, 0o620]) {
    it(`is refused when other users have a right to it: ${mode.toString(8)}`, async () => {
      await secretInFolder(folder);
      await chmod(file(), mode);
      expect(await faultOf(secretInFolder(folder))).to.match(/secret\.key can be read by others: chmod 600/);
    });
  }

  for (const [what, text] of Object.entries({
    'an empty file': '',
    'half a key': 'c2hvcnQ',
    'a longer text': 'x'.repeat(44),
    'another alphabet': `${'x'.repeat(42)}+`,
    'two lines': `${'x'.repeat(43)}\n${'y'.repeat(43)}\n`,
  })) {
    it(`is refused, and left as it is, when the file holds ${what}`, async () => {
      await writeFile(file(), text, { mode: 0o600 });
      const fault = await faultOf(secretInFolder(folder));
      expect(fault).to.match(/secret\.key holds no key/);
      if (text !== '') expect(fault).to.not.include(text);
      expect(await readFile(file(), 'utf8')).to.equal(text);
    });
  }
});

async function faultOf(work: Promise<unknown>): Promise<string> {
  return work.then(
    () => expect.fail('it was taken'),
    (error: Error) => error.message,
  );
}
