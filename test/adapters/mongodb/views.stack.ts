import { openMongoViewReader } from '../../../src/adapters/mongodb/views/reader.js';
import { openMongoViewWriter } from '../../../src/adapters/mongodb/views/writer.js';
import { viewsContract } from '../../contract/views/contract.js';
import { emptyDatabase } from './database.js';

viewsContract('MongoDB', async () => {
  const { url, drop } = await emptyDatabase();
  return {
    reader: () => openMongoViewReader({ url }),
    writer: () => openMongoViewWriter({ url }),
    remove: drop,
  };
});
