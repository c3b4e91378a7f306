import { openMongoState } from '../../../src/adapters/mongodb/state.js';
import { stateContract } from '../../contract/state/contract.js';
import { emptyDatabase } from './database.js';

stateContract('MongoDB', async () => {
  const { url, drop } = await emptyDatabase();
  return { open: (now) => openMongoState({ url, now }), remove: drop };
});
