import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { openSqliteLog } from '../../src/adapters/log.sqlite.js';
import { eventLogContract } from '../contract/event-log.js';

eventLogContract('SQLite', async () => {
  const folder = await mkdtemp(join(tmpdir(), 'testledger-log-'));
  let log = await openSqliteLog({ folder, mode: 'writer' });
  return {
    log,
    reopen: async () => {
      await log.close();
      return (log = await openSqliteLog({ folder, mode: 'writer' }));
    },
    close: async () => {
      await log.close();
      await rm(folder, { recursive: true });
    },
  };
});
