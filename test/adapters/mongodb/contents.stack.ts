import { openMongoContents } from '../../../src/adapters/mongodb/contents.js';
import { contentsContract } from '../../contract/contents/contract.js';
import { emptyDatabase } from './database.js';

contentsContract('MongoDB', async () => {
  const { url, drop } = await emptyDatabase();
  return { open: () => openMongoContents({ url }), remove: drop };
});
