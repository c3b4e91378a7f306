/** Fills an EventStoreDB in a process of its own: a process with two of them mixes up their answers. */
import { openEsdbLog } from '../../src/adapters/eventstoredb/log.js';
import { answerRequests } from '../processes/child.js';
import { seedLog, type Seeded } from '../test-data/seed.js';

export type SeedRequest = { url: string; results: number; steps: 1 | 3 };
export type SeedAnswer = Omit<Seeded, 'folder' | 'stores'>;

answerRequests(async ({ url, ...amount }: SeedRequest): Promise<SeedAnswer> => {
  const log = await openEsdbLog({ url });
  try {
    return await seedLog(log, amount);
  } finally {
    await log.close();
  }
});
