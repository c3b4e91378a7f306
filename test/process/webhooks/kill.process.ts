import { setTimeout as pause } from 'node:timers/promises';
import { expect } from 'chai';
import type { Api } from '../../kit/client.js';
import { givenProject } from '../../http/given.js';
import { newSeed, randomFrom, type Random } from '../seeded-random.js';
import { receiver, receiving } from './receiver.js';
import { isGone, servers, until, type RunningServer } from '../../kit/process.js';
import { delivered, expectReceived, expectedMessages } from './webhooks.js';

const FAILURES = 1_000;
const CLIENTS = 8;
const KILLS = 8;
/** The number of passes in a hundred posts, so that tests recover and become flaky. */
const PASSES = 20;
const SUBMISSIONS = 4;

describe('the process: kill -9 while tests fail', function () {
  const given = servers();
  const received = receiver();

  it('sends exactly the failures, recoveries and completions of the log, and keeps the order of each test', async () => {
    const seed = newSeed();
    try {
      await failAndKill(seed);
    } catch (error) {
      (error as Error).message += ` (TEST_SEED=${seed})`;
      throw error;
    }
  });

  async function failAndKill(seed: number): Promise<void> {
    const random = randomFrom(seed);
    let server = await given.start({ env: receiving });
    const project = await givenProject(server.owner);
    const webhook = await received.register(server.owner);
    // It sometimes fails and is sometimes slow, so that kills meet every step of a delivery.
    received.answering = () => (random.chance(0.03) ? 500 : 204);
    let up: Promise<RunningServer> = Promise.resolve(server);
    const failures = { posted: 0 };

    const clients = Array.from({ length: CLIENTS }, async (_, client) => {
      const own = randomFrom(seed + client + 1);
      for (let n = 0; failures.posted < FAILURES; n += 1) {
        const post = nextPost(own, project);
        failures.posted += post.failures;
        await untilAnswered(() => up, post, `${client}-${n}`);
      }
    });
    const killing = (async () => {
      for (let kill = 1; kill <= KILLS; kill += 1) {
        const enough = (kill * FAILURES) / (KILLS + 1);
        await until('more failures', () => failures.posted >= enough);
        await pause(random.below(50));
        const killed = server.kill();
        up = killed.then(() => given.start({ env: receiving }));
        server = await up;
      }
    })();
    await Promise.all([killing, ...clients]);

    server = await up;
    received.answering = () => 204;
    await delivered(server.owner, webhook, received);
    const expected = await expectedMessages(server.owner);
    expectReceived(received, webhook, expected);
    // Only attempts that are under way or not yet recorded at a kill are repeated: up to 32 of a webhook.
    const repeated = [...received.acknowledged().values()].reduce((sum, count) => sum + count - 1, 0);
    expect(repeated, 'acknowledged more than once').to.be.at.most(KILLS * 32);
    const count = (type: string) => expected.filter((each) => each.type === type).length;
    expect(count('test.failed')).to.be.at.least(FAILURES);
    for (const type of ['test.recovered', 'test.flaky', 'run.completed']) {
      expect(count(type), type).to.be.above(0);
    }
  }
});

type Post = { path: string; body: object; failures: number };

function nextPost(random: Random, project_id: string): Post {
  const status = () => (random.below(100) < PASSES ? 'Passed' : 'Failed');
  const name = () => `test ${random.below(60)}`;
  const commit = `commit ${random.below(5)}`;
  if (random.below(100) < SUBMISSIONS) {
    const results = Array.from({ length: 5 }, () => ({ name: name(), status: status().toLowerCase() }));
    const failures = results.filter(({ status }) => status === 'failed').length;
    return { path: '/v1/test-runs', body: { project_id, results }, failures };
  }
  const body = { project_id, test_name: name(), status: status(), metadata: { commit } };
  return { path: '/v1/test/result/', body, failures: body.status === 'Failed' ? 1 : 0 };
}

/** Repeats the request with its key until there is an answer, as a client does. */
async function untilAnswered(up: () => Promise<{ owner: Api }>, { path, body }: Post, key: string) {
  for (;;) {
    const { owner } = await up();
    try {
      const { status, text } = await owner.post(path, body, { 'Idempotency-Key': key });
      expect(status, text).to.be.oneOf([200, 201]);
      return;
    } catch (error) {
      if (!isGone(error)) throw error;
      // The client may notice the kill before this test does.
      await pause(10);
    }
  }
}
