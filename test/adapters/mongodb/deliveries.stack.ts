import { openMongoDeliveries } from '../../../src/adapters/mongodb/deliveries/deliveries.js';
import { deliveriesContract } from '../../contract/deliveries/contract.js';
import { emptyDatabase } from './database.js';

deliveriesContract('MongoDB', async () => {
  const { url, drop } = await emptyDatabase();
  return { open: () => openMongoDeliveries({ url }), remove: drop };
});
