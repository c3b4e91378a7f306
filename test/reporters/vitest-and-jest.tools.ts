import { join } from 'node:path';
import { expect } from 'chai';
import type { Ended } from '../kit/command.js';
import { testServer } from '../kit/server.js';
import { givenFixture, installRunners } from './runners.js';
import { countsOf, deadAddress, givenCommands, ownLines, postedRuns, runNode } from './running.js';

type Runner = {
  name: string;
  args(home: string): string[];
  file: string;
  /** Before the names of tests. */
  prefix: string;
  /** The attempt that passes. */
  attempt: number;
  /** Where the runner counts a failure that is expected as a pass. */
  knownFailures: number;
  hook: string;
};

const runners: readonly Runner[] = [
  {
    name: 'vitest',
    args: (home) => [join(home, 'node_modules/vitest/vitest.mjs'), 'run'],
    file: 'outcomes.spec.mjs',
    prefix: 'outcomes.spec.mjs › ',
    attempt: 3,
    knownFailures: 0,
    hook: 'closed',
  },
  {
    name: 'jest',
    args: (home) => [join(home, 'node_modules/jest/bin/jest.js')],
    file: 'outcomes.spec.cjs',
    prefix: '',
    attempt: 2,
    knownFailures: 1,
    hook: 'closed',
  },
];

/** The line `Tests: …` of both. */
function summaryOf({ stdout, stderr }: Ended): Record<string, number> {
  const line = /^\s*Tests:? .*$/m.exec(`${stdout}\n${stderr}`)?.[0] ?? '';
  const count = (word: string) => Number(new RegExp(`(\\d+) ${word}`).exec(line)?.[1] ?? 0);
  return { failed: count('failed'), passed: count('passed'), skipped: count('skipped') + count('todo') };
}

for (const runner of runners) {
  describe(`the reporter of ${runner.name}`, function () {
    this.timeout(600_000);
    const server = testServer();
    let home: string;
    let cwd: string;
    let remove: () => Promise<void>;
    before(async () => {
      home = await installRunners();
      ({ cwd, remove } = await givenFixture(home, runner.name));
    });
    after(() => remove());

    const run = (env: Record<string, string>) => runNode({ args: runner.args(home), cwd, env });

    it('posts what the runner prints, once for one run key', async () => {
      const commands = await givenCommands(server);
      const env = { ...commands.env, POSTING: '1', TESTLEDGER_RUN_KEY: 'build 7' };
      const ended = await run(env);
      const without = await run({});
      expect(ended.code).to.equal(without.code).and.equal(1);
      expect(summaryOf(ended)).to.deep.equal(summaryOf(without));
      const [posted] = await postedRuns(commands);
      const { known_fail = 0, passed = 0, ...counts } = countsOf(posted!.results);
      expect({ ...counts, passed: passed + known_fail }).to.deep.equal(summaryOf(ended));
      expect(known_fail).to.equal(runner.knownFailures);
      expect(posted!.run).to.include({ status: 'completed', tool: runner.name });
      expect(ownLines(ended).join()).to.match(/^testledger: \d+ results are posted: /);

      await run(env);
      const after = await postedRuns(commands);
      expect(after.map(({ results }) => results.map(({ id }) => id))).to.deep.equal([
        posted!.results.map(({ id }) => id),
      ]);
    });

    it('posts attempts, errors, hooks and files', async () => {
      const commands = await givenCommands(server);
      await run({ ...commands.env, POSTING: '1' });
      const [{ results } = { results: [] }] = await postedRuns(commands);
      const named = (name: string) => results.filter((result) => result.name === `${runner.prefix}${name}`);
      const flaky = named('sums › is flaky').map(({ status, attempt }) => [status, attempt]);
      const earlier = Array.from({ length: runner.attempt - 1 }, (_, n) => ['failed', n + 1]);
      expect(flaky).to.deep.equal([...earlier, ['passed', runner.attempt]]);
      const failed = named('sums › fails').at(-1)!;
      expect(failed).to.include({ file: runner.file, suite: 'sums' });
      expect(failed.line).to.be.within(5, 10);
      expect(failed.error!['stack']).to.contain(runner.file);
      expect(named('sums › has colours').at(-1)!.error_message).to.equal('red 🦦 日本語');
      expect(named('sums › is to be written')[0]!.metadata).to.include({ reason: 'todo' });
      expect(named('a hook › never runs').at(-1)!.error_message).to.equal(runner.hook);
      for (const { id } of named('sums › keeps a file')) {
        const { items } = (await commands.api.get(`/v1/test/artifact/?test_result_id=${id}`)).body;
        expect(items.map(({ label, size_bytes }: any) => [label, size_bytes])).to.deep.equal([['notes', 10]]);
      }
    });

    it('neither fails nor slows the tests where the server is not there', async () => {
      const env = { TESTLEDGER_URL: await deadAddress(), TESTLEDGER_API_KEY: 'key', TESTLEDGER_PROJECT: 'p' };
      const ended = await run({ ...env, POSTING: '1' });
      expect(ended.code).to.equal(1);
      expect(ownLines(ended)).to.have.lengthOf(1);
      expect(ownLines(ended)[0]).to.match(
        /^testledger: warning: (\d+) of \1 results not posted .*ECONNREFUSED/,
      );
    });
  });
}
