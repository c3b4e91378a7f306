import { expect } from 'chai';
import { awaitBuild, type AwaitedBuild, type RunOfBuild } from '../../../src/cli/gate/await-build.js';
import { endedWell } from '../../../src/cli/gate/earlier-starts.js';
import { newestStarts } from '../../../src/domain/runs/newest-starts.js';
import { buildPasses, buildText } from '../../../src/cli/gate/build-text.js';
import { gateJson, gateText } from '../../../src/cli/gate/gate-text.js';
import { judge } from '../../../src/cli/gate/judge.js';
import type { Client } from '../../../src/client/index.js';
import { factsOf } from '../summary/facts.js';

const run = (id: string, status: RunOfBuild['status'] = 'completed'): RunOfBuild => ({
  id,
  status,
  environment_key: '',
  metadata: null,
});

/** A client whose server answers one list after the other, the last one again and again. `behind`: how many of them are old. */
function clientOf(lists: RunOfBuild[][], behind = 0) {
  const asked: unknown[] = [];
  const client = {
    GET: async (_: string, { params }: { params: { query: object } }) => {
      asked.push(params.query);
      const headers = asked.length <= behind ? { 'X-Read-Lag': '5' } : undefined;
      const data = lists[Math.min(asked.length, lists.length) - 1];
      return {
        data: { data, pagination: { total_pages: 1 } },
        response: new Response(null, headers && { headers }),
      };
    },
  };
  return { client: client as unknown as Client, asked };
}

