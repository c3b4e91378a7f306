import { expect } from 'chai';
import { fork, spawn, type ChildProcess } from 'node:child_process';
import { once } from 'node:events';
import { mkdtemp, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import type { Worker } from 'node:worker_threads';
import { openSqliteState } from '../../../src/adapters/sqlite/state/state.js';
import type { State } from '../../../src/ports/state.js';
import { isLedgerError } from '../../../src/errors.js';
import { stateContract } from '../../contract/state/contract.js';

const child = new URL('./state.child.js', import.meta.url);
const emptyFolder = () => mkdtemp(join(tmpdir(), 'testledger-state-'));

/** How the two openings of the suite write. */
const openings = [
  ['SQLite, written by threads', [true, true]],
  ['SQLite, written by the caller', [false, false]],
  ['SQLite, written by a thread and by the caller', [true, false]],
] as const;
for (const [name, threads] of openings) {
  stateContract(name, async () => {
    const folder = await emptyFolder();
    let opened = 0;
    return {
      open: (now) => openSqliteState({ folder, thread: threads[(opened += 1) % 2] ?? true, now }),
      remove: () => rm(folder, { recursive: true }),
    };
  });
}

describe('the state in a SQLite file', function () {
  let folder: string;
  let opened: State[];
  const open = (thread: boolean): State => {
    const state = openSqliteState({ folder, thread });
    opened.push(state);
    return state;
  };
  beforeEach(async () => {
    folder = await emptyFolder();
    opened = [];
  });
  afterEach(async () => {
    for (const state of opened) await state.close();
    await rm(folder, { recursive: true });
  });

  it('keeps everything that was answered when the process is killed, round after round', async () => {
    const answered = new Map<string, number>();
    for (let round = 0; round < 6; round += 1) {
      const process = fork(child, [folder, String(round * 1_000_000), '100']);
      const ended = once(process, 'exit');
      await answers(process, answered, answered.size + 100 + Math.floor(Math.random() * 500));
      process.kill('SIGKILL');
      await ended;
    }
    const stored = await open(false).list('kind', { limit: 1_000_000 });
    const versions = new Map(stored.map(({ key, version }) => [key, version]));
    for (const [key, version] of answered) expect(versions.get(key), `entry ${key}`).to.equal(version);
    expect(new Set(versions.values()).size, 'versions of their own').to.equal(stored.length);
  });

  it('refuses writes when the disk is full, says why and when to try again, and still reads', async () => {
    const limited = spawn(
      'sh',
      ['-c', 'ulimit -f 2000; exec "$0" "$@"', process.execPath, fileURLToPath(child), folder, '0', '3000'],
      {
        stdio: ['ignore', 'inherit', 'inherit', 'ipc'],
      },
    );
    const ended = once(limited, 'exit');
    const answered = new Map<string, number>();
    const refusals: object[] = [];
    limited.on('message', (message: { key: string; version: number } | { code: string }) => {
      if ('key' in message) answered.set(message.key, message.version);
      else refusals.push(message);
    });
    await ended;
    expect(refusals).to.have.length(20);
    for (const refusal of refusals) {
      expect(refusal).to.deep.include({ code: 'state_unavailable', retryAfter: 10, readable: true });
      expect(refusal)
        .to.have.property('detail')
        .that.includes('no space left')
        .and.includes(join(folder, 'state.sqlite'));
    }
    const stored = await open(true).list('kind', { limit: 1_000_000 });
    expect(new Map(stored.map(({ key, version }) => [key, version]))).to.deep.equal(answered);
  });

  it('goes on with a new thread when the writing thread dies, and refuses only the writes of that one', async () => {
    const workers: Worker[] = [];
    const seen = (worker: Worker): void => void workers.push(worker);
    process.on('worker', seen);
    const state = open(true);
    await state.put('kind', 'before', 1, { expected: 'absent' });
    const [worker] = workers;
    const had = Array.from({ length: 50 }, (_, n) =>
      state.put('kind', `during ${n}`, n, { expected: 'absent' }),
    );
    const settled = Promise.allSettled(had);
    await worker?.terminate();
    for (const one of await settled) {
      if (one.status === 'rejected') expect(isLedgerError(one.reason, 'state_unavailable')).to.equal(true);
    }
    expect(await state.put('kind', 'after', 2, { expected: 'absent' })).to.be.a('number');
    expect(await state.get('kind', 'before')).to.not.equal(null);
    process.off('worker', seen);
    expect(workers).to.have.length(2);
  });

  it('names a damaged file, and what to do about it', async () => {
    await writeFile(join(folder, 'state.sqlite'), 'garbage'.repeat(1_000));
    expect(() => open(true))
      .to.throw()
      .that.satisfies((error: unknown) => {
        expect(isLedgerError(error, 'state_unavailable')).to.equal(true);
        expect(String(error)).to.include(join(folder, 'state.sqlite')).and.to.include('backup');
        return true;
      });
  });
});

/** Notes what the process says was answered, until there are as many as wanted. */
async function answers(from: ChildProcess, answered: Map<string, number>, wanted: number): Promise<void> {
  return new Promise((resolve, reject) => {
    from.on('message', (message: { key: string; version: number }) => {
      answered.set(message.key, message.version);
      if (answered.size >= wanted) resolve();
    });
    from.once('exit', (code) => reject(new Error(`the process ended with ${code}`)));
  });
}
