import { createRequire } from 'node:module';
import { expect } from 'chai';
import { testServer } from '../kit/server.js';
import {
  countsOf,
  deadAddress,
  givenCommands,
  hangingServer,
  ownLines,
  postedRuns,
  projects,
  repository,
  runNode,
  stablePart,
} from './running.js';

const bin = createRequire(import.meta.url).resolve('mocha/bin/mocha.js');
const reporter = `${repository}dist/src/reporters/mocha.js`;
const cwd = `${projects}mocha`;
const plain = [bin, '--no-config', 'outcomes.spec.mjs', 'second.spec.mjs'];
const posting = [...plain, '--reporter', reporter];

function summaryOf(stdout: string): Record<string, number> {
  const count = (word: string) => Number(new RegExp(`^\\s+(\\d+) ${word}`, 'm').exec(stdout)?.[1] ?? 0);
  return { passed: count('passing'), failed: count('failing'), skipped: count('pending') };
}

describe('the mocha reporter', () => {
  const server = testServer();

  it('posts what mocha prints', async () => {
    const commands = await givenCommands(server);
    const ended = await runNode({ args: posting, cwd, env: commands.env });
    const without = await runNode({ args: plain, cwd, env: {} });
    expect(ended.code).to.equal(without.code).and.equal(5);
    expect(summaryOf(ended.stdout)).to.deep.equal(summaryOf(without.stdout));

    const [posted, ...others] = await postedRuns(commands);
    expect(others).to.deep.equal([]);
    expect(countsOf(posted!.results)).to.deep.equal(summaryOf(ended.stdout));
    expect(posted!.run).to.include({ status: 'completed', outcome: 'failed', tool: 'mocha' });
    expect(ownLines(ended)).to.deep.equal([
      `testledger: ${posted!.results.length} results are posted: ${server.url}/runs/${posted!.run.id}`,
    ]);
  });

  it('posts the attempts, errors and names of the tests', async () => {
    const commands = await givenCommands(server);
    await runNode({ args: posting, cwd, env: commands.env });
    const [{ results } = { results: [] }] = await postedRuns(commands);
    const named = (name: string) => results.filter((result) => result.name === name);

    expect(named('sums › is flaky').map(({ status, attempt }) => [status, attempt])).to.deep.equal([
      ['failed', 1],
      ['failed', 2],
      ['passed', 3],
    ]);
    const [failed] = named('sums › fails');
    expect(failed).to.include({ file: 'outcomes.spec.mjs', suite: 'sums' });
    expect(failed!.error).to.include({
      type: 'AssertionError',
      expected: '{\n  "total": 2\n}',
      actual: '{\n  "total": 1\n}',
    });
    expect(named('sums › fails every time').at(-1)!.error_message).to.equal('red � � 🦦 日本語');
    expect(named('sums › throws no error')[0]!.error_message).to.contain('"a text" was thrown');
    expect(named('sums › has a long stack')[0]!.error!['stack']).to.match(/characters left out/);
    const [hook] = named('a hook › "before each" hook: opens the shop for "never runs"');
    expect(hook).to.include({ status: 'failed', error_message: 'closed' });
    expect(hook!.error!['hook']).to.match(/opens the shop/);
    const [long] = results.filter(({ name }) => name.startsWith('ünïcödé 🦦 bold › 日本語 xxx'));
    expect(Array.from(long!.name)).to.have.lengthOf(253);
    expect(long!.metadata!['full_name']).to.match(/x{300}$/);
  });

  it('posts the same in parallel mode', async () => {
    const [one, parallel] = [await givenCommands(server), await givenCommands(server)];
    await runNode({ args: posting, cwd, env: one.env });
    const ended = await runNode({ args: [...posting, '--parallel', '--jobs', '2'], cwd, env: parallel.env });
    const [[serial], [spread]] = [await postedRuns(one), await postedRuns(parallel)];
    expect(countsOf(spread!.results)).to.deep.equal(summaryOf(ended.stdout));
    expect(stablePart(spread!.results)).to.deep.equal(stablePart(serial!.results));
  });

  it('posts nothing twice for one run key', async () => {
    const commands = await givenCommands(server);
    const env = { ...commands.env, TESTLEDGER_RUN_KEY: 'build 7' };
    const first = await runNode({ args: posting, cwd, env });
    const before = await postedRuns(commands);
    const second = await runNode({ args: posting, cwd, env });
    const after = await postedRuns(commands);
    expect(after.map(({ run }) => run.run_key)).to.deep.equal(['build 7']);
    expect(stablePart(after[0]!.results)).to.deep.equal(stablePart(before[0]!.results));
    expect(second.code).to.equal(first.code);
    expect(ownLines(second).join()).to.match(/has results of this command already$/);
  });

  it('fails as mocha does where a test leaves a clock behind that never moves', async () => {
    const args = [bin, '--no-config', 'timers.spec.mjs', '--reporter', reporter];
    for (const url of [await deadAddress(), server.url]) {
      const env = { TESTLEDGER_URL: url, TESTLEDGER_API_KEY: 'key', TESTLEDGER_PROJECT: 'p' };
      const ended = await runNode({ args, cwd, env });
      expect(ended.code).to.equal(1);
      expect(ownLines(ended)).to.have.lengthOf(1);
      expect(ownLines(ended)[0]).to.match(/^testledger: warning: 1 of 1 results not posted/);
    }
  });

  it('posts all results of tests that replace the date, with the time at which they ran', async () => {
    const commands = await givenCommands(server);
    const began = Date.now();
    const args = [bin, '--no-config', 'dates.spec.mjs', '--reporter', reporter];
    const ended = await runNode({ args, cwd, env: commands.env });
    expect(ended.code).to.equal(1);
    const [{ run, results } = { run: null, results: [] }] = await postedRuns(commands);
    expect(countsOf(results)).to.deep.equal({ passed: 3, failed: 1 });
    expect(run).to.include({ status: 'completed', outcome: 'failed' });
    for (const at of [run.started_at, run.finished_at, ...results.map(({ started_at }) => started_at)])
      expect(Date.parse(at)).to.be.within(began, Date.now());
  });

  it('posts nothing of a dry run, which calls every test passed', async () => {
    const commands = await givenCommands(server);
    const ended = await runNode({ args: [...posting, '--dry-run'], cwd, env: commands.env });
    expect(ended.code).to.equal(0);
    expect(await postedRuns(commands)).to.deep.equal([]);
    expect(ownLines(ended)).to.deep.equal(['testledger: nothing is posted: the tests do not run']);
  });

  it('ends within 5 s after the tests where the server hangs', async () => {
    const hanging = await hangingServer();
    try {
      const env = { TESTLEDGER_URL: hanging.url, TESTLEDGER_API_KEY: 'key', TESTLEDGER_PROJECT: 'project_1' };
      // What mocha prints of the tests comes before the last posts.
      const ended = await runNode({ args: posting, cwd, env });
      expect(ended.code).to.equal(5);
      expect(ended.silentMs).to.be.within(4_000, 5_000 + 3_000);
      expect(ownLines(ended)).to.have.lengthOf(1);
    } finally {
      await hanging.close();
    }
  });

  it('prints with the reporter that it is given', async () => {
    const commands = await givenCommands(server);
    const args = [...posting, '--reporter-option', 'reporter=json', '--reporter-option', 'label=nightly'];
    const ended = await runNode({ args, cwd, env: commands.env });
    const [posted] = await postedRuns(commands);
    const { stats } = JSON.parse(ended.stdout);
    expect(countsOf(posted!.results)).to.deep.equal({
      passed: stats.passes,
      failed: stats.failures,
      skipped: stats.pending,
    });
    expect(posted!.run.label).to.equal('nightly');
  });
});