describe('the gate of a whole build', () => {
  const wanted = {
    project: 'project_1',
    build: 'github shop/cart 7',
    earlierBuilds: [],
    starts: null,
    expected: 2,
  };
  const idsOf = ({ runs }: AwaitedBuild) => runs.map(({ id }) => id);

  it('waits until all runs are there and completed, and asks for those of the build', async () => {
    const lists = [[run('a')], [run('b', 'running'), run('a')], [run('b'), run('a')]];
    const { client, asked } = clientOf(lists);
    expect(idsOf(await awaitBuild(client, wanted, 60_000))).to.deep.equal(['a', 'b']);
    expect(asked).to.have.length(3);
    expect(asked[0]).to.include({ project_id: 'project_1', build: 'github shop/cart 7' });
  });

  it('takes no answer that is behind, until the wait is over', async () => {
    const lists = [[run('b'), run('a')]];
    const late = clientOf(lists, 2);
    expect((await awaitBuild(late.client, wanted, 60_000)).isCurrent).to.equal(true);
    expect(late.asked).to.have.length(3);
    expect(idsOf(await awaitBuild(clientOf([[run('a')]]).client, wanted, 0))).to.deep.equal(['a']);
    expect((await awaitBuild(clientOf(lists, 9).client, wanted, 0)).isCurrent).to.equal(false);
  });

  it('asks for the earlier starts of the build too, and takes the runs of jobs from them', async () => {
    const ofJob = { ...run('a'), metadata: { job: 'x', job_start: '1' } };
    const { client, asked } = clientOf([[run('b')], [ofJob, run('c')]]);
    const found = await awaitBuild(client, { ...wanted, build: 'b 7', earlierBuilds: ['b 6'] }, 0);
    expect(idsOf(found)).to.deep.equal(['a', 'b']);
    expect(asked.map((query) => (query as { build: string }).build)).to.deep.equal(['b 7', 'b 6']);
  });

  describe('on GitHub, with a number of expected runs, is red where the newest attempt of a job never reported', () => {
    const ofJob = (job: string, job_start: string) => ({
      ...run(`${job} ${job_start}`),
      metadata: { job: `github acme/shop 7 ${job}`, job_start },
    });
    const own = { jobs: 'github acme/shop 7 ', start: '2' };
    const needs = (results: Record<string, string>) =>
      JSON.stringify(
        Object.fromEntries(Object.entries(results).map(([job, result]) => [job, { result, outputs: {} }])),
      );
    const first = [ofJob('e2e', '1'), ofJob('unit', '1')];
    const found = async (runs: RunOfBuild[], ended: string | undefined) => {
      const starts = { ...own, ended: endedWell(ended) };
      const { client } = clientOf([runs, first]);
      const build = { ...wanted, build: 'b 7', earlierBuilds: ['b 6'], starts };
      const awaited = await awaitBuild(client, build, 0);
      return { runs: idsOf(awaited), outdated: awaited.outdated };
    };

    it('whose green run of the attempt before does not count', async () => {
      const died = needs({ unit: 'success', e2e: 'failure' });
      expect(await found([ofJob('unit', '2')], died)).to.deep.equal({ runs: ['unit 2'], outdated: 1 });
      expect(await found([ofJob('unit', '2')], undefined)).to.deep.equal({ runs: ['unit 2'], outdated: 1 });
      expect(await found([], needs({}))).to.deep.equal({ runs: [], outdated: 2 });
    });

    it('but not where "Re-run failed jobs" left the job alone, as the context needs says', async () => {
      const all = needs({ unit: 'success', e2e: 'success' });
      expect(await found([ofJob('unit', '2')], all)).to.deep.equal({
        runs: ['e2e 1', 'unit 2'],
        outdated: 0,
      });
      expect(await found([ofJob('unit', '2'), ofJob('e2e', '2')], undefined)).to.deep.equal({
        runs: ['e2e 2', 'unit 2'],
        outdated: 0,
      });
    });

    it('and says so; and what is no context needs is refused', () => {
      const text = buildText({ build: 'b 7', expected: 2, runs: [], outdated: 2, isCurrent: true })[0];
      expect(text).to.equal(
        'gate failed of build b 7: only 0 of 2 runs came, 2 runs of an earlier attempt may have been started again (set TESTLEDGER_NEEDS)',
      );
      for (const wrong of ['{', '[]', '"unit"', 'null'])
        expect(() => endedWell(wrong)).to.throw(/TESTLEDGER_NEEDS/);
    });
  });

  describe('counts the newest start of each job and environment', () => {
    /** `job start environment`, the newest first. */
    const rows: [what: string, runs: string[], left: string[]][] = [
      ['a retry replaces the first start', ['t 2 os=a', 't 1 os=a'], ['t 2 os=a']],
      ['another job is another run', ['u 2 os=a', 't 1 os=a'], ['u 2 os=a', 't 1 os=a']],
      ['another environment is another run', ['t 2 os=a', 't 1 os=b'], ['t 2 os=a', 't 1 os=b']],
      ['two runs of one start are two', ['t 1 os=a', 't 1 os=a'], ['t 1 os=a', 't 1 os=a']],
      [
        'of two legs with one name both are replaced',
        ['t 2 a', 't 2 a', 't 1 a', 't 1 a'],
        ['t 2 a', 't 2 a'],
      ],
      [
        'one of two legs with one name replaces none',
        ['t 2 a', 't 1 a', 't 1 a'],
        ['t 2 a', 't 1 a', 't 1 a'],
      ],
    ];
    for (const [what, runs, left] of rows) {
      it(what, () => {
        const found = runs.map((text, n) => {
          const [job, job_start, environment_key = ''] = text.split(' ');
          return { ...run(`run_${n}`), environment_key, metadata: { job, job_start } };
        });
        const texts = newestStarts(found).map(
          ({ metadata, environment_key }) =>
            `${String(metadata?.['job'])} ${String(metadata?.['job_start'])} ${environment_key}`,
        );
        expect(texts).to.deep.equal(left);
      });
    }

    it('a run that names no job stands for itself', () => {
      expect(newestStarts([run('b'), run('a')])).to.have.length(2);
    });
  });

  it('fails if one run fails, or if fewer came than are expected', () => {
    const judged = (changes: Parameters<typeof factsOf>[0]) => {
      const facts = factsOf(changes);
      return { facts, judgement: judge({ fail_on: 'new' }, facts) };
    };
    const good = judged({});
    const bad = judged({ run: { run_key: 'windows', gate: 'failed' }, counts: { new_failures: 1 } });
    const build = (runs: (typeof good)[], expected: number | null, isCurrent = true) => ({
      build: 'b 7',
      expected,
      runs,
      outdated: 0,
      isCurrent,
    });
    expect(buildPasses(build([good, good], 2))).to.equal(true);
    expect(buildPasses(build([good], null))).to.equal(true);
    expect(buildPasses(build([good, good], 2, false)), 'runs may be missing').to.equal(false);
    expect(buildText(build([good], 2))[0]).to.equal('gate failed of build b 7: only 1 of 2 runs came');
    const text = buildText(build([good, bad], 4));
    expect(text[0]).to.equal('gate failed of build b 7: only 2 of 4 runs came, 1 of 2 runs failed');
    expect(text).to.include('run windows').and.include('  gate failed (--fail-on new): 1 new failure');
  });

  it('says that nobody looked for missing tests in a run without a baseline', () => {
    const textOf = (baseline: null | undefined) => {
      const facts = factsOf({ ...(baseline === null && { baseline }) });
      return gateText(facts, judge({}, facts));
    };
    const uncompared = 'No earlier run of main to compare with: tests that are missing were not looked for';
    expect(textOf(null)).to.include(uncompared);
    expect(textOf(undefined)).not.to.include(uncompared);
  });

  it('says in text and JSON that newer runs were passed over, and why', () => {
    const passed_over = { runs: 2, reason: 'empty' } as const;
    const facts = factsOf({});
    const of = { ...facts, comparison: { ...facts.comparison, passed_over } };
    const said = gateText(of, judge({}, of));
    expect(said).to.include('2 newer runs were passed over, the newest because nothing ran in it');
    expect(gateJson(of, judge({}, of))).to.deep.include({ passed_over });
    const none = { ...of, comparison: { ...of.comparison, baseline: null } };
    expect(gateText(none, judge({}, none))).to.include(
      'No earlier run of main is fit to compare with: tests that are missing were not looked for',
    );
  });
});
