import { expect } from 'chai';
import { newIds } from '../../../src/commands/ids.js';
import { eventually } from '../../stores.js';
import { dispatcherWithoutFaults } from './dispatcher-without-faults.js';
import { eventOf, held } from './dispatcher-harness.js';

describe('the places of the dispatcher', function () {
  const { given, sent, settled } = dispatcherWithoutFaults();

  it('limits the attempts of all webhooks together, and lets no webhook wait for all attempts of another', async () => {
    const webhooks = await Promise.all(Array.from({ length: 3 }, () => given.newWebhook()));
    for (const webhook of webhooks) {
      for (let n = 1; n <= 16; n += 1) await given.add(webhook, `subject ${n}`, n);
    }
    let [under, most] = [0, 0];
    const waiting: (() => void)[] = [];
    given.answer(async () => {
      most = Math.max(most, (under += 1));
      await new Promise<void>((resolve) => waiting.push(resolve));
      under -= 1;
      return 204;
    });
    given.start({ atOnce: { all: 4, perTeam: 4 } });
    const first = () => webhooks.map((id) => given.calls.filter((call) => call.webhookId === id).length);
    for (let total = 4; total <= 24; total += 4) {
      await sent(total);
      waiting.splice(0).forEach((go) => go());
    }
    expect(
      first().every((count) => count >= 4),
      String(first()),
    ).to.equal(true);
    await eventually('all are delivered', async () => {
      waiting.splice(0).forEach((go) => go());
      return (await given.deliveries.pending()) === 0;
    });
    expect(most).to.equal(4);
  });

  it('sends the message of a team at once while the endpoints of 50 webhooks of another team do not answer', async () => {
    const slow = await Promise.all(Array.from({ length: 50 }, () => given.newWebhook()));
    const other = await given.newWebhook(newIds.created('team'));
    given.answer(({ webhookId }) => (webhookId === other ? 204 : null));
    for (const webhook of slow) {
      for (let n = 1; n <= 16; n += 1) await given.add(webhook, `subject ${n}`, n);
    }
    const { wake } = given.start();
    // The share of one team.
    await sent(128);
    await given.add(other, 'x', 1);
    wake([other]);
    await eventually('the other team has its message', async () => {
      return (await given.get(other, 1)).state === 'delivered';
    });
    expect(given.calls.filter(({ webhookId }) => webhookId !== other)).to.have.length(128);
  });

  it('claims for up to eight webhooks of a team at a time, and meanwhile for another team', async () => {
    const [team, rival] = [newIds.created('team'), newIds.created('team')];
    const many = await Promise.all(Array.from({ length: 20 }, () => given.newWebhook(team)));
    const other = await given.newWebhook(rival);
    const { deliveries } = given;
    const { until, end } = held();
    const known = new Set<string>();
    let under = 0;
    const claimable: typeof deliveries.claimable = async (webhook, ...rest) => {
      // The first claim of a webhook finds out its team. The later ones hang.
      if (webhook !== other && known.has(webhook)) {
        under += 1;
        await until;
      }
      const due = await deliveries.claimable(webhook, ...rest);
      if (due.length > 0) known.add(webhook);
      return due;
    };
    for (const webhook of many) await given.add(webhook, 'x', 1);
    const { wake } = given.start({ deliveries: { ...deliveries, claimable } });
    await eventually('the claims of a team are under way', () => known.size === 20 && under >= 8);
    await given.add(other, 'x', 1);
    wake([other]);
    await eventually('the other team has its message', async () => {
      return (await given.get(other, 1)).state === 'delivered';
    });
    expect(under).to.equal(8);
    end();
    await settled();
  });

  for (const mostUnrecorded of [8, 64])
    it(`sends others while successes are being recorded, up to the ${mostUnrecorded} of the store, and keeps the order of each subject`, async () => {
      const webhook = await given.newWebhook();
      for (let n = 1; n <= 100; n += 1) await given.add(webhook, `subject ${n % 80}`, n);
      const { until, end } = held();
      let [under, most] = [0, 0];
      given.answer(async () => {
        most = Math.max(most, (under += 1));
        await new Promise(setImmediate);
        under -= 1;
        return 204;
      });
      const { deliveries } = given;
      const slow = {
        ...deliveries,
        mostUnrecorded,
        put: async (...args: Parameters<typeof deliveries.put>) => (await until, deliveries.put(...args)),
      };
      given.start({ deliveries: slow });
      await sent(mostUnrecorded);
      expect(given.calls).to.have.length(mostUnrecorded);
      end();
      await settled();
      expect(most).to.be.at.most(8);
      expect(given.calls).to.have.length(100);
      for (let n = 1; n <= 20; n += 1) {
        const order = given.calls.filter(({ eventId }) => [eventOf(n), eventOf(n + 80)].includes(eventId));
        expect(order.map(({ eventId }) => eventId)).to.deep.equal([eventOf(n), eventOf(n + 80)]);
      }
    });
});
