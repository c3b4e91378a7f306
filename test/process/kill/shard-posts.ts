/** One run from many shards, posted as by the jobs of a pipeline: at the same time, and repeated until they are answered. */
import { setTimeout as pause } from 'node:timers/promises';
import { expect } from 'chai';
import type { Api } from '../../kit/client.js';
import type { Random } from '../seeded-random.js';
import { isGone } from '../../kit/process.js';

export const SHARDS = 80;
export const RESULTS = 100;
const CLIENTS = 32;
/** The number of calls in a hundred that are sent again although they were answered. */
const REPEATED = 30;

export type ShardedRun = {
  project_id: string;
  run_key: string;
  /** The number of shards that were answered. */
  posted: number;
};

/** Posts all shards in any order. `up` gives the server that runs now. Returns the id of the run. */
export async function postShards(up: () => Promise<Api>, run: ShardedRun, random: Random): Promise<string> {
  const left = Array.from({ length: SHARDS }, (_, n) => n + 1);
  const ids = new Set<string>();
  const take = () => left.splice(random.below(left.length), 1)[0];
  const client = async () => {
    for (let next = take(); next !== undefined; next = take()) {
      const body = bodyOf(run, next);
      const calls = random.below(100) < REPEATED ? 2 : 1;
      // A job that was started twice sends its results twice at once.
      const posts = Array.from({ length: calls }, () => untilAnswered(up, body));
      for (const id of await Promise.all(posts)) ids.add(id);
      run.posted += 1;
    }
  };
  await Promise.all(Array.from({ length: CLIENTS }, client));
  expect(ids.size, 'one run').to.equal(1);
  return [...ids][0]!;
}

function bodyOf({ project_id, run_key }: ShardedRun, index: number) {
  const results = Array.from({ length: RESULTS }, (_, n) => ({
    name: `test ${index}/${n}`,
    status: 'passed',
    duration_ms: 1,
  }));
  return { project_id, run_key, shard: { index, total: SHARDS }, results };
}

async function untilAnswered(up: () => Promise<Api>, body: object): Promise<string> {
  for (;;) {
    const api = await up();
    try {
      const { status, text, body: answer } = await api.post('/v1/test-runs', body);
      if (status !== 503 && status !== 429) {
        expect(status, text).to.be.oneOf([200, 201]);
        return answer.data.id;
      }
    } catch (error) {
      if (!isGone(error)) throw error;
    }
    // The client may notice the kill before this test does.
    await pause(20);
  }
}

/** Expects the run with each result of each shard once, completed once. */
export async function expectWhole(api: Api, { project_id, run_key }: ShardedRun, id: string): Promise<void> {
  const total = SHARDS * RESULTS;
  const { body: list } = await api.get(`/v1/test-runs?project_id=${project_id}`);
  expect(list.data.map((each: any) => each.id)).to.deep.equal([id]);
  const { data } = (await api.get(`/v1/test-runs/${id}`)).body;
  expect(data).to.include({ run_key, status: 'completed', outcome: 'passed', test_count: total });
  const received: any[] = data.shards.received;
  expect(received.map(({ index }) => index).sort((a, b) => a - b)).to.deep.equal(
    Array.from({ length: SHARDS }, (_, n) => n + 1),
  );
  for (const { results, duration_ms, attempt } of received) {
    expect({ results, duration_ms, attempt }).to.deep.equal({
      results: RESULTS,
      duration_ms: RESULTS,
      attempt: 1,
    });
  }
  const { count_snapshot, counts } = (await api.get(`/v1/test/run/${id}`)).body;
  expect(counts.total).to.equal(total);
  expect(count_snapshot).to.include({ total, passed: total });
  const names = new Set<string>();
  let results = 0;
  for (let page = 1; page <= total / 100; page += 1) {
    const { body } = await api.get(`/v1/test-runs/${id}/results?page=${page}&per_page=100`);
    expect(body.pagination.total).to.equal(total);
    for (const { name } of body.data) names.add(name);
    results += body.data.length;
  }
  expect(results, 'none lost and none doubled').to.equal(total);
  expect(names.size).to.equal(total);
}
