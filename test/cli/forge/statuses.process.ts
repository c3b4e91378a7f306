import { expect } from 'chai';
import { testServer } from '../../kit/server.js';
import { commandLine, junit } from '../command-line.js';
import { fakeForge } from './fake-forge.js';
import { forges } from './forges.js';

type Cases = Parameters<typeof junit>[0];

describe('testledger summary --status and --check', () => {
  const server = testServer();
  const given = commandLine(server);
  const forge = fakeForge();

  const summary = (args: string[], env: Record<string, string> = {}) =>
    given.run(['summary', '--run-key', 'k', ...args], { ...forges.GitHub(forge), ...env });

  async function ran(cases: Cases, more: string[] = []) {
    await given.file('report.xml', junit(cases));
    const args = ['--run-key', 'k', '--commit', '0123456789abcdef', '--environment', 'os=linux', ...more];
    const { code, stderr } = await given.run(['import', 'report.xml', ...args]);
    expect(code, stderr).to.equal(0);
  }

  it('set a status that is pending while a shard is missing, and then that of the gate', async () => {
    await ran({ one: 'failed' }, ['--shard', '1/2']);
    expect((await summary(['--status', '--wait', '0'])).code).to.equal(0);
    await ran({ two: 'passed' }, ['--shard', '2/2']);
    const { code, stderr } = await summary(['--status', '--check', '--wait', '60']);
    expect(code, stderr).to.equal(0);
    expect(forge.statuses.map(({ kind, state }) => `${kind} ${state}`)).to.deep.equal([
      'status pending',
      'check failure',
      'status failure',
    ]);
    const [pending, check, status] = forge.statuses;
    expect(pending!.name)
      .to.match(/^testledger \/ Shop \/ .*os=linux$/u)
      .and.equal(status!.name);
    expect(status!.url).to.match(/\/runs\/run_\w+$/u);
    expect(check!.annotations).to.have.length(0);
  });

  it('warn where they are refused, and end with 3 where that is asked for', async () => {
    await ran({ one: 'passed' });
    forge.refuseWrites = 403;
    const warned = await summary(['--status']);
    expect(warned.code).to.equal(0);
    expect(warned.stderr).to.match(/warning.*there is no status: .*`permissions: statuses: write`/u);
    expect((await summary(['--check', '--require-status'])).code).to.equal(3);
    forge.refuseWrites = null;
    forge.takesChecks = false;
    const fallen = await summary(['--check', '--require-status']);
    expect([fallen.code, forge.statuses.length]).to.deep.equal([0, 1]);
    expect(fallen.stderr).to.include('a commit status is set in its place');
    expect((await summary(['--status'], { GITHUB_REPOSITORY: '' })).stderr).to.include(
      'neither GitHub nor GitLab',
    );
  });
});
