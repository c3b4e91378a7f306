import { expect } from 'chai';
import { testServer } from '../../kit/server.js';
import { commandLine, junit, serverThatIsAway } from '../command-line.js';
import { fakeForge, TOKEN } from '../forge/fake-forge.js';

describe('testledger gate and summary', () => {
  const server = testServer();
  const given = commandLine(server);
  const forge = fakeForge();
  const away = serverThatIsAway();

  async function imported(
    key: string,
    cases: Parameters<typeof junit>[0],
    ...flags: string[]
  ): Promise<string> {
    await given.file(`${key}.xml`, junit(cases));
    const { document, stderr } = await given.json(['import', `${key}.xml`, '--run-key', key, ...flags]);
    expect(document.run, stderr).to.include.keys('id');
    return document.run.id;
  }

  it('fails for new failures, and shows them in groups with owner, tests and link', async () => {
    await imported('base', { one: 'passed', two: 'failed' }, '--branch', 'main');
    const run = await imported('branch', { one: 'failed', two: 'failed' }, '--branch', 'guests');
    const { code, stdout, stderr } = await given.run(['gate', '--run', run]);
    expect(code, stderr).to.equal(1);
    const [first, second] = stdout.split('\n');
    expect(first).to.equal('gate failed (--fail-on new): 1 new failure');
    expect(second).to.equal('2 failed: 1 new, 1 also on main · 1.0 s');
    expect(stdout).to.match(
      /^- since \d{4}-\d\d-\d\d: .* \(2 tests\)\n {4}- unit › cart › one\n {4}- unit › cart › two$/mu,
    );
    expect(stdout).to.include(`${server.url}/runs/${run}\n`);
  });

  it('finds the run by its key, and fails as it is asked to', async () => {
    await imported('base', { one: 'failed', two: 'passed' }, '--branch', 'main');
    await imported('branch', { one: 'failed', two: 'passed' }, '--branch', 'guests');
    const exit = async (failOn: string) =>
      (await given.run(['gate', '--run-key', 'branch', '--fail-on', failOn])).code;
    expect([await exit('none'), await exit('new'), await exit('any'), await exit('flaky')]).to.deep.equal([
      0, 0, 1, 1,
    ]);
    const { document } = await given.json(['gate', '--run-key', 'branch']);
    expect(document).to.deep.include({ passed: true, fail_on: 'new', reasons: [] });
    expect(document.counts).to.include({ new_failures: 0, still_failing: 1 });
  });

  it('counts the tests that ran, those that are missing and known failures, as it is asked to', async () => {
    await imported('base', { one: 'passed', two: 'passed', three: 'failed' }, '--branch', 'main');
    await imported('branch', { one: 'passed' }, '--branch', 'guests');
    const gate = (...flags: string[]) => given.json(['gate', '--run-key', 'branch', ...flags]);
    const { code, document } = await gate('--max-removed', '50%');
    expect(code).to.equal(1);
    expect(document.reasons).to.deep.equal(['ran 1 of 3 tests of main; 2 missing']);
    expect(document).to.deep.include({ gate_reasons: ['removed'], tests: 1, baseline_tests: 3 });
    expect((await gate('--max-removed', 'any')).code).to.equal(0);
    expect((await gate('--min-tests', '2')).document.reasons).to.deep.equal(['ran 1 test, fewer than 2']);
    expect((await gate()).code).to.equal(0);
    for (const wrong of ['11x', '101%', '-1']) expect((await gate('--max-removed', wrong)).code).to.equal(2);
  });

  it('judges all runs of a build, and fails where one fails or is missing', async () => {
    const build = { GITHUB_ACTIONS: 'true', GITHUB_REPOSITORY: 'shop/cart', GITHUB_RUN_ID: '7' };
    const job = async (os: string, cases: Parameters<typeof junit>[0]) => {
      await given.file(`${os}.xml`, junit(cases));
      const flags = ['--run-key', os, '--environment', `os=${os}`, '--branch', 'b', '--commit', 'c'];
      const { code, stderr } = await given.run(['import', `${os}.xml`, ...flags], build);
      expect(code, stderr).to.equal(0);
    };
    const gate = (...flags: string[]) => given.json(['gate', '--build', '--wait', '0', ...flags], build);
    await job('linux', { one: 'passed' });
    await job('macos', { one: 'passed' });
    expect((await gate('--expect', '2')).code).to.equal(0);
    const missing = await gate('--expect', '3');
    expect([missing.code, missing.document.reasons]).to.deep.equal([1, ['only 2 of 3 runs came']]);
    await job('windows', { one: 'failed' });
    const { code, document } = await gate('--expect', '3');
    expect([code, document.reasons]).to.deep.equal([1, ['1 of 3 runs failed']]);
    expect(document.runs.map(({ run }: any) => run.run_key)).to.deep.equal(['linux', 'macos', 'windows']);
    const other = { ...build, GITHUB_RUN_ID: '8' };
    expect((await given.run(['gate', '--build', '--wait', '0'], other)).code).to.equal(4);
    expect((await given.run(['gate', '--build'])).code).to.equal(2);
  });

  it('passes with a warning where the server is away; --require-upload makes that 3', async () => {
    const { code, stderr } = await given.run(['gate', '--run-key', 'k'], away);
    expect([code, stderr.includes('warning')]).to.deep.equal([0, true]);
    expect((await given.run(['gate', '--run-key', 'k', '--require-upload'], away)).code).to.equal(3);
  });

  it('is refused for a run that does not exist, and without a run', async () => {
    expect((await given.json(['gate', '--run-key', 'none', '--wait', '0'])).code).to.equal(4);
    expect((await given.json(['gate', '--run', 'run_none', '--wait', '0'])).document.error.code).to.equal(
      'run_unknown',
    );
    expect((await given.run(['gate'])).code).to.equal(2);
  });

  it('prints a summary with the verdict first, and annotations on stderr', async () => {
    await given.file(
      'a.xml',
      '<testsuite name="u"><testcase name="one" file="cart.js" line="7"><failure message="50 % off"/></testcase></testsuite>',
    );
    await given.run(['import', 'a.xml', '--run-key', 'k']);
    const { code, stdout, stderr } = await given.run([
      'summary',
      '--run-key',
      'k',
      '--format',
      'github',
      '--annotations',
    ]);
    expect(code, stderr).to.equal(0);
    expect(stdout).to.match(/^### ✗ 1 failed: 1 new, nothing to compare with/u);
    expect(stdout)
      .to.include('<code>u › one</code>')
      .and.include('<pre>50 % off</pre>')
      .and.include('<code>Shop</code>');
    expect(stderr).to.include('::error file=cart.js,line=7,title=u › one::50 %25 off\n');
  });

  it('keeps one comment on the pull request of the run, from the first failure on', async () => {
    const github = { GITHUB_REPOSITORY: 'shop/cart', GITHUB_API_URL: forge.url, GITHUB_TOKEN: TOKEN };
    const comment = (key: string) => given.json(['summary', '--run-key', key, '--comment'], github);
    await imported('good', { one: 'passed' }, '--pull-request', '12');
    await imported('bad', { one: 'failed' }, '--pull-request', '12');
    expect((await comment('good')).document.comment).to.deep.equal({ did: 'nothing', url: null });
    expect((await comment('bad')).document.comment.did).to.equal('created');
    expect((await comment('good')).document.comment.did).to.equal('updated');
    expect(forge.comments).to.have.length(1);
    expect(forge.comments[0]!.body).to.match(
      /^<!-- testledger: project_\w+ tests -->\n### ✓ Nothing failed/u,
    );
    expect(forge.requests.at(-1)).to.equal('PATCH /repos/shop/cart/issues/comments/1000');
  });
});
