import { openMongoDeliveries } from '../../src/adapters/deliveries.mongo.js';
import { deliveriesContract } from '../contract/deliveries.js';
import { emptyDatabase } from './mongo.database.js';

deliveriesContract('MongoDB', async () => {
  const { url, drop } = await emptyDatabase();
  return { open: () => openMongoDeliveries({ url }), remove: drop };
});
