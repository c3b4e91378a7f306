import { expect } from 'chai';
import { openMongoDeliveries } from '../../../src/adapters/mongodb/deliveries/deliveries.js';
import { delivery, finished, second } from '../../contract/deliveries/subject.js';
import { withDatabase } from '../../kit/store-urls.js';
import { emptyDatabase } from './database.js';
import { plansOf, slow } from './plans.js';

describe('the plans of MongoDB for deliveries', function () {
  it('use an index for every read and write', async () => {
    const { url, drop } = await emptyDatabase();
    const deliveries = openMongoDeliveries({ url });
    try {
      await deliveries.add([0, 1, 2].map((n) => delivery('a', 'x', n)));
      await deliveries.add([3, 4].map((n) => delivery('b', 'x', n, { next_attempt_at: second(9) })));
      const name = new URL(url).pathname.slice(1);
      const plans = await plansOf(withDatabase(url, `${name}_state`), async () => {
        await deliveries.webhooksWithClaimable(second(1), { after: '0', limit: 9 });
        await deliveries.webhooksWithBlocked({ limit: 9 });
        const [one] = await deliveries.claimable('a', second(1), 9);
        await deliveries.put(finished(one!.delivery), one!.version, second(1));
        await deliveries.get('delivery_a_1');
        await deliveries.find('a', { direction: 'descending', offset: 0, limit: 9 });
        await deliveries.find('a', { direction: 'ascending', offset: 0, limit: 9, state: 'pending' });
        await deliveries.find('a', { direction: 'descending', offset: 0, limit: 9, after: '1' });
        await deliveries.updatePending('a', 'unblock', second(1));
        await deliveries.updatePending('b', 'retry-now', second(1));
        await deliveries.updatePending('b', 'cancel', second(1));
        await deliveries.reschedule(second(8), second(1), 9);
        await deliveries.pending();
        await deliveries.purge(second(5), 9);
      });
      expect(plans.length).to.be.greaterThan(15);
      // One groups the webhooks, which are few; the others sort the states of a purge. MongoDB orders these afterwards.
      const grouped = plans.filter(({ command }) => command.includes('$group'));
      expect(grouped.length).to.be.greaterThan(3);
      expect(slow(plans.filter((plan) => !grouped.includes(plan)))).to.deep.equal([]);
      for (const { plan } of grouped) expect(plan).to.match(/IXSCAN|DISTINCT_SCAN|COUNT_SCAN/);
    } finally {
      await deliveries.close();
      await drop();
    }
  });
});
