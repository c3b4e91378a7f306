import { setTimeout as pause } from 'node:timers/promises';
import { expect } from 'chai';
import { givenProject, givenResult } from '../../http/given.js';
import { receiver, receiving } from './receiver.js';
import { servers, until } from '../../kit/process.js';
import { delivered, expectReceived, expectedMessages } from './webhooks.js';

const WITHIN_MS = 10_000;
const FAILURES = 60;

describe('the process: SIGTERM while deliveries are under way', function () {
  const given = servers();
  const received = receiver();

  it('ends with 0 within 10 s, and repeats only the attempts that were not answered in time', async () => {
    const server = await given.start({ env: receiving });
    const project = await givenProject(server.owner);
    // A slow one, and one that does not answer before the server is started again.
    const slow = await received.register(server.owner);
    const hanging = await received.register(server.owner);
    let stopped = false;
    received.answering = async ({ webhook }) => {
      if (stopped) return 204;
      if (webhook === hanging) return null;
      await pause(300);
      return 204;
    };
    for (let n = 0; n < FAILURES; n += 1) {
      await givenResult(server.owner, project, { test_name: `test ${n}`, status: 'Failed' });
    }
    const held = (webhook: string) => received.taken.filter((each) => each.webhook === webhook).length;
    await until('deliveries under way', () => held(slow) > 8 && held(hanging) === 8);
    const { code, afterMs } = await server.stop();
    expect(code, server.stdout()).to.equal(0);
    expect(afterMs).to.be.below(WITHIN_MS);
    expect(held(slow)).to.be.below(FAILURES);

    stopped = true;
    const { owner } = await given.start({ env: receiving });
    // Each failure is one of a new cause, too. The last of them may not have been told when the server stopped.
    let expected: Awaited<ReturnType<typeof expectedMessages>> = [];
    await until('all causes', async () => (expected = await expectedMessages(owner)).length === 2 * FAILURES);
    for (const webhook of [slow, hanging]) {
      await delivered(owner, webhook, received);
      expectReceived(received, webhook, expected);
    }
    expect(new Set(received.acknowledged().values())).to.deep.equal(new Set([1]));
  });
});
