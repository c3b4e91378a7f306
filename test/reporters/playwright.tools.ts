import { writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { expect } from 'chai';
import { givenSubmission } from '../http/given.js';
import type { Ended } from '../kit/command.js';
import { testServer } from '../kit/server.js';
import { givenFixture, installRunners } from './runners.js';
import {
  countsOf,
  deadAddress,
  givenCommands,
  ownLines,
  postedRuns,
  repository,
  runNode,
  stablePart,
} from './running.js';

/** The last lines of the reporter `line`. */
function summaryOf({ stdout }: Ended): Record<string, number> {
  const count = (word: string) => Number(new RegExp(`^ +(\\d+) ${word}`, 'm').exec(stdout)?.[1] ?? 0);
  return {
    failed: count('failed'),
    flaky: count('flaky'),
    skipped: count('skipped') + count('did not run'),
    passed: count('passed'),
  };
}

describe('the Playwright reporter', function () {
  this.timeout(600_000);
  const server = testServer();
  let home: string;
  let cwd: string;
  let remove: () => Promise<void>;
  before(async function () {
    this.timeout(600_000);
    home = await installRunners();
  });
  beforeEach(async () => ({ cwd, remove } = await givenFixture(home, 'playwright')));
  afterEach(() => remove());

  function playwright(env: Record<string, string>, args: string[] = ['test'], reporters: unknown = both) {
    const cli = join(home, 'node_modules/@playwright/test/cli.js');
    const more = { OUTPUT: join(cwd, 'output'), REPORTERS: JSON.stringify(reporters) };
    return runNode({ args: [cli, ...args], cwd, env: { ...more, ...env } });
  }
  const both = [['line'], ['testledger/playwright']];
  // Few attempts that fail: Playwright starts a new process after each.
  const few = ['test', 'hooks.spec.mjs', 'more.spec.mjs'];

  it('posts what Playwright prints: attempts, projects, steps, hooks and attachments', async () => {
    const commands = await givenCommands(server);
    const ended = await playwright(commands.env);
    expect(ended.code).to.equal(1);
    expect(summaryOf(ended)).to.deep.equal({ failed: 4, flaky: 2, skipped: 3, passed: 26 });

    const [posted, ...others] = await postedRuns(commands);
    expect(others).to.deep.equal([]);
    const { run, results } = posted!;
    // Playwright counts tests that fail as expected among those that passed.
    expect(countsOf(results)).to.deep.equal({ failed: 4, skipped: 3, passed: 27, known_fail: 1 });
    expect(run).to.include({ status: 'completed', outcome: 'failed', tool: 'playwright' });
    expect(ownLines(ended)).to.deep.equal([
      `testledger: ${results.length} results are posted: ${server.url}/runs/${run.id}`,
    ]);
    const named = (name: string) => results.filter((result) => result.name === `outcomes.spec.mjs › ${name}`);

    const flaky = named('outcomes › is flaky [desk]');
    expect(flaky.map(({ status, attempt }) => [status, attempt])).to.deep.equal([
      ['failed', 1],
      ['passed', 2],
    ]);
    expect(flaky.map(({ superseded_by }) => superseded_by === null)).to.deep.equal([false, true]);
    for (const [n, { id }] of flaky.entries()) {
      const { items } = (await commands.api.get(`/v1/test/artifact/?test_result_id=${id}`)).body;
      // Playwright itself attaches the context of an error.
      const notes = items.find(({ label }: any) => label === 'notes');
      expect(notes).to.include({ kind: 'Log', content_type: 'text/plain' });
      const { download_url } = (await commands.api.get(`/v1/test/artifact/${notes.artifact_id}/download`))
        .body;
      const url = new URL(download_url, server.url);
      expect(await (await fetch(url)).text()).to.equal(`try ${n}`);
    }
    const [kept] = named('outcomes › keeps a file [desk]');
    const { items } = (await commands.api.get(`/v1/test/artifact/?test_result_id=${kept!.id}`)).body;
    expect(items.map(({ label, content_type }: any) => [label, content_type])).to.deep.equal([
      ['drawing', 'image/svg+xml'],
    ]);

    const failed = named('outcomes › fails [desk]');
    expect(failed).to.have.lengthOf(2);
    expect(failed[0]).to.include({ file: 'tests/outcomes.spec.mjs', line: 6, suite: 'outcomes' });
    expect(failed[0]!.metadata).to.deep.include({
      project: 'desk',
      environment: { project: 'desk' },
      tags: ['@outcomes'],
    });
    expect(failed[0]!.metadata!['step']).to.match(/^looks › closely/);
    expect(failed[0]!.error_message)
      .to.match(/toEqual/)
      .and.not.contain('\u001b');
    expect(named('outcomes › fails as expected [desk]').map(({ status }) => status)).to.deep.equal([
      'known_fail',
    ]);
    expect(named('once › passes against the expectation [desk]').at(-1)).to.include({
      status: 'failed',
      error_message: 'Expected to fail, but passed.',
    });
    expect(named('outcomes › skips itself [desk]')[0]!.metadata!['reason']).to.equal('no printer');
    expect(named('once › takes too long [desk]').at(-1)!.error_message).to.match(
      /Test timeout of 50ms exceeded/,
    );
    expect(named('outcomes › ünïcödé 🦦 日本語 bold [desk]')).to.have.lengthOf(1);

    const hooks = results.filter(({ name }) => name === 'hooks.spec.mjs › a hook › never runs [desk]');
    expect(hooks[0]!.error).to.include({ hook: 'opens the shop', message: 'Error: closed' });
    const serial = results.filter(({ name }) => name.startsWith('hooks.spec.mjs › in order › first'));
    expect(serial.map(({ attempt, superseded_by }) => [attempt, superseded_by === null])).to.deep.equal([
      [1, false],
      [2, true],
    ]);
  });

  it('posts nothing of a list of tests, not even a shard without tests', async () => {
    const commands = await givenCommands(server);
    const env = { ...commands.env, TESTLEDGER_RUN_KEY: 'build 3' };
    const ended = await playwright(env, [...few, '--list', '--shard=1/2']);
    expect(ended.code).to.equal(0);
    expect(await postedRuns(commands)).to.deep.equal([]);
    expect(ownLines(ended)).to.deep.equal(['testledger: nothing is posted: the tests do not run']);
  });

  it('joins shards in one run, and a shard that ran again counts once', async () => {
    const commands = await givenCommands(server);
    const env = { ...commands.env, TESTLEDGER_RUN_KEY: 'build 7' };
    const one = await playwright(env, [...few, '--shard=1/2']);
    expect((await postedRuns(commands)).map(({ run }) => run.status)).to.deep.equal(['running']);
    const two = await playwright(env, [...few, '--shard=2/2']);
    const [first] = await postedRuns(commands);
    await playwright(env, [...few, '--shard=2/2']);
    const [again, ...others] = await postedRuns(commands);
    expect(others).to.deep.equal([]);
    const sum = (word: string) => summaryOf(one)[word]! + summaryOf(two)[word]!;
    expect(countsOf(first!.results)['failed']).to.equal(sum('failed'));
    expect(first!.run).to.include({ status: 'completed' });
    expect(countsOf(again!.results)).to.deep.equal(countsOf(first!.results));
    expect(again!.run.shards.received.map(({ index, attempt }: any) => [index, attempt])).to.deep.equal([
      [1, 1],
      [2, 1],
      [2, 2],
    ]);
  });

  it('posts merged reports once, however often they are merged', async () => {
    const commands = await givenCommands(server);
    const blobs = join(cwd, 'blobs');
    for (const shard of [1, 2])
      await playwright(
        { PLAYWRIGHT_BLOB_OUTPUT_FILE: join(blobs, `${shard}.zip`) },
        [...few, `--shard=${shard}/2`],
        [['blob']],
      );
    const env = { ...commands.env, TESTLEDGER_RUN_KEY: 'build 7' };
    const merge = ['merge-reports', blobs, '--config', 'playwright.config.mjs'];
    const first = await playwright(env, merge);
    const [posted] = await postedRuns(commands);
    const second = await playwright(env, merge);
    const after = await postedRuns(commands);
    expect(after).to.have.lengthOf(1);
    expect(posted!.results).not.to.deep.equal([]);
    expect(after[0]!.results.map(({ id }) => id)).to.deep.equal(posted!.results.map(({ id }) => id));
    for (const ended of [first, second]) expect(ownLines(ended).join()).to.match(/results are posted/);

    const whole = await givenCommands(server);
    await playwright(whole.env, few);
    const [unmerged] = await postedRuns(whole);
    expect(stablePart(posted!.results)).to.deep.equal(stablePart(unmerged!.results));
  });

  it('neither fails nor slows the tests where the server is not there', async () => {
    const env = { TESTLEDGER_URL: await deadAddress(), TESTLEDGER_API_KEY: 'key', TESTLEDGER_PROJECT: 'p' };
    const ended = await playwright(env, few);
    expect(ended.code).to.equal(1);
    expect(ownLines(ended)).to.have.lengthOf(1);
    expect(ownLines(ended)[0]).to.match(/^testledger: warning: \d+ of \d+ results not posted .*ECONNREFUSED/);
  });

  describe('with a shard plan', () => {
    const setting = { balanceShards: true, skipKnownFailures: true, shardPlan: 'plan.json' };
    const balanced = (env: Record<string, string>, args: string[], options: object = setting) => {
      const cli = join(home, 'node_modules/@playwright/test/cli.js');
      const own = { OUTPUT: join(cwd, 'output'), OPTIONS: JSON.stringify(options) };
      return runNode({
        args: [cli, 'test', '--config', 'balanced.config.mjs', ...args],
        cwd,
        env: { ...own, ...env },
      });
    };
    const single = (name: string, project: string) => `single.spec.mjs › ${name} [${project}]`;

    it('runs each test in one shard, chosen by its duration, and no test that is known to fail', async () => {
      const commands = await givenCommands(server);
      // What earlier runs took: one long test, and the group that stays together.
      const took = [
        { name: single('one', 'desk'), duration_ms: 60_000 },
        { name: 'grouped.spec.mjs › in order › first [desk]', duration_ms: 50_000 },
        { name: single('two', 'desk'), duration_ms: 1_000 },
        { name: single('two', 'phone'), duration_ms: 1_000 },
        { name: single('is known to fail', 'desk'), duration_ms: 9 },
        { name: single('is known to fail', 'phone'), duration_ms: 9 },
      ];
      await givenSubmission(commands.api, commands.project, took, { metadata: { branch: 'main' } });
      const { body } = await commands.api.get(`/v1/projects/${commands.project}/tests?q=is known to fail`);
      const expires_at = new Date(Date.now() + 86_400_000).toISOString();
      for (const { id } of body.data)
        await commands.api.send({
          method: 'PUT',
          path: `/v1/projects/${commands.project}/tests/${id}/known-failure`,
          content: JSON.stringify({ reason: 'bug 7', expires_at }),
        });
      const main = join(repository, 'dist/program/cli.js');
      const saved = await runNode({
        args: [main, 'shard-plan', '--output', 'plan.json'],
        cwd,
        env: commands.env,
      });
      expect(saved.code, saved.stderr).to.equal(0);

      const env = { ...commands.env, TESTLEDGER_RUN_KEY: 'build 7' };
      const shards: string[][] = [];
      for (const n of [1, 2, 3]) {
        const ended = await balanced(env, [`--shard=${n}/3`]);
        expect(ended.code, ended.stdout + ended.stderr).to.equal(0);
        expect(ownLines(ended)[0]).to.equal(
          'testledger: 2 tests are skipped, because they are known to fail',
        );
        const [, tests] = /^testledger: this shard has (\d+) of 17 tests/.exec(ownLines(ended)[1]!)!;
        const [posted] = await postedRuns(commands);
        const before = shards.flat();
        const names = posted!.results.map(({ name }) => name);
        for (const name of before) names.splice(names.indexOf(name), 1);
        shards.push(names);
        expect(names.filter((name) => !name.includes('prepare'))).to.have.lengthOf(Number(tests));
      }
      const [posted] = await postedRuns(commands);
      expect(posted!.run).to.include({ status: 'completed', outcome: 'passed' });
      const own = shards.map((names) => names.filter((name) => !name.includes('prepare')));
      expect(own.flat()).to.have.lengthOf(17);
      expect(new Set(own.flat())).to.have.lengthOf(17);
      expect(own[0]).to.include(single('one', 'desk'));
      expect(own[1]!.filter((name) => name.includes('in order'))).to.have.lengthOf(3);
      // What is short beside the long ones: everything else.
      expect(own[2]).to.have.length.above(8);
      // Desk has tests in each shard, so each one prepares it.
      expect(shards.flat().filter((name) => name.includes('prepare'))).to.have.lengthOf(6);
      const known = posted!.results.filter(({ name }) => name.includes('is known to fail'));
      expect(known.map(({ status, metadata }) => [status, metadata!['reason']])).to.deep.equal([
        ['skipped', 'known failure: bug 7'],
        ['skipped', 'known failure: bug 7'],
      ]);
    });

    for (const more of ['--project=prepare', '--no-deps'])
      it(`runs tests on which no other test of the run waits in one shard: ${more}`, async () => {
        const plan = {
          version: 1,
          project_id: 'p',
          run_ids: [],
          durations: [],
          suites: [],
          known_failures: [],
        };
        await writeFile(join(cwd, 'plan.json'), JSON.stringify(plan));
        const shards: string[] = [];
        for (const n of [1, 2]) shards.push((await balanced({}, [more, `--shard=${n}/2`])).stdout);
        for (const title of ['prepares', 'prepares more']) {
          const line = new RegExp(`^\\[\\d+/\\d+\\] \\[prepare\\].* › ${title}$`, 'gm');
          expect(shards.flatMap((stdout) => stdout.match(line) ?? [])).to.have.lengthOf(1);
        }
      });

    it('fails before the first test where the plan cannot be read: other shards may have it', async () => {
      for (const [options, message] of [
        [setting, /the shard plan plan\.json cannot be read: ENOENT/],
        [{ balanceShards: true }, /balanceShards and skipKnownFailures need shardPlan/],
      ] as const) {
        const ended = await balanced({}, ['--shard=1/3'], options);
        expect(ended.code).to.equal(1);
        expect(ended.stdout + ended.stderr)
          .to.match(message)
          .and.not.match(/\[1\/\d+\]/);
      }
    });
  });
});
