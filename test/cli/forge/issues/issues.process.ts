import { expect } from 'chai';
import { testServer } from '../../../kit/server.js';
import { commandLine, junit } from '../../command-line.js';
import { fakeForge } from '../fake-forge.js';
import { forges } from '../forges.js';

type Cases = Parameters<typeof junit>[0];

describe('testledger issues sync', () => {
  const server = testServer();
  const given = commandLine(server);
  const forge = fakeForge();
  let builds = 0;

  async function ran(cases: Cases, branch = 'main') {
    builds += 1;
    await given.file('report.xml', junit(cases));
    const args = ['--run-key', `build ${builds}`, '--branch', branch, '--environment', 'os=linux'];
    const commit = ['--commit', `abcdef${builds}`];
    const { code, stderr } = await given.run(['import', 'report.xml', ...args, ...commit]);
    expect(code, stderr).to.equal(0);
  }
  async function sync(args: string[] = [], env: Record<string, string> = {}) {
    const answer = await given.json(['issues', 'sync', ...args], { ...forges.GitHub(forge), ...env });
    expect(answer.code, answer.stderr).to.equal(0);
    return answer.document.changes.map(({ did }: { did: string }) => did);
  }
  const open = () => forge.issues.filter(({ isOpen }) => isOpen).length;

  it('opens one issue for a cause of the default branch, and none for one of another branch', async () => {
    await ran({ one: 'failed' }, 'guests');
    expect(await sync()).to.deep.equal([]);
    await ran({ one: 'failed', two: 'failed', three: 'passed' });
    expect(await sync()).to.deep.equal(['opened']);
    expect(await sync()).to.deep.equal([]);
    expect(forge.issues[0]!.body).to.include('2 results of 2 tests').and.include('os=linux');
    expect(forge.issues[0]!.body).to.include('/failures/group_');
  });

  it('closes it when every test that failed with it has run and none did, and opens it again when one fails with it', async () => {
    await ran({ one: 'failed', two: 'failed' });
    expect(await sync()).to.deep.equal(['opened']);
    await ran({ one: 'failed', two: 'passed' });
    expect(await sync()).to.deep.equal(['updated']);
    await ran({ one: 'passed' });
    expect(await sync(), 'two did not run').to.deep.equal([]);
    await ran({ one: 'passed', two: 'skipped' });
    expect(await sync(), 'two was skipped').to.deep.equal([]);
    await ran({ one: 'passed', two: 'passed' });
    expect(await sync()).to.deep.equal(['closed']);
    expect(open()).to.equal(0);
    await ran({ one: 'passed', two: 'failed' });
    expect(await sync()).to.deep.equal(['reopened']);
    expect(forge.issues).to.have.length(1);
  });

  it('keeps one issue where two jobs run it at the same time', async () => {
    await ran({ one: 'failed' });
    await Promise.all([sync(), sync(), sync()]);
    expect(open()).to.equal(1);
  });

  it('keeps issues on GitLab, tells what a dry run would do, and goes on where --most ended', async () => {
    await ran({ one: 'failed' });
    const gitlab = { GITHUB_REPOSITORY: '', ...forges.GitLab(forge) };
    const dry = await given.run(['issues', 'sync', '--dry-run'], gitlab);
    expect(dry.stdout).to.match(/^- would be opened: Tests fail: .+\n$/u);
    expect(forge.issues).to.have.length(0);
    const { document } = await given.json(['issues', 'sync', '--most', '1', '--label', 'bug'], gitlab);
    expect(document).to.deep.include({ dry_run: false, left: 0 });
    expect(forge.issues[0]!.labels).to.deep.equal(['testledger', 'bug']);
  });

  it('ends with 2 without a forge or for wrong flags, and with 3 where the forge refuses', async () => {
    await ran({ one: 'failed' });
    const without = await given.run(['issues', 'sync']);
    expect([without.code, without.stderr]).to.deep.include(2);
    expect(without.stderr).to.include('neither GitHub nor GitLab');
    for (const flags of [
      ['--most', '0'],
      ['--most', '101'],
      ['--label', 'a,b'],
      ['--label', ''],
    ])
      expect((await given.run(['issues', 'sync', ...flags], forges.GitHub(forge))).code).to.equal(2);
    forge.refuseWrites = 403;
    const refused = await given.json(['issues', 'sync'], forges.GitHub(forge));
    expect(refused.code).to.equal(3);
    expect(refused.document.error).to.include({ code: 'issues_refused' });
    expect(refused.stderr).to.include('`permissions: issues: write`');
  });
});
