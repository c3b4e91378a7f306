import { expect } from 'chai';
import { spawn, spawnSync, type ChildProcess } from 'node:child_process';
import { once } from 'node:events';
import { mkdtemp, readdir, rm, symlink, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { Worker } from 'node:worker_threads';
import { lockFolder } from '../../../src/adapters/sqlite/folder-lock.js';

describe('the lock of a folder', function () {
  let folder = '';
  let holder: ChildProcess | undefined;
  beforeEach(async () => {
    folder = await mkdtemp(join(tmpdir(), 'testledger-lock-'));
  });
  afterEach(async () => {
    holder?.kill('SIGKILL');
    await rm(folder, { recursive: true });
  });
  const inUse = (path: string) => `the folder ${path} is in use by another testledger server`;

  it('has one holder per process at a time, by any name of the folder', async () => {
    const alias = `${folder}-alias`;
    await symlink(folder, alias);
    try {
      const lock = lockFolder(folder);
      expect(() => lockFolder(folder)).to.throw(inUse(folder));
      expect(() => lockFolder(alias)).to.throw(inUse(folder));
      lock.release();
      lock.release();
      lockFolder(alias).release();
    } finally {
      await rm(alias);
    }
  });

  it('is held against the other threads of the process', async () => {
    const lock = lockFolder(folder);
    const tryInThread = async () => {
      const worker = new Worker(script, {
        eval: true,
        execArgv: ['--input-type=module'],
        argv: [moduleUrl, folder],
      });
      const [message] = (await once(worker, 'message')) as [string];
      await worker.terminate();
      return message;
    };
    expect(await tryInThread()).to.equal(inUse(folder));
    expect(await tryInThread(), 'after another thread has tried').to.equal(inUse(folder));
    expect(tryInProcess(folder)).to.equal(inUse(folder));
    lock.release();
    expect(await tryInThread()).to.equal('locked');
  });

  it('is held against other processes until it is released, however many of them have tried', () => {
    const lock = lockFolder(folder);
    expect(() => lockFolder(folder)).to.throw('in use');
    expect(tryInProcess(folder)).to.equal(inUse(folder));
    expect(tryInProcess(folder)).to.equal(inUse(folder));
    lock.release();
    expect(tryInProcess(folder)).to.equal('locked');
  });

  it('is free at once after its process was killed, and leaves nothing to clear up', async () => {
    holder = spawn(process.execPath, [
      '--input-type=module',
      '-e',
      `${script}; setInterval(() => {}, 1000)`,
      moduleUrl,
      folder,
    ]);
    await once(holder.stdout!, 'data');
    expect(() => lockFolder(folder)).to.throw(inUse(folder));
    const ended = once(holder, 'exit');
    holder.kill('SIGKILL');
    await ended;
    expect(await readdir(folder)).to.deep.equal(['lock.sqlite']);
    lockFolder(folder).release();
  });

  it('makes the folder where it is missing', async () => {
    const missing = join(folder, 'a', 'b');
    lockFolder(missing).release();
    expect(await readdir(missing)).to.deep.equal(['lock.sqlite']);
  });

  it('says why when the folder cannot be locked for another reason', async () => {
    await writeFile(join(folder, 'lock.sqlite'), 'no database'.repeat(100));
    expect(() => lockFolder(folder)).to.throw(`the folder ${folder} cannot be locked`);
  });
});

const moduleUrl = new URL('../../../src/adapters/sqlite/folder-lock.js', import.meta.url).href;

/** Tries to lock the folder and prints the outcome. Holds the lock as long as the process or thread lives. */
const script = `
  const [moduleUrl, folder] = process.argv.slice(-2);
  const { lockFolder } = await import(moduleUrl);
  const { parentPort } = await import('node:worker_threads');
  let outcome = 'locked';
  try { lockFolder(folder); } catch (error) { outcome = error.message; }
  if (parentPort) parentPort.postMessage(outcome); else console.log(outcome);
`;

function tryInProcess(folder: string): string {
  const child = spawnSync(process.execPath, ['--input-type=module', '-e', script, moduleUrl, folder]);
  return child.stdout.toString().trim();
}
