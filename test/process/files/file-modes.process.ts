import { expect } from 'chai';
import { chmod, lstat, mkdir, readdir, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { nullIfMissing } from '../../../src/adapters/files/places.js';
import { givenArtifact, givenProject, givenResult } from '../../http/given.js';
import { servers, type RunningServer } from '../../kit/process.js';

describe('the process: modes of its files', () => {
  const given = servers();
  const folder = () => join(given.folder, 'data');
  const env = () => ({ DATA_DIR: folder() });

  async function write(server: RunningServer): Promise<void> {
    const project = await givenProject(server.owner);
    const { test_result_id } = await givenResult(server.owner, project);
    await givenArtifact(server.owner, test_result_id);
    await server.caughtUp();
  }

  /** The modes of everything in the folder, by path, and that of the folder itself. */
  async function modes(): Promise<Map<string, string>> {
    const names = await readdir(folder(), { recursive: true });
    const found = new Map<string, string>();
    for (const name of ['', ...names]) {
      // SQLite removes its journals at any time.
      const stats = await lstat(join(folder(), name)).catch(nullIfMissing);
      if (stats !== null) found.set(name, (stats.mode & 0o777).toString(8));
    }
    return found;
  }

  async function openToOthers(): Promise<void> {
    for (const [name, mode] of await modes()) {
      if (name !== 'secret.key') await chmod(join(folder(), name), mode === '600' ? 0o644 : 0o755);
    }
  }

  function expectOnly(found: Map<string, string>, file: string, folderMode: string): void {
    expect([...found.keys()]).to.include.members([
      'events.sqlite',
      'events.sqlite-wal',
      'state.sqlite',
      'blobs',
    ]);
    for (const [name, mode] of found) expect(mode, name || 'DATA_DIR').to.be.oneOf([file, folderMode]);
    expect(found.get('events.sqlite')).to.equal(file);
    expect(found.get('')).to.equal(folderMode);
  }

  it('lets no other user of the machine read anything in a new DATA_DIR, whatever the umask', async () => {
    const before = process.umask(0);
    try {
      const server = await given.start({ env: env() });
      await write(server);
      expectOnly(await modes(), '600', '700');
      await server.stop();
    } finally {
      process.umask(before);
    }
  });

  it('closes a DATA_DIR that other users could read, with its files, and logs that', async () => {
    const first = await given.start({ env: env() });
    await write(first);
    await first.kill();
    await openToOthers();
    const second = await given.start({ env: env() });
    await write(second);
    const found = await modes();
    for (const name of ['', 'blobs']) expect(found.get(name), name).to.equal('700');
    for (const [name, mode] of found)
      if (name.startsWith('events') || name.includes('sqlite')) expect(mode, name).to.equal('600');
    const said = second.logged().map(({ msg }) => msg);
    expect(said, said.join('\n')).to.include(
      `${folder()} had the mode 0755, and other users could read it; it has 0700 now`,
    );
    await second.stop();
    const third = await given.start({ env: env() });
    expect(third.logged().filter(({ msg }) => msg.includes('had the mode'))).to.deep.equal([]);
  });

  it('leaves the files readable by the group of a DATA_DIR with the mode 0750, but not the secret', async () => {
    await mkdir(folder());
    await chmod(folder(), 0o750);
    const server = await given.start({ env: env() });
    await write(server);
    const found = await modes();
    expect(found.get('secret.key')).to.equal('600');
    found.delete('secret.key');
    expectOnly(found, '640', '750');
  });

  it('leaves the mode of a folder that holds other things too, says so, and closes its own files', async () => {
    await mkdir(folder());
    await writeFile(join(folder(), 'notes.txt'), 'not ours');
    await chmod(folder(), 0o755);
    const server = await given.start({ env: env() });
    await write(server);
    const found = await modes();
    expect(found.get('')).to.equal('755');
    expect(found.get('events.sqlite')).to.equal('600');
    expect(found.get('blobs')).to.equal('700');
    expect(server.logged().map(({ msg }) => msg)).to.include(
      `other users may enter the folder ${folder()}; it holds other things too, so it stays open`,
    );
  });
});
