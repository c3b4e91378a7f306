import { expect } from 'chai';
import { spawn, spawnSync, type ChildProcess } from 'node:child_process';
import { once } from 'node:events';
import { createInterface } from 'node:readline';
import { fileURLToPath } from 'node:url';
import { setImmediate as nextTurn } from 'node:timers/promises';
import type { Worker } from 'node:worker_threads';
import { writerThread } from '../../../src/adapters/sqlite/writer.js';
import { START, streamName } from '../../../src/domain/event.js';
import { isAppError } from '../../../src/errors.js';
import { following, ids, newEvents, newTeam, until } from '../../contract/event-log/events.js';
import type { ChildLine } from './log.child.js';
import { expectWhole, temporaryFolder, breakWriter } from './log.folder.js';

describe('the event log: SQLite, under faults', function () {
  this.timeout(600_000);
  const folder = temporaryFolder();
  const running = new Set<ChildProcess>();
  afterEach(() => {
    for (const child of running) child.kill('SIGKILL');
  });

  it('keeps everything that it answered, and no append in part, through kill -9 at any moment', async () => {
    const lines: ChildLine[] = [];
    for (let round = 0; round < 6; round += 1) {
      const child = start([process.execPath, childScript, folder.path, '200'], lines);
      const enough = lines.length + Math.floor(Math.random() * 400);
      await until('appends of the child', () => lines.length > enough, SLOWEST_MS);
      await child.kill();
      const log = await folder.open();
      const events = await expectWhole(log, acknowledged(lines));
      expect(events.length).to.be.greaterThan(0);
      await log.close();
    }
  });

  it('refuses appends while the disk is full, keeps everything that it answered, and goes on when there is space', async () => {
    const lines: ChildLine[] = [];
    const child = start(onSmallDisk(folder.path), lines);
    await until('a full disk', () => refused(lines).length > 30, SLOWEST_MS);
    const before = acknowledged(lines).length;
    for (const line of refused(lines)) {
      expect(line.unavailable).to.match(/disk is full/);
      expect(line.retryAfter).to.be.greaterThan(0);
      expect(line.readable, 'reading while the disk is full').to.equal(true);
    }
    spawnSync('prlimit', ['--pid', String(child.pid), '--fsize=unlimited:unlimited']);
    await until('appends after there is room', () => acknowledged(lines).length > before + 200, SLOWEST_MS);
    await child.kill();
    await expectWhole(await folder.open(), acknowledged(lines));
  });

  it('keeps everything that it answered when it is killed while the disk is full', async () => {
    const lines: ChildLine[] = [];
    const child = start(onSmallDisk(folder.path), lines);
    await until('a full disk', () => refused(lines).length > 30, SLOWEST_MS);
    await child.kill();
    expect(acknowledged(lines).length).to.be.greaterThan(0);
    await expectWhole(await folder.open(), acknowledged(lines));
  });

  it('answers every append when the writer thread dies, and goes on with a new one', async () => {
    const log = await folder.open();
    const follower = following(log, { after: START });
    const team = newTeam();
    const streams = Array.from({ length: 300 }, (_, index) => streamName('run', team, `run_${index}`));
    const calls = streams.map((stream) => ({ stream, events: newEvents(3) }));
    const append = ({ stream, events }: (typeof calls)[number]) => log.append(stream, 'none', events);
    /** What is appended before the log has heard of the death is refused too; a caller tries it again. */
    async function appendAgain(call: (typeof calls)[number]): Promise<{ revision: number }> {
      let tries = 0;
      for (;;) {
        try {
          return await append(call);
        } catch (error) {
          if (!isAppError(error, 'log_unavailable') || (tries += 1) > 100) throw error;
          await nextTurn();
        }
      }
    }
    let lost = 0;
    const threads = new Set<Worker>();
    for (let round = 0; round < 4; round += 1) {
      const own = calls.slice(round * 75, round * 75 + 75);
      await appendAgain(own[0]!);
      const appending = own.map(append);
      // Either before the appends are posted, when all of them are lost, or after, at any point of the thread's work.
      const { worker } = writerThread();
      threads.add(worker);
      const gone = new Promise((resolve) => worker.once('exit', resolve));
      if (round % 2 === 0) breakWriter();
      else setImmediate(breakWriter);
      for (const outcome of await Promise.allSettled(appending)) {
        if (outcome.status === 'fulfilled') continue;
        lost += 1;
        expect(isAppError(outcome.reason, 'log_unavailable'), String(outcome.reason)).to.equal(true);
      }
      await gone;
    }
    expect(lost, 'appends whose writer died').to.be.greaterThan(0);
    const { revision } = await appendAgain(calls[0]!);
    expect(revision).to.equal(2);
    expect(threads.add(writerThread().worker).size).to.equal(5);
    await Promise.all(calls.map(append));
    for (const { stream, events } of calls) {
      expect(ids((await log.readStream(stream)).events)).to.deep.equal(ids(events));
    }
    await until('all events', () => follower.events().length === 900);
    await follower.stop();
  });

  function start(command: string[], lines: ChildLine[]): { pid: number | undefined; kill(): Promise<void> } {
    const [program = '', ...values] = command;
    const child = spawn(program, values, { stdio: ['ignore', 'pipe', 'inherit'] });
    running.add(child);
    const ended = once(child, 'close').then(() => running.delete(child));
    createInterface(child.stdout).on('line', (line) => {
      // The kill may cut off the last line.
      if (line.endsWith('}')) lines.push(JSON.parse(line) as ChildLine);
    });
    return {
      pid: child.pid,
      kill: async () => {
        child.kill('SIGKILL');
        await ended;
      },
    };
  }
});

/** Enough for a process to start and make progress on a busy machine. */
const SLOWEST_MS = 120_000;

const childScript = fileURLToPath(new URL('./log.child.js', import.meta.url));

/** A soft limit of 3,000 KiB on the size of a file acts on a write like a full disk. `prlimit` lifts it. */
function onSmallDisk(folder: string): string[] {
  const command = 'ulimit -S -f 3000; exec "$0" "$@"';
  return ['bash', '-c', command, process.execPath, childScript, folder, '2000'];
}

function acknowledged(lines: readonly ChildLine[]) {
  return lines.flatMap((line) => ('acknowledged' in line ? [line.acknowledged] : []));
}

function refused(lines: readonly ChildLine[]) {
  return lines.flatMap((line) => ('unavailable' in line ? [line] : []));
}
