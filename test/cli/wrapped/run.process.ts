import { expect } from 'chai';
import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { testServer } from '../../kit/server.js';
import { cliMain } from '../../kit/command.js';
import { commandLine, junit, serverThatIsAway } from '../command-line.js';

describe('testledger run -- <command>', () => {
  const server = testServer();
  const given = commandLine(server);
  const away = serverThatIsAway();

  const runs = async () => (await given.owner.get(`/v1/test-runs?project_id=${given.project}`)).body.data;
  /** Runs a shell script that writes the report of these cases. */
  async function run(cases: Parameters<typeof junit>[0], script: string, flags: string[] = [], env = {}) {
    await given.file('new.xml', junit(cases));
    const wrapped = ['--', 'sh', '-c', `cat new.xml > report.xml; ${script}`];
    return given.run(['run', '--reports', 'report.xml', ...flags, ...wrapped], env);
  }
  async function baseline(cases: Parameters<typeof junit>[0]) {
    await given.file('base.xml', junit(cases));
    expect((await given.run(['import', 'base.xml', '--branch', 'main', '--run-key', 'base'])).code).to.equal(
      0,
    );
  }

  it('keeps what the command prints, imports its reports, and passes with it', async () => {
    const { code, stdout, stderr } = await run({ one: 'passed' }, 'echo out; echo err >&2');
    expect(code, stderr).to.equal(0);
    expect(stdout).to.match(/^out\n1 result of 1 file: 1 passed, 0 failed\n(?:.*\n)*gate passed/u);
    expect(stderr).to.include('err\n');
  });

  it('fails with the code of the command for a new failure', async () => {
    await baseline({ one: 'passed' });
    const { code, stdout } = await run({ one: 'failed' }, 'exit 1');
    expect(code).to.equal(1);
    expect(stdout).to.include('gate failed (--fail-on new): 1 new failure');
  });

  it('fails for a failed test beside a retried one of the same name, in one file or in two', async () => {
    const suite = (cases: string) => `<testsuite name="s">${cases}</testsuite>`;
    const flaky = '<testcase name="X"><flakyFailure message="f"/></testcase>';
    const failed = '<testcase name="X"><failure message="other"/></testcase>';
    for (const [n, files] of [[flaky + failed], [flaky, failed], [failed, flaky]].entries()) {
      await Promise.all(files.map((cases, at) => given.file(`in-${at}.xml`, suite(cases))));
      const copies = files.map((_, at) => `cp in-${at}.xml out-${n}-${at}.xml`).join('; ');
      const script = ['sh', '-c', `${copies}; exit 1`];
      const flags = ['--reports', `out-${n}-*.xml`, '--run-key', `same ${n}`, '--fail-on', 'any'];
      const { code, stdout } = await given.run(['run', ...flags, '--', ...script]);
      expect(stdout, `${n}`).to.include('gate failed (--fail-on any): 1 failure');
      expect(code, `${n}`).to.equal(1);
    }
  });

  it('keeps the code of the command where it writes no report, or only left an old one', async () => {
    await given.file('report.xml', junit({ one: 'passed' }));
    const touch = 'touch -d 2020-01-01 report.xml';
    const old = await given.run(['run', '--reports', 'report.xml', '--', 'sh', '-c', `${touch}; exit 5`]);
    expect(old.code).to.equal(5);
    expect(old.stderr).to.include('older than the command');
    expect((await given.run(['run', '--reports', 'no.xml', '--', 'sh', '-c', 'exit 6'])).code).to.equal(6);
  });

  it('records what a command wrote that broke off, in a run that no gate lets pass', async () => {
    const cut = '<testsuite name="s"><testcase name="one"/>';
    for (const [key, script, ended] of [
      ['crashed', 'exit 7', 7],
      ['killed', 'kill -9 $$', 137],
      ['cut', `echo '${cut}' > report.xml; exit 7`, 7],
      ['cut in silence', `echo '${cut}' > report.xml`, 1],
    ] as const) {
      const { code, stdout, stderr } = await run({ one: 'passed' }, script, ['--run-key', key]);
      expect([code, stderr.includes('warning')], key).to.deep.equal([ended, true]);
      expect(stdout, key).to.include('a report is not whole');
      expect((await given.run(['gate', '--run-key', key])).code, key).to.equal(1);
    }
    const made = await runs();
    const shown = made.map(({ test_count, gate, report }: Record<string, unknown>) => [
      test_count,
      gate,
      report,
    ]);
    const expected = [1, 'failed', { partial: true, failures_unread: 0 }];
    expect(shown).to.deep.equal([expected, expected, expected, expected]);
  });

  it('makes an empty run, which fails, where no report was written, or one without tests', async () => {
    await given.file('none.xml', '<testsuite name="s"/>');
    for (const script of ['true', 'cp none.xml report.xml']) {
      const { code, stdout } = await given.run(['run', '--reports', 'report.xml', '--', 'sh', '-c', script]);
      expect(code, script).to.equal(1);
      expect(stdout)
        .to.match(/^0 results of [01] files?:/u)
        .and.include('the command made no result');
    }
    const made = await runs();
    expect(made).to.have.lengthOf(2);
    for (const run of made) expect(run).to.include({ status: 'completed', test_count: 0 });
    // In a job whose other command has tests, too.
    const key = ['--run-key', 'job'];
    expect((await run({ one: 'passed' }, 'true', key)).code).to.equal(0);
    const second = ['run', '--reports', 'no.xml', ...key, '--', 'true'];
    expect((await given.run(second)).code).to.equal(1);
  });

  it('leaves a shard missing that wrote no report, and takes one without tests', async () => {
    await given.file('none.xml', '<testsuite name="s"/>');
    const shard = (n: number, script: string) =>
      given.run(
        ['run', '--reports', `${n}.xml`, '--run-key', 'k', '--shard', `${n}/2`].concat(
          '--',
          'sh',
          '-c',
          script,
        ),
      );
    expect((await shard(1, 'exit 0')).stderr).to.include('no_reports');
    expect((await shard(1, 'cp none.xml 1.xml; exit 1')).code).to.equal(1);
    expect(await runs()).to.deep.equal([]);
    expect((await shard(2, 'cp none.xml 2.xml')).code).to.equal(0);
    const [run] = await runs();
    expect(run.shards.received.map(({ index }: { index: number }) => index)).to.deep.equal([2]);
  });

  it('keeps the code of the command where the server is away; --require-upload makes that 3', async () => {
    const own = await run({ one: 'passed' }, 'exit 0', [], { TESTLEDGER_URL: 'http://127.0.0.1:2' });
    expect(own.code).to.equal(0);
    expect(own.stderr).to.include('warning').and.include('server_unreachable');
    expect((await run({ one: 'passed' }, 'exit 9', ['--require-upload'], away)).code).to.equal(3);
  });

  it('keeps the code of the command where the output has no reader', async () => {
    await given.file('new.xml', junit({ one: 'passed' }));
    const script = 'cat new.xml > report.xml; exit 9';
    const child = spawn(
      process.execPath,
      [cliMain, 'run', '--reports', 'report.xml', '--', 'sh', '-c', script],
      {
        cwd: given.folder,
        env: { PATH: process.env['PATH'], ...given.env },
        stdio: ['ignore', 'pipe', 'pipe'],
      },
    );
    child.stdout.destroy();
    child.stderr.destroy();
    expect((await once(child, 'close'))[0]).to.equal(9);
  });

  it('judges a shard by itself: it does not fail for the failures of another one', async () => {
    const shard = (n: number) => ['--run-key', 'k', '--shard', `${n}/2`];
    expect((await run({ one: 'failed' }, 'exit 1', shard(1))).code).to.equal(1);
    expect((await run({ two: 'passed' }, 'exit 0', shard(2))).code).to.equal(0);
  });

  it('passes signals on, and ends as the command does', async () => {
    const script = 'trap "echo trapped; exit 42" TERM; echo ready; while :; do sleep 0.05; done';
    const child = spawn(process.execPath, [cliMain, 'run', '--reports', 'x.xml', '--', 'sh', '-c', script], {
      cwd: given.folder,
      env: { PATH: process.env['PATH'], ...given.env },
      stdio: ['ignore', 'pipe', 'ignore'],
    });
    let output = '';
    for await (const text of child.stdout.setEncoding('utf8')) {
      output += String(text);
      if (output === 'ready\n') child.kill('SIGTERM');
    }
    const [code] = child.exitCode === null ? await once(child, 'close') : [child.exitCode];
    expect([output.slice(0, 'ready\ntrapped\n'.length), code]).to.deep.equal(['ready\ntrapped\n', 42]);
  });

  it('is refused without a command, without reports, and for a command that does not exist', async () => {
    expect((await given.run(['run', '--reports', 'x.xml'])).code).to.equal(2);
    expect((await given.run(['run', '--', 'true'])).code).to.equal(2);
    const missing = await given.run(['run', '--reports', 'x.xml', '--', 'no-such-program']);
    expect([missing.code, missing.stderr.includes('cannot be started')]).to.deep.equal([2, true]);
  });
});
