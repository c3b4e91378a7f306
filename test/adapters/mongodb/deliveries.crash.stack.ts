/**
 * `put` is several commands. Whichever of them is the last to reach the server, no delivery is left blocked for ever.
 */
import { expect } from 'chai';
import { openMongoDeliveries } from '../../../src/adapters/mongodb/deliveries/deliveries.js';
import { delivery, finished, second } from '../../contract/deliveries/subject.js';
import { emptyDatabase } from './database.js';
import { everyCommand, namedUrl, openFailPoints } from './failpoint.js';

describe('deliveries in MongoDB, when the process that finishes them is killed', function () {
  const subjects = ['x', 'yy'];

  it('leave the next of each subject due, whichever command was the last', async () => {
    const { url, drop } = await emptyDatabase();
    const faults = openFailPoints(url);
    const deliveries = openMongoDeliveries({ url });
    const appName = 'killed';
    try {
      let [round, met] = [0, true];
      for (; met; round += 1) {
        const webhook = `w${round}`;
        for (const subject of subjects) {
          await deliveries.add([0, 1, 2].map((n) => delivery(webhook, subject, 10 * subject.length + n)));
        }
        const firsts = await deliveries.claimable(webhook, second(1), 9);
        const killed = openMongoDeliveries({ url: namedUrl(url, appName) });
        await killed.get('delivery_none');
        // Every command from there on, and the retries.
        await faults.set({ skip: round }, { failCommands: everyCommand, appName, errorCode: 11_600 });
        // Both in the same commands.
        const puts = await Promise.allSettled(
          firsts.map(({ delivery: one, version }) => killed.put(finished(one), version, second(2))),
        );
        met = puts.some(({ status }) => status === 'rejected');
        await faults.off();
        await killed.close();
        expect(
          await deliveries.webhooksWithClaimable(second(2), { limit: 99 }),
          `after ${round} commands`,
        ).to.include(webhook);
        const next = await deliveries.claimable(webhook, second(2), 9);
        expect(next.map((each) => each.delivery.subject).toSorted(), `after ${round} commands`).to.deep.equal(
          subjects,
        );
      }
      expect(round).to.be.greaterThan(4);
    } finally {
      await faults.off();
      await faults.close();
      await deliveries.close();
      await drop();
    }
  });
});
