import { setTimeout as pause } from 'node:timers/promises';
import { expect } from 'chai';
import { givenProject, givenResult } from '../../http/given.js';
import { receiver, receiving } from './receiver.js';
import { isGone, servers, until } from '../../kit/process.js';
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
    const expected = await expectedMessages(owner);
    expect(expected).to.have.length(FAILURES);
    for (const webhook of [slow, hanging]) {
      await delivered(owner, webhook, received);
      expectReceived(received, webhook, expected);
    }
    expect(new Set(received.acknowledged().values())).to.deep.equal(new Set([1]));
  });

  it('loses no answered result under load, and sends each message once', async () => {
    const server = await given.start({ env: receiving });
    const project = await givenProject(server.owner);
    const webhook = await received.register(server.owner);
    let stopping = false;
    const failed: string[] = [];
    const posting = Array.from({ length: 8 }, async (_, client) => {
      for (let n = 0; ; n += 1) {
        // Each test fails and passes by turns, so that a transition follows from every pass.
        const status = n % 2 === 0 ? 'Failed' : 'Passed';
        const fields = { test_name: `test ${client}`, status, metadata: { commit: `${n >> 1}` } };
        try {
          const { test_result_id } = await givenResult(server.owner, project, fields);
          if (status === 'Failed') failed.push(test_result_id);
        } catch (error) {
          if (!stopping || !isGone(error)) throw error;
          return;
        }
      }
    });
    await Promise.race([until('deliveries', () => received.taken.length > 100), Promise.all(posting)]);
    stopping = true;
    const { code, afterMs } = await server.stop();
    await Promise.all(posting);
    expect(code, server.stdout()).to.equal(0);
    expect(afterMs).to.be.below(WITHIN_MS);

    const { owner } = await given.start({ env: receiving });
    await delivered(owner, webhook, received);
    const expected = await expectedMessages(owner);
    expectReceived(received, webhook, expected);
    const failures = received.taken.filter(({ type }) => type === 'test.failed');
    expect(failures.map(({ data }) => data.result.test_result_id)).to.include.members(failed);
    expect(new Set(received.acknowledged().values())).to.deep.equal(new Set([1]));
  });
});
