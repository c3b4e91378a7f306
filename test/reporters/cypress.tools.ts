import { mkdir, readdir, readFile, rm, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { expect } from 'chai';
import { extract } from 'tar';
import { entriesOf } from '../importers/read-corpus.js';
import { ended, type Ended } from '../kit/command.js';
import { testServer } from '../kit/server.js';
import { cypressEnv, givenFixture, installCypress } from './runners.js';
import {
  countsOf,
  deadAddress,
  givenCommands,
  ownLines,
  postedRuns,
  repository,
  runNode,
  type PostedResult,
} from './running.js';

const spec = 'cypress/e2e/outcomes.cy.js';

describe('the reporter of Cypress', function () {
  this.timeout(600_000);
  const server = testServer();
  let home: string;
  let cwd: string;
  let remove: () => Promise<void>;
  before(async () => {
    home = await installCypress();
    ({ cwd, remove } = await givenFixture(home, 'cypress'));
    // As its users install it from a server.
    const installed = join(cwd, 'node_modules/testledger');
    await mkdir(installed, { recursive: true });
    await extract({ file: join(repository, 'dist/clients/testledger.tgz'), cwd: installed, strip: 1 });
  });
  after(() => remove());

  const run = (env: Record<string, string>, ...args: string[]) =>
    runNode({
      args: [join(home, 'node_modules/cypress/bin/cypress'), 'run', ...args],
      cwd,
      env: { ...cypressEnv(home), ...env },
    });

  it('posts what Cypress prints: retries as attempts, errors, hooks, files that do not load, pictures, videos and the browser', async () => {
    const commands = await givenCommands(server);
    const runs = await run({ ...commands.env, POSTING: '1' });
    expect(ownLines(runs).join()).to.match(/^testledger: \d+ results are posted: /);
    const [posted] = await postedRuns(commands);
    expect(posted!.run).to.include({ status: 'completed', tool: 'cypress' });
    expect(countsOf(posted!.results)).to.deep.equal(summaryOf(runs));
    const named = (name: string) => posted!.results.filter((result) => result.name === name);
    const outcomes = (name: string) => named(name).map(({ status, attempt }) => [status, attempt]);

    expect(outcomes('sums › is flaky')).to.deep.equal([
      ['failed', 1],
      ['passed', 2],
    ]);
    const [flaky] = named('sums › is flaky');
    expect(flaky).to.include({ file: spec, suite: 'sums', error_message: 'tries: expected 1 to equal 2' });
    expect((flaky as any).environment).to.include({ browser: 'electron' });
    expect(named('sums › is flaky').every(({ duration_ms }) => duration_ms! > 0)).to.equal(true);
    expect(await filesOf(commands, named('sums › is flaky'))).to.deep.equal([
      ['cart.png', 'outcomes.cy.js.mp4', 'sums -- is flaky (failed).png'],
      ['cart (attempt 2).png'],
    ]);

    const failed = named('sums › fails');
    expect(failed.map(({ error_message }) => error_message)).to.deep.equal(
      Array.from(
        { length: 2 },
        () => 'Timed out retrying after 200ms: expected { sum: 1 } to deeply equal { sum: 2 }',
      ),
    );
    expect(failed.at(-1)!.error!['stack']).to.contain(spec);
    expect(new Set(failed.map(({ group }: any) => group.id)).size).to.equal(1);
    expect(named('sums › has colours')[0]!.error_message).to.equal('red 🦦 日本語');
    expect(outcomes('sums › comes twice')).to.deep.equal([
      ['passed', 1],
      ['passed', 1],
    ]);
    expect(outcomes('a hook › never runs')).to.deep.equal([['failed', 1]]);
    expect((named('a hook › never runs')[0] as any).group.title).to.contain('"before all" hook');
    expect(named('a hook › nor does this')[0]!.metadata).to.include({ reason: 'a hook failed before it' });
    expect(await filesOf(commands, named('a hook of each › never runs'))).to.deep.equal([
      ['a hook of each -- never runs (failed).png'],
      ['a hook of each -- never runs -- before each hook (failed) (attempt 2).png'],
    ]);

    const outside = 'cypress/e2e/broken.cy.js › An uncaught error was detected outside of a test';
    expect(named(outside).at(-1)!.error_message).to.contain('no shop');
    expect(named('cypress/e2e/missing.cy.js')[0]!.error_message).to.contain('no-such-file.js');
  });

  it('posts the same spec files of one run key once, and others beside them', async () => {
    const commands = await givenCommands(server);
    const env = {
      ...commands.env,
      POSTING: '1',
      TESTLEDGER_RUN_KEY: 'build 7',
      TESTLEDGER_COMPLETE: 'false',
    };
    await run(env, '--spec', 'cypress/e2e/broken.cy.js');
    await run(env, '--spec', 'cypress/e2e/broken.cy.js');
    await run(env, '--spec', 'cypress/e2e/missing.cy.js');
    const [posted, ...others] = await postedRuns(commands);
    expect(others).to.deep.equal([]);
    expect(countsOf(posted!.results)).to.deep.equal({ failed: 2 });
    expect(posted!.results).to.have.lengthOf(3);
  });

  it('posts a shard whole, without a support file, as far as Cypress says what happened, under the names of its report for JUnit', async () => {
    const commands = await givenCommands(server);
    const shard = { TESTLEDGER_RUN_KEY: 'build 8', TESTLEDGER_SHARD: '1/2' };
    const args = ['--spec', spec, '--config', 'supportFile=false,video=false', '--reporter', 'junit'];
    const runs = await run(
      { ...commands.env, ...shard, POSTING: '1' },
      ...args,
      '--reporter-options',
      'mochaFile=out-[hash].xml',
    );
    const [posted] = await postedRuns(commands);
    expect(posted!.run.status).not.to.equal('completed');
    expect(countsOf(posted!.results)).to.deep.equal(summaryOf(runs));
    const flaky = posted!.results.filter(({ name }) => name === 'sums › is flaky');
    expect(flaky.map(({ status, error_message }) => [status, error_message])).to.deep.equal([
      ['failed', null],
      ['passed', null],
    ]);
    expect(await filesOf(commands, flaky)).to.deep.equal([['sums -- is flaky (failed).png'], []]);

    const [report] = (await readdir(cwd)).filter((name) => name.startsWith('out-'));
    const imported = (await entriesOf(await readFile(join(cwd, report!)))).flatMap((entry) =>
      entry.type === 'result' ? [entry.item.name] : [],
    );
    const names = new Set(posted!.results.map(({ name }) => name));
    // The report names a hook that failed, in place of the test that it failed.
    const tests = imported.filter((name) => !/ hook for "[^"]*"$/.test(name));
    expect(imported.length - tests.length).to.equal(2);
    expect(tests).to.include('sums › is flaky');
    expect([...names]).to.include.members(tests);
  });

  it('neither fails nor slows the tests where the server is not there', async () => {
    const env = { TESTLEDGER_URL: await deadAddress(), TESTLEDGER_API_KEY: 'key', TESTLEDGER_PROJECT: 'p' };
    const without = await run({}, '--spec', spec);
    const runs = await run({ ...env, POSTING: '1' }, '--spec', spec);
    expect(runs.code).to.equal(without.code).and.above(0);
    expect(summaryOf(runs)).to.deep.equal(summaryOf(without));
    expect(ownLines(runs)).to.have.lengthOf(1);
    expect(ownLines(runs)[0]).to.match(/^testledger: warning: (\d+) of \1 results not posted .*ECONNREFUSED/);
  });

  it('fits the types of Cypress', async () => {
    const file = join(cwd, 'typed.config.ts');
    await writeFile(
      file,
      `import { defineConfig } from 'cypress';
import testledger from 'testledger/cypress';
export default defineConfig({ e2e: { setupNodeEvents: (on, config) => testledger(on, config, { label: 'nightly' }) } });
`,
    );
    const flags = ['--noEmit', '--strict', '--skipLibCheck', '--module', 'nodenext', '--types', 'cypress'];
    const tsc = join(repository, 'node_modules/typescript/bin/tsc');
    const checked = await ended(process.execPath, [tsc, '--ignoreConfig', ...flags, file], { cwd, env: {} });
    await rm(file);
    expect(checked.code, checked.stdout).to.equal(0);
  });
});

/** The last line of the table that Cypress prints: tests, passing, failing, pending, skipped. */
function summaryOf({ stdout }: Ended): Record<string, number> {
  const line = /^ +[✖✔] .*?\d\d:\d\d +((?:(?:\d+|-) +){5})$/gmu;
  const [, cells = ''] = [...stdout.matchAll(line)].at(-1) ?? [];
  const [, passed = 0, failed = 0, pending = 0, skipped = 0] = cells
    .trim()
    .split(/ +/)
    .map((cell) => Number(cell.replace('-', '0')));
  return { passed, failed, skipped: pending + skipped };
}

async function filesOf(
  { api }: Awaited<ReturnType<typeof givenCommands>>,
  results: readonly PostedResult[],
): Promise<string[][]> {
  return Promise.all(
    results.map(async ({ id }) => {
      const { items } = (await api.get(`/v1/test/artifact/?test_result_id=${id}`)).body;
      return items.map(({ label }: { label: string }) => label).sort();
    }),
  );
}
