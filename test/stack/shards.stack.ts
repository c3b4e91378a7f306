/** Shards of one run, posted to two processes with the API on shared servers, of which one is killed again and again. */
import { setTimeout as pause } from 'node:timers/promises';
import { expect } from 'chai';
import { givenProject, givenWebhook } from '../http/given.js';
import { until, type RunningServer } from '../kit/process.js';
import { newSeed, randomFrom } from '../process/seeded-random.js';
import { expectWhole, postShards, RESULTS, SHARDS, type ShardedRun } from '../process/kill/shard-posts.js';
import { openEndpoint, type Endpoint } from '../webhooks/delivery/endpoint.js';
import { startNats, type NatsServer } from './nats.js';
import { webhookNodes } from './webhooks/webhook-nodes.js';

const KILLS = 2;

describe('shards on shared servers', function () {
  this.timeout(300_000);
  let nats: NatsServer;
  let endpoint: Endpoint | null = null;
  before(async () => (nats = await startNats()));
  after(() => nats.stop());
  afterEach(() => endpoint?.close());
  const nodes = webhookNodes(() => nats.url);

  it('become one run with each result once, completed once, whichever process takes them and dies', async () => {
    const seed = newSeed();
    const random = randomFrom(seed);
    const [first, projector] = await Promise.all([nodes.start('api'), nodes.start('projector')]);
    let second = await nodes.start('api');
    await nodes.start('publisher,dispatcher');
    const completions: { id: string; body: any }[] = [];
    endpoint = await openEndpoint(({ headers, body }, response) => {
      completions.push({ id: String(headers['webhook-id']), body: JSON.parse(body) });
      response.writeHead(204).end();
    });
    await givenWebhook(first.owner, { url: endpoint.url, events: ['run.completed'] });
    const run: ShardedRun = { project_id: await givenProject(first.owner), run_key: 'build 7', posted: 0 };
    let up: Promise<RunningServer> = Promise.resolve(second);
    const either = async () => (random.chance(0.5) ? first.owner : (await up).owner);
    const killing = (async () => {
      for (let kill = 1; kill <= KILLS; kill += 1) {
        await until('more shards', () => run.posted >= (kill * SHARDS) / (KILLS + 1));
        await pause(random.below(50));
        const killed = second.kill();
        up = killed.then(() => nodes.start('api'));
        second = await up;
      }
    })();
    const [id] = await Promise.all([postShards(either, run, random), killing]);
    await first.caughtUp();
    await expectWhole(first.owner, run, id);
    await until('the completion to be delivered', () => completions.length > 0);
    expect(new Set(completions.map((each) => each.id)).size, `TEST_SEED=${seed}`).to.equal(1);
    const { data } = completions[0]!.body;
    expect(data).to.include({ completion: 1 });
    expect(data.run.counts.total).to.equal(SHARDS * RESULTS);
    expect((await projector.stop()).code).to.equal(0);
  });
});
