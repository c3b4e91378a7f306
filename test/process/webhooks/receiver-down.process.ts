import { expect } from 'chai';
import { givenProject, givenResult } from '../../http/given.js';
import { receiver, receiving } from './receiver.js';
import { servers, until } from '../../kit/process.js';
import { deliveriesOf, expectReceived, pinged, expectedMessages } from './webhooks.js';

const FAILURES = 100;

describe('the process: a webhook whose receiver is down', function () {
  const given = servers();
  const received = receiver();

  it('gets all missed messages when it is back, each under one id and acknowledged exactly once', async () => {
    const { owner } = await given.start({ env: receiving });
    const project = await givenProject(owner);
    const webhook = await received.register(owner);
    await received.stop();
    for (let n = 0; n < FAILURES; n += 10) {
      await Promise.all(
        Array.from({ length: 10 }, (_, m) =>
          givenResult(owner, project, { test_name: `test ${(n + m) % 40}`, status: 'Failed' }),
        ),
      );
    }
    await until('all to be waiting, each test after an attempt', async () => {
      const { items, total } = await deliveriesOf(owner, webhook, 'pending');
      return total === FAILURES && items.filter(({ attempts }) => attempts.length > 0).length === 40;
    });

    await received.start();
    // Any success brings the others forward, so the test need not wait for minutes.
    await pinged(owner, webhook);
    await until('nothing pending', async () => (await deliveriesOf(owner, webhook, 'pending')).total === 0);
    expectReceived(received, webhook, await expectedMessages(owner));
    const acknowledged = [...received.acknowledged().values()];
    expect(acknowledged.length).to.equal(FAILURES + 1);
    expect(new Set(acknowledged)).to.deep.equal(new Set([1]));
    const { total } = await deliveriesOf(owner, webhook, 'delivered');
    expect(total).to.equal(FAILURES + 1);
  });
});
