import { expect } from 'chai';
import { openFairSemaphore } from '../../../src/concurrency/fair-semaphore.js';
import { newDelivery } from '../../../src/domain/messages/delivery.js';
import { openClaims } from '../../../src/webhooks/delivery/claims.js';
import { NOW } from '../../stores.js';
import { memoryDeliveries } from '../deliveries.memory.js';
import { HOOK, messageOf } from '../stored-messages.js';

describe('the claims of a webhook', () => {
  const clock = () => new Date(NOW);

  /** `limits`: how many deliveries each claim asked for. */
  async function given(count: number, busy: ReadonlyMap<string, unknown> = new Map()) {
    const deliveries = memoryDeliveries();
    const messages = Array.from({ length: count }, (_, n) => ({ ...messageOf(n + 1), subject: `test ${n}` }));
    await deliveries.add(messages.map((message) => newDelivery(message, HOOK, NOW)));
    const limits: number[] = [];
    const counted: typeof deliveries = {
      ...deliveries,
      claimable: (webhook, now, limit) => {
        limits.push(limit);
        return deliveries.claimable(webhook, now, limit);
      },
    };
    const options = { deliveries: counted, claims: openFairSemaphore(1, { perKey: 1 }), clock };
    const { signal } = new AbortController();
    return {
      deliveries,
      limits,
      claims: openClaims(options, { webhook: HOOK, key: () => HOOK, busy, signal }),
    };
  }

  it('grow while they are used up, and each delivery comes once, in order', async () => {
    const { deliveries, limits, claims } = await given(1_000);
    const taken: string[] = [];
    for (;;) {
      const some = await claims.take(() => 32);
      if (some.length === 0) break;
      for (const { delivery, version } of some) {
        taken.push(delivery.subject);
        await deliveries.put({ ...delivery, state: 'delivered', next_attempt_at: null }, version, NOW);
      }
    }
    expect(taken).to.deep.equal(Array.from({ length: 1_000 }, (_, n) => `test ${n}`));
    expect(limits.slice(0, 5)).to.deep.equal([64, 128, 256, 256, 256]);
  });

  it('leave out the subjects that have an attempt under way, and ask for as many more', async () => {
    const { limits, claims } = await given(80, new Map([['test 0', true]]));
    const taken = await claims.take(() => 100);
    expect(taken.map(({ delivery }) => delivery.subject)).to.deep.equal(
      Array.from({ length: 64 }, (_, n) => `test ${n + 1}`),
    );
    expect(limits).to.deep.equal([65]);
  });

  it('give no more than there is room for after the claim', async () => {
    const { claims } = await given(10);
    expect(await claims.take(() => 2)).to.have.lengthOf(2);
    expect(claims.next(3).map(({ subject }) => subject)).to.deep.equal(['test 2', 'test 3', 'test 4']);
  });
});
