import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { openSqliteDeliveries } from '../../src/adapters/deliveries.sqlite.js';
import { deliveriesContract } from '../contract/deliveries.js';

const emptyFolder = () => mkdtemp(join(tmpdir(), 'testledger-deliveries-'));

/** The two openings of the suite write in the ways given. */
const openings = [
  ['SQLite, written by threads', [true, true]],
  ['SQLite, written by the caller', [false, false]],
  ['SQLite, written by a thread and by the caller', [true, false]],
] as const;
for (const [name, threads] of openings) {
  deliveriesContract(name, async () => {
    const folder = await emptyFolder();
    let opened = 0;
    return {
      open: () => openSqliteDeliveries({ folder, thread: threads[(opened += 1) % 2] ?? true }),
      remove: () => rm(folder, { recursive: true }),
    };
  });
}
