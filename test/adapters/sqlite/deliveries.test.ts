import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { openSqliteDeliveries } from '../../../src/adapters/sqlite/deliveries/deliveries.js';
import { deliveriesContract } from '../../contract/deliveries/contract.js';

const emptyFolder = () => mkdtemp(join(tmpdir(), 'testledger-deliveries-'));

deliveriesContract('SQLite', async () => {
  const folder = await emptyFolder();
  return { open: () => openSqliteDeliveries(folder), remove: () => rm(folder, { recursive: true }) };
});
