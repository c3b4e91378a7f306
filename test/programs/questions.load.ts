import { expect } from 'chai';
import { filledDemo } from '../demo/filled-demo.js';
import type { Api } from '../kit/client.js';
import { agentAt, type Agent } from './mcp-client.js';
import { MOST_BYTES } from './tool-calls.js';

const CALLS = 3;

/** `ask` has the tools alone; `answer` reads the lists of the API. */
type Question = {
  title: string;
  ask(call: Agent['call'], shop: string): Promise<unknown>;
  answer(get: (path: string) => Promise<any>, shop: string): Promise<unknown>;
};

const newest = (get: (path: string) => Promise<any>, shop: string) =>
  get(`/v1/test-runs?project_id=${shop}&branch=main&per_page=1`).then(({ data }) => data[0]);
const brief = async (call: Agent['call'], shop: string) => {
  const { data } = await call('find_runs', { project_id: shop, branch: 'main', limit: 1 });
  return (await call('run_brief', { run_id: data.runs[0].id })).data;
};
const ofNewest = (title: string, said: (brief: any) => unknown, read: (run: any) => unknown): Question => ({
  title,
  ask: async (call, shop) => said(await brief(call, shop)),
  answer: async (get, shop) => read(await newest(get, shop)),
});
const counted = (kind: string): Question => ({
  title: `how many ${kind} the newest run of main has`,
  ask: async (call, shop) => (await brief(call, shop)).comparison.counts[kind],
  answer: async (get, shop) =>
    (await get(`/v1/test-runs/${(await newest(get, shop)).id}/comparison/${kind}?per_page=1`)).pagination
      .total,
});

