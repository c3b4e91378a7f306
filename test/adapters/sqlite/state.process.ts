import { expect } from 'chai';
import { fork, spawn, type ChildProcess } from 'node:child_process';
import { once } from 'node:events';
import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { openSqliteState } from '../../../src/adapters/sqlite/state/state.js';
import type { State } from '../../../src/ports/state.js';

const child = new URL('./state.child.js', import.meta.url);

describe('the state in a SQLite file, written by a process', () => {
  let folder: string;
  let opened: State[];
  const open = (): State => {
    const state = openSqliteState({ folder });
    opened.push(state);
    return state;
  };
  beforeEach(async () => {
    folder = await mkdtemp(join(tmpdir(), 'testledger-state-'));
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
    const stored = await open().list('kind', { limit: 1_000_000 });
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
    const stored = await open().list('kind', { limit: 1_000_000 });
    expect(new Map(stored.map(({ key, version }) => [key, version]))).to.deep.equal(answered);
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
