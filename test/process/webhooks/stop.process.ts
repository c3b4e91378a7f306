import { expect } from 'chai';
import { givenProject, givenResult } from '../../http/given.js';
import { receiver, receiving } from './receiver.js';
import { servers, until } from '../../kit/process.js';
import { takesConnections } from '../unfinished-request.js';
import { delivered, expectReceived, expectedMessages } from './webhooks.js';

const WITHIN_MS = 10_000;
const FAILURES = 60;
/** Attempts of a webhook that are under way at a time. */
const AT_ONCE = 8;
/** Messages of the slow webhook that are answered before the stop. */
const BEFORE = 5;

describe('the process: SIGTERM while deliveries are under way', function () {
  const given = servers();
  const received = receiver();

  it('ends with 0 within 10 s, and repeats only the attempts that were not answered in time', async () => {
    const server = await given.start({ env: receiving });
    const project = await givenProject(server.owner);
    // One whose attempts under way are answered during the stop, and one that does not answer before the next start.
    const slow = await received.register(server.owner);
    const hanging = await received.register(server.owner);
    const held = (webhook: string) => received.taken.filter((each) => each.webhook === webhook).length;
    let stopped = false;
    let answer = (): void => undefined;
    const stopping = new Promise<void>((resolve) => (answer = resolve));
    received.answering = async ({ webhook }) => {
      if (stopped) return 204;
      if (webhook === hanging || held(slow) > BEFORE + AT_ONCE) return null;
      if (held(slow) > BEFORE) await stopping;
      return 204;
    };
    await Promise.all(
      Array.from({ length: FAILURES }, (_, n) =>
        givenResult(server.owner, project, { test_name: `test ${n}`, status: 'Failed' }),
      ),
    );
    await until('deliveries under way', () => held(slow) >= BEFORE + AT_ONCE && held(hanging) >= AT_ONCE);
    server.signal('SIGTERM');
    await until('no new connections', async () => !(await takesConnections(server.url)));
    answer();
    const { code, afterMs } = await server.ended;
    expect(code, server.stdout()).to.equal(0);
    expect(afterMs).to.be.below(WITHIN_MS);
    expect(held(slow)).to.be.at.most(BEFORE + 2 * AT_ONCE);

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
