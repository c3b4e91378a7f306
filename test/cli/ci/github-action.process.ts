import { expect } from 'chai';
import { readFile, rm } from 'node:fs/promises';
import { join } from 'node:path';
import { parse } from 'yaml';
import { testServer } from '../../kit/server.js';
import { type Ended } from '../../kit/command.js';
import { commandLine, serverThatIsAway } from '../command-line.js';
import { fakeForge, TOKEN } from '../forge/fake-forge.js';
import { jobOf, repository, type Job } from './job.js';

type Action = {
  inputs: Record<string, { default?: string; required?: boolean }>;
  runs: { steps: { name: string; if: string; shell: string; env: Record<string, string>; run: string }[] };
};

const action = parse(await readFile(join(repository, 'clients/github-action/action.yml'), 'utf8')) as Action;

describe('the GitHub action', () => {
  const server = testServer();
  const given = commandLine(server);
  const forge = fakeForge();
  const away = serverThatIsAway();

  /** Runs the steps whose condition is met. Inputs in capitals are variables of the job. */
  async function run(job: Job, inputs: Record<string, string>): Promise<Record<string, Ended>> {
    const all: Record<string, string> = {
      ...Object.fromEntries(
        Object.entries(action.inputs).map(([name, { default: value = '' }]) => [name, value]),
      ),
      url: server.url,
      'api-key': given.env['TESTLEDGER_API_KEY']!,
      project: given.project,
      testledger: 'testledger',
      token: TOKEN,
      reports: 'reports/**/*.xml',
      'run-key': 'k',
      ...inputs,
    };
    const ends: Record<string, Ended> = {};
    for (const step of action.runs.steps) {
      if (step.if.includes("inputs.testledger == ''") && all['testledger'] !== '') continue;
      if (step.if.includes("inputs.import == 'true'") && all['import'] !== 'true') continue;
      if (step.if.includes("inputs.issues == 'true'") && all['issues'] !== 'true') continue;
      if (step.if.includes("inputs.shard == ''") && all['shard'] !== '') continue;
      const env = Object.fromEntries(
        Object.entries(step.env).map(([name, value]) => [
          name,
          value.replaceAll(/\$\{\{ *inputs\.([\w-]+) *\}\}/gu, (_, input: string) => all[input]!),
        ]),
      );
      ends[step.name] = await job.step(step.run, {
        ...Object.fromEntries(Object.entries(inputs).filter(([name]) => /^[A-Z_]+$/u.test(name))),
        ...env,
        GITHUB_REPOSITORY: 'shop/cart',
        GITHUB_API_URL: forge.url,
      });
      // Without a condition of its own, a step runs only after success.
      if (ends[step.name]!.code !== 0) break;
    }
    return ends;
  }
  const codes = (ends: Record<string, Ended>) => Object.values(ends).map(({ code }) => code);

  it("runs no package of a registry, which could be anybody's and would get the key", () => {
    for (const { run: script } of action.runs.steps)
      expect(script).to.not.match(/\bnpx\b|npm (i|install|exec)/u);
  });

  it('downloads the command line of the server, and warns where the server is away', async () => {
    const job = await jobOf(given, { one: 'passed' });
    await job.step('npm test');
    const here = { testledger: '', RUNNER_TEMP: given.folder };
    const ends = await run(job, here);
    expect(Object.keys(ends)).to.deep.equal([
      'Get the command line',
      'Import reports',
      'Show the summary',
      'Apply the gate',
    ]);
    expect(codes(ends)).to.deep.equal([0, 0, 0, 0]);
    expect(ends['Import reports']!.stdout).to.include('1 result');
    await rm(join(given.folder, 'testledger.mjs'));
    const without = await run(job, { ...here, url: 'http://127.0.0.1:2' });
    expect(codes(without)).to.deep.equal([0, 0, 0, 0]);
    expect(without['Get the command line']!.stdout).to.match(/^::warning::/mu);
  });

  it('has no input in the text of a script, where it could be a command', () => {
    for (const { run: script, shell } of action.runs.steps) {
      expect(script).to.not.include('${{');
      expect(shell).to.equal('bash');
    }
  });

  it('imports, shows the summary, comments, and fails for what is new', async () => {
    const job = await jobOf(given, { one: 'failed', two: 'passed' });
    await job.step('npm test');
    const ends = await run(job, {
      comment: 'true',
      'pull-request': '12',
      branch: 'a b; exit 9',
      reports: '\nreports/**/*.xml\nresults.xml\n',
    });
    expect(codes(ends)).to.deep.equal([0, 0, 1]);
    expect(await readFile(join(given.folder, 'summary.md'), 'utf8')).to.match(/^### ✗ 2 failed: 2 new/u);
    expect(ends['Show the summary']!.stderr).to.include('::error ');
    expect(forge.comments[0]!.body).to.include('2 failed');
    const { body } = await given.owner.get(`/v1/test-runs?project_id=${given.project}&run_key=k`);
    expect(body.data[0]).to.include({ branch: 'a b; exit 9', pull_request: '12', test_count: 4 });
  });

  it('sets a status, makes a check and keeps issues, and warns where the forge refuses them', async () => {
    const job = await jobOf(given, { one: 'failed' });
    await job.step('npm test');
    const inputs = {
      branch: 'main',
      commit: '0123456789abcdef',
      issues: 'true',
      'issues-labels': 'bug\n\ntests; exit 9\n',
    };
    const ends = await run(job, { ...inputs, status: 'true', check: 'true' });
    expect(codes(ends)).to.deep.equal([0, 0, 0, 1]);
    expect(forge.statuses.map(({ kind, state }) => `${kind} ${state}`)).to.deep.equal([
      'check failure',
      'status failure',
    ]);
    expect(forge.issues.map(({ labels }) => labels)).to.deep.equal([['testledger', 'bug', 'tests; exit 9']]);
    forge.issues = [];
    forge.refuseWrites = 403;
    const refused = await run(job, { ...inputs, status: 'true' });
    expect(codes(refused)).to.deep.equal([0, 0, 0, 1]);
    expect(refused['Show the summary']!.stderr).to.include('there is no status');
    expect(refused['Keep issues']!.stdout).to.include('::warning::');
  });

  it('finds the run of a leg of a matrix by its environment, or by that of the job', async () => {
    const job = await jobOf(given, { one: 'passed' });
    await job.step('npm test');
    const build = { 'run-key': '', GITHUB_ACTIONS: 'true', GITHUB_RUN_ID: '7', RUNNER_OS: 'Linux' };
    const legs = [
      { environment: JSON.stringify({ os: 'windows-latest', node: 22 }, null, 2) },
      { environment: 'null', TESTLEDGER_ENVIRONMENT: 'node=24' },
      {},
    ];
    for (const leg of legs) expect(codes(await run(job, { ...build, ...leg }))).to.deep.equal([0, 0, 0]);
    const { body } = await given.owner.get(`/v1/test-runs?project_id=${given.project}`);
    expect(body.data.map((made: { run_key: string }) => made.run_key)).to.deep.equal([
      'github 7 os=linux',
      'github 7 node=24',
      'github 7 node=22,os=windows-latest',
    ]);
  });

  it('only imports in the job of a shard, and judges in a job behind the shards', async () => {
    const job = await jobOf(given, { one: 'passed' });
    await job.step('npm test');
    for (const shard of ['1/2', '2/2'])
      expect(Object.keys(await run(job, { shard }))).to.deep.equal(['Import reports']);
    expect(codes(await run(job, { import: 'false' }))).to.deep.equal([0, 0]);
  });

  it('fails for a broken report, and warns where the server is away', async () => {
    const job = await jobOf(given, { one: 'passed' });
    await given.file('reports/cut.xml', '<testsuite>');
    expect(codes(await run(job, { 'fail-on': 'none' }))).to.deep.equal([1]);
    await given.file('reports/cut.xml', '<testsuite><testcase name="one"/></testsuite>');
    const without = await run(job, { url: away['TESTLEDGER_URL']! });
    expect(codes(without)).to.deep.equal([0, 0, 0]);
    expect(without['Import reports']!.stdout).to.include('::warning::');
  });
});
