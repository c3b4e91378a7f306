import { expect } from 'chai';
import { testServer } from '../kit/server.js';
import { commandLine, junit } from './command-line.js';

describe('the environment and the build of a run, by the command line', () => {
  const server = testServer();
  const given = commandLine(server);
  const metadataOf = async (run: string) => (await given.owner.get(`/v1/test/run/${run}`)).body.metadata;
  const runs = async () => (await given.owner.get(`/v1/test-runs?project_id=${given.project}`)).body.data;
  const job = {
    GITHUB_ACTIONS: 'true',
    GITHUB_RUN_ID: '77',
    GITHUB_RUN_ATTEMPT: '1',
    GITHUB_JOB: 'test',
    GITHUB_REPOSITORY: 'acme/shop',
    GITHUB_SERVER_URL: 'https://github.com',
    GITHUB_SHA: 'abc123',
    GITHUB_REF: 'refs/heads/main',
    RUNNER_NAME: 'one runner for all',
  };

  it('makes a run of each leg of a matrix, which gate and summary find in the same job', async () => {
    await given.file('windows.xml', junit({ one: 'failed' }));
    await given.file('linux.xml', junit({ one: 'passed' }));
    const legs = [
      { ...job, RUNNER_OS: 'Windows' },
      { ...job, RUNNER_OS: 'Linux' },
      { ...job, RUNNER_OS: 'Linux', TESTLEDGER_ENVIRONMENT: '{"os": "linux", "node": 22, "flags": ["a"]}' },
    ];
    const files = ['windows.xml', 'linux.xml', 'linux.xml'];
    const environments = [{ os: 'windows' }, { os: 'linux' }, { os: 'linux', node: '22' }];
    const codes: (number | null)[] = [];
    for (const [n, env] of legs.entries()) {
      const { document, stderr } = await given.json(['import', files[n]!], env);
      expect(stderr.includes('warning: "flags" is left out'), stderr).to.equal(n === 2);
      expect(await metadataOf(document.run.id)).to.deep.include({
        environment: environments[n],
        build: 'github acme/shop 77 attempt 1',
      });
      codes.push((await given.run(['gate', '--fail-on', 'any'], env)).code);
    }
    expect(codes).to.deep.equal([1, 0, 0]);
    const summary = await given.json(
      ['summary', '--environment', 'node=22', '--environment', 'os=linux'],
      job,
    );
    const made = await runs();
    expect(made).to.have.lengthOf(3);
    expect(summary.document.run.id).to.equal(made[0].id);
  });

  it('joins the shards of a leg, and those of no other one', async () => {
    await given.file('a.xml', junit({ one: 'passed' }));
    const shard = (n: number, node: number, RUNNER_NAME: string) =>
      given.json(['import', 'a.xml', '--shard', `${n}/2`, `--environment=node=${node}`], {
        ...job,
        RUNNER_NAME,
      });
    const ids = [];
    for (const [n, node] of [
      [1, 22],
      [1, 24],
      [2, 22],
    ] as const)
      ids.push((await shard(n, node, `runner ${n} ${node}`)).document.run.id);
    expect(ids[0]).to.equal(ids[2]).and.not.equal(ids[1]);
    const gate = (node: number) =>
      given.run(['gate', '--sharded', '--wait', '0', '--environment', `node=${node}`], job);
    expect([(await gate(22)).code, (await gate(24)).code]).to.deep.equal([0, 1]);
  });

  it('takes the same report of two environments for two, also on one run key', async () => {
    await given.file('a.xml', junit({ one: 'passed' }));
    const imported = (os: string) =>
      given.json(['import', 'a.xml', '--run-key', 'k', '--environment', `os=${os}`]);
    expect((await imported('linux')).document.outcome).to.equal('sent');
    expect((await imported('windows')).document.outcome).to.equal('sent');
    expect((await imported('linux')).document.outcome).to.equal('imported_before');
    expect((await runs())[0]).to.include({ test_count: 2 });
  });

  it('starts a run with both', async () => {
    const { stdout } = await given.run(['run', 'start', '--environment', 'os=macos'], job);
    expect(await metadataOf(stdout.trim())).to.deep.equal({
      environment: { os: 'macos' },
      build: 'github acme/shop 77 attempt 1',
      job: 'github acme/shop 77 test',
      job_start: '1',
    });
  });

  it('is refused for an environment that is wrong, before a test command runs', async () => {
    const names = Array.from({ length: 11 }, (_, n) => `n${n}=1`).join();
    await given.file('a.xml', junit({ one: 'passed' }));
    for (const command of [
      ['import', 'a.xml'],
      ['gate', '--run-key', 'k'],
      ['run', 'start'],
    ])
      expect((await given.run([...command, '--environment', names])).code, command.join(' ')).to.equal(2);
    const wrapped = ['run', '--reports', 'a.xml', '--environment', 'windows', '--', 'sh', '-c', 'echo ran'];
    const { code, stdout } = await given.run(wrapped);
    expect([code, stdout]).to.deep.equal([2, '']);
  });
});
