import { expect } from 'chai';
import { withoutAShard } from '../../src/demo/branches.js';
import type { Filled } from '../../src/demo/fill.js';
import { pushes } from '../../src/demo/story.js';
import type { Api } from '../kit/client.js';
import { eventually } from '../stores.js';
import { filledDemo, now } from './filled-demo.js';

describe('the demo', () => {
  it('tells the same story every time', () => {
    const [one, other] = [pushes(now, 60), pushes(now, 60)];
    expect(one).to.deep.equal(other);
    expect(one.length).to.be.within(130, 220);
    expect(one.map(({ at }) => at)).to.deep.equal(one.map(({ at }) => at).sort((a, b) => a - b));
    expect(Math.max(...one.map(({ at }) => at))).to.be.below(now);
  });

  describe('on a service, with the last two weeks', () => {
    const given = filledDemo();
    let filled: Filled;
    let api: Api;
    before(() => {
      ({ filled } = given.demo);
      api = given.server.as(given.demo.key);
    });

    const get = async (path: string) => {
      const { status, body } = await api.get(path);
      expect(status).to.equal(200);
      return body;
    };
    const shop = () => filled.projectIds.get('Web shop')!;

    async function all(path: string): Promise<any[]> {
      const found: any[] = [];
      for (let page = 1; ; page += 1) {
        const { data, pagination } = await get(`${path}per_page=100&page=${page}`);
        found.push(...data);
        if (page >= pagination.total_pages) return found;
      }
    }
    const allRuns = async () => {
      const ids = [...filled.projectIds.values()];
      return (await Promise.all(ids.map((id) => all(`/v1/test-runs?project_id=${id}&`)))).flat();
    };

    it('records every run and result that it counts', async () => {
      expect(filled.projectIds.size).to.equal(3);
      const runs = await allRuns();
      const results = runs.map(({ shards, counts }) => (shards ? sum(shards.received) : counts.total));
      expect({ runs: runs.length, results: results.reduce((total, each) => total + each) }).to.deep.equal({
        runs: filled.runs,
        results: filled.results,
      });
      expect(filled.artifacts).to.be.above(50);
    });

    it('lets runs, tests and causes have happened when they ran, and not when they were recorded', async () => {
      const began = now - 15 * 86_400_000;
      const ran = (at: string) => expect(Date.parse(at)).to.be.within(began, now);
      const days = new Set<string>();
      for (const { started_at, finished_at, duration_ms, branch } of await allRuns()) {
        ran(started_at);
        days.add(started_at.slice(0, 10));
        if (finished_at === null || branch === withoutAShard) continue;
        ran(finished_at);
        expect(duration_ms).to.be.below(10 * 60_000);
      }
      expect(days.size).to.be.above(8);
      for (const { last_result_at } of await all(`/v1/projects/${shop()}/tests?`)) ran(last_result_at);
      const causes = await all(`/v1/projects/${shop()}/failures?`);
      expect(causes.length).to.be.above(5);
      for (const { first_seen, last_seen } of causes) [first_seen.at, last_seen.at].forEach(ran);
    });

    it('has on main a push with three new failures, a fixed, a known, a slower, a new and a removed test', async () => {
      const run = await lastRun('branch=main', 'playwright');
      const { data } = await get(`/v1/test-runs/${run.id}/comparison`);
      const { flaky: _, ...others } = data.counts;
      expect(others).to.deep.equal({
        new_failures: 3,
        still_failing: 2,
        known: 1,
        fixed: 1,
        added: 1,
        removed: 1,
        renamed_maybe: 0,
        slower: 1,
      });
    });

    it('has a run that is still running, because two of its shards have not come', async () => {
      const run = await lastRun('status=running', 'playwright');
      expect(run.branch).to.equal('feature/gift-cards');
      expect(run.shards.received).to.have.length(2);
    });

    it('has a completed run without one of its shards', async () => {
      const { data } = await get(`/v1/test-runs?project_id=${shop()}&branch=${withoutAShard}`);
      const missing = data.filter(
        ({ status, shards }: any) => status === 'completed' && shards?.received.length < shards?.total,
      );
      expect(missing).to.have.length(1);
    });

    it('has a visual failure with the three pictures of a comparison', async () => {
      const run = await lastRun('branch=main', 'playwright');
      const failures = await get(`/v1/test-runs/${run.id}/failures`);
      const { example } = failures.data.find(({ title }: any) => title.includes('toHaveScreenshot'));
      const { items } = await get(`/v1/test/artifact/?test_result_id=${example.id}`);
      expect(items.map(({ label }: any) => label)).to.deep.equal([
        'page-expected.png',
        'page-actual.png',
        'page-diff.png',
        'browser.log',
      ]);
    });

    it('has flaky tests', async () => {
      await eventually('the test is flaky', async () => {
        const { data } = await get(`/v1/projects/${shop()}/tests?q=suggests`);
        return data[0].state === 'flaky';
      });
    });

    it('has a test that always fails on Windows, and is nothing elsewhere and not flaky', async () => {
      const { data } = await get(`/v1/projects/${shop()}/tests?q=writes%20a%20range`);
      const lines = data[0].environments.map(({ environment, state, failure_rate }: any) => [
        environment.os,
        state,
        failure_rate,
      ]);
      // The worst comes first.
      expect(lines).to.deep.equal([
        ['windows', 'stable', 1],
        ['linux', 'stable', 0],
      ]);
    });

    async function lastRun(filter: string, tool: string): Promise<any> {
      const { data } = await get(`/v1/test-runs?project_id=${shop()}&${filter}&per_page=20`);
      return data.find((run: any) => run.tool === tool);
    }
  });
});

function sum(received: readonly { results: number }[]): number {
  return received.reduce((total, { results }) => total + results, 0);
}
