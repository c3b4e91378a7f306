import { expect } from 'chai';
import { MongoClient } from 'mongodb';
import { openMongoDeliveries } from '../../../src/adapters/mongodb/deliveries/deliveries.js';
import { delivery, finished, second } from '../../contract/deliveries/subject.js';
import { emptyDatabase, serverUrl } from './database.js';

describe('deliveries in MongoDB that an older program stored with their bodies', function () {
  it('are read without them, can change, and lose them with the next write', async () => {
    const { url, drop } = await emptyDatabase();
    const deliveries = openMongoDeliveries({ url });
    const name = new URL(url).pathname.slice(1);
    const client = new MongoClient(serverUrl());
    const documents = client.db(`${name}_state`).collection('deliveries');
    try {
      const all = [1, 2].map((n) => delivery('a', `subject ${n}`, n));
      await deliveries.add(all);
      await documents.updateMany({}, { $set: { body: '{"old":true}' } });
      const found = await deliveries.claimable('a', second(1), 9);
      expect(found.map((each) => each.delivery)).to.deep.equal(all);
      const [one] = found;
      expect(await deliveries.put(finished(one!.delivery), one!.version, second(1))).to.equal(true);
      expect(await deliveries.updatePending('a', 'cancel', second(1))).to.equal(1);
      const stored = await documents.find().toArray();
      expect(stored.map((document) => 'body' in document)).to.deep.equal([false, false]);
    } finally {
      await client.close();
      await deliveries.close();
      await drop();
    }
  });
});
