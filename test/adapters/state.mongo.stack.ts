import { openMongoState } from '../../src/adapters/state.mongo.js';
import { stateContract } from '../contract/state.js';
import { emptyDatabase } from './mongo.database.js';

stateContract('MongoDB', async () => {
  const { url, drop } = await emptyDatabase();
  return { open: (now) => openMongoState({ url, now }), remove: drop };
});
