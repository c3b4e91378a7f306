/**
 * The stand-in for EventStoreDB as a process, for tests of code that uses EventStoreDB. See `esdb/stand-in.ts`.
 */
import { spawn, type ChildProcess } from 'node:child_process';
import { once } from 'node:events';
import { mkdtemp, rm } from 'node:fs/promises';
import { connect } from 'node:net';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { setTimeout as pause } from 'node:timers/promises';
import { fileURLToPath } from 'node:url';
import type { Like } from './esdb/release.js';
import { freePort } from '../kit/free-port.js';
import type { StackServer } from '../kit/stack-server.js';

export type StandInOptions = {
  /** The release of the real server that it behaves like, 26.0 by default. 23.10 drops slow subscribers. */
  like?: Like;
  /** Appends are stored at once and answered after this time: time to kill it, to freeze it, or to repeat the call. */
  answerAfterMs?: number;
};

export type StandIn = StackServer & { folder: string };

export const standInScript = fileURLToPath(new URL('./esdb/stand-in.js', import.meta.url));

const UP_WITHIN_MS = 30_000;
const BETWEEN_TRIES_MS = 10;

/**
 * Starts a stand-in on a free port with an empty folder, and waits until its port answers.
 * @throws Error where it ends at once or its port does not answer in time.
 */
export async function startStandIn(options: StandInOptions = {}): Promise<StandIn> {
  const { like = '26.0', answerAfterMs = 0 } = options;
  const folder = await mkdtemp(join(tmpdir(), 'testledger-esdb-'));
  const port = await freePort();
  let running: ChildProcess | undefined;

  async function start(): Promise<void> {
    if (running) throw new Error(`the stand-in on port ${port} is running`);
    const where = ['--port', String(port), '--data', folder];
    const how = ['--like', like, '--answer-after', String(answerAfterMs), '--until-stdin-ends'];
    // The stand-in ends when its standard input does, and that ends with this process, even when it is killed.
    const child = spawn(process.execPath, [standInScript, ...where, ...how], {
      stdio: ['pipe', 'inherit', 'inherit'],
    });
    running = child;
    child.once('exit', () => (running = undefined));
    const deadline = Date.now() + UP_WITHIN_MS;
    while (!(await answers(port))) {
      if (running !== child) throw new Error(`the stand-in ended at its start, with ${child.exitCode}`);
      if (Date.now() > deadline) throw new Error(`the stand-in does not answer on port ${port}`);
      await pause(BETWEEN_TRIES_MS);
    }
  }

  async function end(signal: NodeJS.Signals): Promise<void> {
    if (!running) return;
    const ended = once(running, 'exit');
    running.kill(signal);
    await ended;
  }

  await start();
  return {
    folder,
    url: `esdb://127.0.0.1:${port}?tls=false`,
    kill: () => end('SIGKILL'),
    start,
    stop: async () => {
      await end('SIGTERM');
      await rm(folder, { recursive: true, force: true });
    },
  };
}

function answers(port: number): Promise<boolean> {
  return new Promise((resolve) => {
    const socket = connect({ host: '127.0.0.1', port });
    socket.once('connect', () => resolve(true)).once('error', () => resolve(false));
    socket.once('connect', () => socket.destroy());
  });
}
