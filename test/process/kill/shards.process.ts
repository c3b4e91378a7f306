import { setTimeout as pause } from 'node:timers/promises';
import { expect } from 'chai';
import type { Api } from '../../kit/client.js';
import { givenProject } from '../../http/given.js';
import { eventually } from '../../stores.js';
import { receiver, receiving } from '../webhooks/receiver.js';
import { newSeed, randomFrom } from '../seeded-random.js';
import { servers, until } from '../../kit/process.js';
import { expectWhole, postShards, RESULTS, SHARDS, type ShardedRun } from './shard-posts.js';

const KILLS = 6;
const env = receiving;

describe('the process: kill -9 while shards of one run come', () => {
  const given = servers();
  const received = receiver();

  it('leaves one run with each result once, completed once, and sends that once', async () => {
    const seed = newSeed();
    try {
      await postAndKill(seed);
    } catch (error) {
      (error as Error).message += ` (TEST_SEED=${seed})`;
      throw error;
    }
  });

  async function postAndKill(seed: number): Promise<void> {
    const random = randomFrom(seed);
    let server = await given.start({ env });
    let up: Promise<Api> = Promise.resolve(server.owner);
    await received.register(server.owner, ['run.completed']);
    const run: ShardedRun = { project_id: await givenProject(server.owner), run_key: 'build 7', posted: 0 };
    const killing = (async () => {
      for (let kill = 1; kill <= KILLS; kill += 1) {
        await until('more shards', () => run.posted >= (kill * SHARDS) / (KILLS + 1), 120_000);
        await pause(random.below(50));
        const killed = server.kill();
        const next = killed.then(() => given.start({ env }));
        up = next.then(({ owner }) => owner);
        server = await next;
      }
    })();
    const [id] = await Promise.all([postShards(() => up, run, random), killing]);
    await server.caughtUp();
    await expectWhole(server.owner, run, id);
    const completions = () => received.taken.filter(({ type }) => type === 'run.completed');
    await eventually('the completion to be delivered', async () => completions().length > 0, 60_000);
    expect(new Set(completions().map((each) => each.id)).size).to.equal(1);
    expect(completions()[0]!.data).to.deep.include({ completion: 1 });
    expect(completions()[0]!.data.run.counts.total).to.equal(SHARDS * RESULTS);
  }
});