const questions: readonly Question[] = [
  {
    title: 'which projects there are',
    ask: async (call) => (await call('find_runs')).data.projects.map(({ name }: any) => name).sort(),
    answer: async (get) => (await get('/v1/projects?per_page=100')).data.map(({ name }: any) => name).sort(),
  },
  {
    title: 'how many runs the shop has',
    ask: async (call, shop) => (await call('find_runs', { project_id: shop, limit: 1 })).data.total,
    answer: async (get, shop) => (await get(`/v1/test-runs?project_id=${shop}&per_page=1`)).pagination.total,
  },
  {
    title: 'how many runs of main there are',
    ask: async (call, shop) => (await call('find_runs', { project_id: shop, branch: 'main' })).data.total,
    answer: async (get, shop) => (await get(`/v1/test-runs?project_id=${shop}&branch=main`)).pagination.total,
  },
  ofNewest(
    'the outcome of the newest run of main',
    ({ outcome }) => outcome,
    ({ outcome }) => outcome,
  ),
  ofNewest(
    'its commit',
    ({ commit }) => commit,
    ({ commit }) => commit,
  ),
  ofNewest(
    'what its gate says',
    ({ gate }) => gate,
    ({ gate }) => gate,
  ),
  ofNewest(
    'how many of its results passed',
    ({ counts }) => counts.passed,
    ({ counts }) => counts.passed,
  ),
  ofNewest(
    'how many of its results were skipped',
    ({ counts }) => counts.skipped,
    ({ counts }) => counts.skipped,
  ),
  ofNewest(
    'how long it took',
    ({ duration_ms }) => duration_ms,
    ({ duration_ms }) => duration_ms,
  ),
  counted('new_failures'),
  counted('still_failing'),
  counted('fixed'),
  counted('flaky'),
  counted('known'),
  counted('added'),
  counted('removed'),
  {
    title: 'how many causes its failures have',
    ask: async (call, shop) => (await brief(call, shop)).groups_total,
    answer: async (get, shop) =>
      (await get(`/v1/test-runs/${(await newest(get, shop)).id}/failures?per_page=1`)).pagination.total,
  },
  {
    title: 'how many tests are flaky',
    ask: async (call, shop) => (await call('flaky_tests', { project_id: shop })).data.total,
    answer: async (get, shop) => (await get(`/v1/projects/${shop}/tests?trouble=flaky`)).pagination.total,
  },
  {
    title: 'which test is the most flaky, and its rate of failures',
    ask: async (call, shop) => {
      const [{ name, failure_rate }] = (await call('flaky_tests', { project_id: shop, limit: 1 })).data.tests;
      return [name, failure_rate];
    },
    answer: async (get, shop) => {
      const [{ name, failure_rate }] = (await get(`/v1/projects/${shop}/tests?trouble=flaky&per_page=1`))
        .data;
      return [name, failure_rate];
    },
  },
  {
    title: 'how many outcomes it has',
    ask: async (call, shop) => {
      const [{ id }] = (await call('flaky_tests', { project_id: shop, limit: 1 })).data.tests;
      return (await call('history', { test_id: id })).data.total;
    },
    answer: async (get, shop) => {
      const [{ id }] = (await get(`/v1/projects/${shop}/tests?trouble=flaky&per_page=1`)).data;
      return (await get(`/v1/projects/${shop}/tests/${id}/outcomes?per_page=1`)).pagination.total;
    },
  },
  {
    title: 'what is counted of the last 30 days',
    ask: async (call, shop) => (await call('stats', { project_id: shop })).data.totals,
    answer: async (get, shop) => (await get(`/v1/projects/${shop}/stats`)).data.totals,
  },
  {
    title: 'which cause of failures in the newest run of main comes first',
    ask: async (call, shop) => (await brief(call, shop)).groups[0].title,
    answer: async (get, shop) =>
      (await get(`/v1/test-runs/${(await newest(get, shop)).id}/failures?per_page=1`)).data[0].title,
  },
  {
    title: 'in how many runs that cause was seen, and since which commit',
    ask: async (call, shop) => {
      const { group } = (await brief(call, shop)).groups[0];
      const { runs_total, first_seen } = (await call('failure_brief', { project_id: shop, group })).data;
      return [runs_total, first_seen.commit];
    },
    answer: async (get, shop) => {
      const { id } = await newest(get, shop);
      const [{ group }] = (await get(`/v1/test-runs/${id}/failures?per_page=1`)).data;
      const { data, pagination } = await get(`/v1/projects/${shop}/failures/${group}?per_page=1`);
      return [pagination.total, data.first_seen.commit];
    },
  },
  {
    title: 'how many entries the history of the newest run has',
    ask: async (call, shop) => {
      const { data } = await call('find_runs', { project_id: shop, branch: 'main', limit: 1 });
      return (await call('history', { run_id: data.runs[0].id })).data.total;
    },
    answer: async (get, shop) =>
      (await get(`/v1/test-runs/${(await newest(get, shop)).id}/history?per_page=1`)).pagination.total,
  },
  {
    title: 'which run the newest run of main is compared with, and by how much they differ',
    ask: async (call, shop) => {
      const { data } = await call('find_runs', { project_id: shop, branch: 'main', limit: 1 });
      const { baseline, counts } = (await call('compare', { run_id: data.runs[0].id })).data;
      return [baseline, counts];
    },
    answer: async (get, shop) => {
      const { data } = await get(`/v1/test-runs/${(await newest(get, shop)).id}/comparison`);
      return [data.baseline, data.counts];
    },
  },
];

describe('The questions of an agent about the demo', () => {
  const given = filledDemo();
  let api: Api;
  let agent: Agent;
  before(async () => {
    const { key } = given.demo;
    api = given.server.as(key);
    agent = await agentAt(given.server.url, key);
  });
  after(() => agent.close());

  const get = async (path: string) => (await api.get(path)).body;

  for (const { title, ask, answer } of questions) {
    it(`have the exact answer in at most ${CALLS} calls of 20,480 bytes: ${title}`, async () => {
      const shop = given.demo.filled.projectIds.get('Web shop')!;
      let calls = 0;
      const call: Agent['call'] = async (name, given) => {
        calls += 1;
        const told = await agent.call(name, given);
        expect(told.bytes).to.be.at.most(MOST_BYTES);
        return told;
      };
      const said = await ask(call, shop);
      expect(said).not.to.equal(undefined);
      expect(said).to.deep.equal(await answer(get, shop));
      expect(calls).to.be.at.most(CALLS);
    });
  }
});
