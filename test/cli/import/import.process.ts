import { expect } from 'chai';
import { symlink } from 'node:fs/promises';
import { join } from 'node:path';
import { testServer } from '../../kit/server.js';
import { commandLine, junit, serverThatIsAway } from '../command-line.js';

describe('testledger import', () => {
  const server = testServer();
  const given = commandLine(server);
  const away = serverThatIsAway();
  const runs = async () => (await given.owner.get(`/v1/test-runs?project_id=${given.project}`)).body.data;
  const results = async (run: string) => (await given.owner.get(`/v1/test-runs/${run}/results`)).body.data;

  it('joins imports with one run key, and adds nothing again', async () => {
    await given.file('a.xml', junit({ one: 'passed' }));
    await given.file('b.xml', junit({ two: 'passed' }));
    for (const file of ['a.xml', 'b.xml', 'a.xml'])
      expect((await given.run(['import', file, '--run-key', 'k'])).code).to.equal(0);
    const [run, ...others] = await runs();
    expect(others).to.deep.equal([]);
    expect(run).to.include({ status: 'completed', test_count: 2 });
  });

  it('explains what each file was read as, and why attempts are joined', async () => {
    const cases = '<testcase classname="a" name="t"/><testcase classname="a" name="t"/>';
    await given.file(
      'r.xml',
      `<testsuites name="pytest tests"><testsuite name="pytest" errors="1">${cases}</testsuite></testsuites>`,
    );
    const { code, stdout, stderr } = await given.run(['import', 'r.xml', '--explain', '--dry-run']);
    expect(code, stderr).to.equal(0);
    expect(stdout.split('\n').slice(0, 5)).to.deep.equal([
      'r.xml: JUnit XML of pytest, 161 bytes',
      '  3 results of 1 case: 1 passed, 2 failed, 1 retried',
      '  1 case with several attempts: pytest-rerunfailures writes each attempt that was run again as an empty case',
      '  1 failure in no case: a hook, a suite, a file or a counter of the report says so',
      '  times: the report says no start to no end; 0 results with a start',
    ]);
  });

  it('supersedes the results of a shard whose job was started again, where the service does not number the starts', async () => {
    const gitlab = { GITLAB_CI: 'true', CI_PIPELINE_ID: '9' };
    const job = async (file: string, CI_JOB_ID: string) => {
      const shard = ['--run-key', 'build 9', '--shard', '1/1'];
      const { code, document, stderr } = await given.json(['import', file, ...shard], {
        ...gitlab,
        CI_JOB_ID,
      });
      expect(code, stderr).to.equal(0);
      return document;
    };
    await given.file('first.xml', junit({ one: 'failed', two: 'passed' }));
    await given.file('second.xml', junit({ one: 'passed', two: 'passed' }));
    const first = await job('first.xml', '1');
    expect(first.shard.attempt).to.equal(1);
    const second = await job('second.xml', '2');
    expect(second.shard.attempt).to.equal(2);
    expect(second.run.id).to.equal(first.run.id);
    const standing = async () => (await given.owner.get(`/v1/test-runs/${first.run.id}`)).body.data;
    expect(await standing()).to.include({ outcome: 'passed', test_count: 2 });
    // Neither adds anything when it comes again.
    expect((await job('second.xml', '2')).shard.attempt).to.equal(2);
    expect((await job('first.xml', '1')).shard.attempt).to.equal(1);
    expect((await standing()).shards.received).to.have.lengthOf(2);
    const named = ['import', 'second.xml', '--run-key', 'build 9', '--shard', '1/1', '--attempt', '1'];
    const refused = await given.run(named, gitlab);
    expect(refused.code).to.equal(4);
    expect(refused.stderr).to.include('shard_exists');
  });

  it('reads branch, commit, build and attempt from the environment of the CI server, and flags override them', async () => {
    await given.file('a.xml', junit({ one: 'passed' }));
    const github = {
      GITHUB_ACTIONS: 'true',
      RUNNER_OS: 'Windows',
      GITHUB_RUN_ID: '77',
      GITHUB_RUN_ATTEMPT: '1',
      GITHUB_REPOSITORY: 'shop/cart',
      GITHUB_SERVER_URL: 'https://github.com',
      GITHUB_REF: 'refs/heads/guests',
      GITHUB_REF_NAME: 'guests',
      GITHUB_SHA: 'abc123',
      GITHUB_ACTOR: 'ann',
    };
    const first = await given.json(['import', 'a.xml'], github);
    expect(first.document).to.deep.include({ run_key: 'github 77 attempt 1 os=windows' });
    const [run] = await runs();
    expect(run).to.include({ branch: 'guests', commit: 'abc123', actor: 'ann' });
    const rerun = await given.json(['import', 'a.xml', '--branch', 'other'], {
      ...github,
      GITHUB_RUN_ATTEMPT: '2',
    });
    expect(rerun.document.run.id).to.not.equal(first.document.run.id);
    expect((await runs())[0]).to.include({ branch: 'other', commit: 'abc123' });
    const sharded = await given.json(['import', 'a.xml', '--shard', '1/1'], {
      ...github,
      GITHUB_RUN_ATTEMPT: '3',
    });
    expect(sharded.document.shard).to.deep.equal({ index: 1, total: 1, attempt: 3 });
  });

  it('names the owners by CODEOWNERS, with the path of the package', async () => {
    const report = `<testsuite name="u"><testcase name="one" file="src/cart.test.js"/></testsuite>`;
    await given.file('a.xml', report);
    await given.file('.github/CODEOWNERS', '/packages/shop/ @shop/team\n');
    const { document } = await given.json(['import', 'a.xml', '--path-prefix', 'packages/shop']);
    const [result] = await results(document.run.id);
    expect(result).to.include({ owner: '@shop/team', file: 'packages/shop/src/cart.test.js' });
    await given.file('owners', '* @all\n');
    const other = await given.json(['import', 'a.xml', '--owner-file', 'owners', '--run-key', 'k']);
    expect((await results(other.document.run.id))[0].owner).to.equal('@all');
  });

  it('uploads files from inside of the root only, and says what it left out', async () => {
    await given.file('results/shot.png', 'png');
    await given.file('secret.txt', 'secret');
    const out = '[[ATTACHMENT|shot.png]]\n[[ATTACHMENT|../secret.txt]]\n[[ATTACHMENT|missing.png]]';
    await given.file(
      'results/a.xml',
      `<testsuite name="u"><testcase name="one"><failure message="m"/><system-out>${out}</system-out></testcase></testsuite>`,
    );
    const { document, stderr } = await given.json([
      'import',
      'results/a.xml',
      '--attachments-root',
      'results',
      '--output',
      'none',
    ]);
    expect(document.attachments.uploaded).to.equal(1);
    const reasons = document.attachments.left_out.map(({ reason }: { reason: string }) => reason);
    expect(reasons).to.have.members([
      'it is outside of the folder of the report, and of --attachments-root',
      'there is no such file',
    ]);
    expect(stderr).to.include('1 file not uploaded, such as secret.txt: it is outside of the folder');
    const [result] = await results(document.run.id);
    const { body } = await given.owner.get(`/v1/test/artifact/?test_result_id=${result.id}`);
    expect(JSON.stringify(body)).to.include('"label":"shot.png"').and.to.not.include('secret');
  });

  it('uploads no file that a test only printed, none beside the report and none that is hidden', async () => {
    await given.file('secret.txt', 'secret');
    for (const name of ['.env', '.git/config', 'node_modules/a/b.txt', 'shot.png'])
      await given.file(`r/${name}`, 'x');
    const property = (path: string) => `<property name="attachment" value="${path}"/>`;
    const named = ['.env', '.git/config', 'node_modules/a/b.txt', '../secret.txt', 'shot.png']
      .map(property)
      .join('');
    const out = '<system-out>[[ATTACHMENT|shot.png]]</system-out>';
    await given.file(
      'r/a.xml',
      `<testsuite name="u"><testcase name="one">${out}</testcase><testcase name="two"><properties>${named}</properties></testcase></testsuite>`,
    );
    const { document } = await given.json(['import', 'r/a.xml']);
    expect(document.attachments.uploaded).to.equal(1);
    const left = document.attachments.left_out as { reason: string; count: number }[];
    expect(left.map(({ reason, count }) => [reason.slice(0, 24), count])).to.have.deep.members([
      ['its path has a part that', 3],
      ['it is outside of the fol', 1],
    ]);
  });

  it('sends no secret, says how many it masked, and sends them with --no-mask', async () => {
    const token = `ghp_${'a1B2'.repeat(9)}`;
    const env = { DEPLOY_PASSWORD: 'hunter2-hunter2' };
    await given.file('out.log', `log ${token}`);
    await given.file(
      'a.xml',
      `<testsuite name="u"><testcase name="takes ${token}"><properties><property name="attachment" value="out.log"/></properties><failure message="no hunter2-hunter2">at ${token}</failure><system-out>${token}</system-out></testcase></testsuite>`,
    );
    const label = ['--label', `of ${token}`];
    const masked = await given.json(['import', 'a.xml', ...label], env);
    expect(masked.document.masked.secrets).to.be.at.least(6);
    const [{ id }] = await results(masked.document.run.id);
    const { body } = await given.owner.get('/v1/events?limit=100');
    expect(JSON.stringify(body))
      .to.include('takes ***')
      .and.to.not.include(token)
      .and.to.not.include('hunter2');
    const { body: artifacts } = await given.owner.get(`/v1/test/artifact/?test_result_id=${id}`);
    const sizes = artifacts.items.map((each: { size_bytes: number }) => each.size_bytes);
    expect(sizes).to.have.members(['***'.length, 'log ***'.length]);
    const open = await given.json(['import', 'a.xml', '--run-key', 'k', '--no-mask'], env);
    expect(open.document.masked.secrets).to.equal(0);
    const [raw] = await results(open.document.run.id);
    expect(JSON.stringify(raw)).to.include(`u › takes ${token}`);
  });

  it('sends nothing of a broken file, and names importer, line, column and bytes', async () => {
    await given.file('good.xml', junit({ one: 'passed' }));
    await given.file('cut.xml', '<testsuite name="u">\n<testcase name="one"/>\n<testcase na');
    const { code, document, stderr } = await given.json(['import', '*.xml']);
    expect(code).to.equal(1);
    expect(document.error).to.include({ code: 'report_broken', exit_code: 1 });
    expect(document.error.files[0]).to.deep.include({ file: 'cut.xml', importer: 'junit' });
    expect(stderr).to.match(/cut\.xml:3:\d+: junit: .* Near: ".*testcase na/u);
    expect(await runs()).to.deep.equal([]);
    const partial = await given.json(['import', '*.xml', '--partial']);
    expect(partial.code).to.equal(0);
    expect(partial.document.run.test_count).to.equal(2);
    expect(partial.stderr).to.include('warning');
  });

  it('says of a cut report how many failures it counts that were not read, and the gate fails for them', async () => {
    await given.file('cut.xml', '<testsuite name="u" failures="3">\n<testcase name="one"/>\n<testcase na');
    const { document } = await given.json(['import', 'cut.xml', '--partial', '--run-key', 'cut']);
    const { body } = await given.owner.get(`/v1/test-runs/${document.run.id}`);
    expect(body.data.report).to.deep.equal({ partial: true, failures_unread: 3 });
    expect(body.data.gate_reasons).to.deep.equal(['new_failures', 'incomplete', 'report_failed']);
  });

  it('does not advise to import what is complete of a file that cannot be read at all', async () => {
    await given.file('reports/good.xml', junit({ one: 'passed' }));
    await symlink('gone', join(given.folder, 'gone.xml'));
    const alone = await given.json(['import', 'gone.xml']);
    expect(alone.stderr).to.match(/it is a link to nothing.*\nNothing was sent\.\n$/u);
    expect(alone.document.error).to.include({ code: 'report_broken', advice: 'Nothing was sent.' });
    const both = await given.json(['import', 'gone.xml', 'reports/good.xml']);
    expect(both.stderr).to.match(/\nNothing was sent\. With --partial, the other files are imported\.\n$/u);
  });

  it('imports the other files with --partial where one is no report at all, and exits with 1', async () => {
    await given.file('good.xml', junit({ one: 'passed' }));
    await given.file('not.xml', 'hello');
    const { code, document } = await given.json(['import', '*.xml', '--partial']);
    expect(code).to.equal(1);
    expect(document.run.test_count).to.equal(1);
    expect(document.errors).to.have.length(1);
  });

  it('is refused for a pattern without files, and for wrong flags', async () => {
    const none = await given.json(['import', 'no/*.xml']);
    expect([none.code, none.document.error.code]).to.deep.equal([2, 'no_reports']);
    await given.file('a.xml', junit({ one: 'passed' }));
    for (const wrong of [['--shard', '3/2'], ['--shard', '1/2'], ['--output', 'some'], ['--nonsense']])
      expect((await given.run(['import', 'a.xml', ...wrong])).code, wrong.join(' ')).to.equal(2);
    expect(await runs()).to.deep.equal([]);
  });

  it('reads no standard input, and says so', async () => {
    const { code, stderr } = await given.run(['import', '-']);
    expect(code).to.equal(2);
    expect(stderr).to.include('standard input is not read');
  });

  it('takes a key and a project with a line feed behind them, as a secret from a file has it', async () => {
    await given.file('lf.xml', junit({ one: 'passed' }));
    const secrets = {
      TESTLEDGER_API_KEY: ` ${given.owner.key!}\n`,
      TESTLEDGER_PROJECT: `${given.project}\n`,
    };
    const { code, stderr } = await given.run(['import', 'lf.xml'], secrets);
    expect(code, stderr).to.equal(0);
  });

  it('sends nothing for a wrong --attachments-root', async () => {
    await given.file('a.xml', junit({ one: 'failed' }).replace('cart.js:1', '[[ATTACHMENT|x.png]]'));
    for (const wrong of ['nowhere', 'a.xml']) {
      const { code, document } = await given.json(['import', 'a.xml', '--attachments-root', wrong]);
      expect([code, document.error.code], wrong).to.deep.equal([2, 'file_unreadable']);
    }
    expect(await runs()).to.deep.equal([]);
  });

  it('shows the name of a broken file on one line, so that it is no command of a CI log', async () => {
    await given.file('b\n::error::x.xml', '<testsuite>');
    const { code, stderr } = await given.run(['import', 'b*.xml']);
    expect(code).to.equal(1);
    expect(stderr).to.include('b ::error::x.xml').and.not.match(/^::/mu);
  });

  it('takes no owners from a CODEOWNERS file that is a link to a device', async () => {
    await given.file('a.xml', junit({ one: 'passed' }));
    await symlink('/dev/zero', join(given.folder, 'CODEOWNERS'));
    expect((await given.run(['import', 'a.xml', '--dry-run'])).code).to.equal(0);
    const { code, stderr } = await given.run(['import', 'a.xml', '--dry-run', '--owner-file', 'CODEOWNERS']);
    expect([code, stderr.includes('CODEOWNERS is no file')]).to.deep.equal([2, true]);
  });

  it('makes no run of files without results; --fail-on-empty makes that an error', async () => {
    await given.file('a.xml', '<testsuite name="u"/>');
    expect((await given.json(['import', 'a.xml'])).document).to.include({ outcome: 'no_results', run: null });
    expect((await given.run(['import', 'a.xml', '--fail-on-empty'])).code).to.equal(1);
    expect(await runs()).to.deep.equal([]);
  });

  it('prints counts and sends nothing with --dry-run, without a server', async () => {
    await given.file('a.xml', junit({ one: 'passed', two: 'failed' }));
    const none = { TESTLEDGER_URL: '', TESTLEDGER_API_KEY: '', TESTLEDGER_PROJECT: '' };
    const { code, stdout } = await given.run(['import', 'a.xml', '--dry-run', '--run-key', 'k'], none);
    expect(code).to.equal(0);
    expect(stdout).to.equal(
      '2 results of 1 file: 1 passed, 1 failed\nnothing was sent; the run key is "k"\n',
    );
  });

  it('exits with 3 where the server is away, 4 where it refuses, and 2 without a key', async () => {
    await given.file('a.xml', junit({ one: 'passed' }));
    const exit = async (env: Record<string, string>) => (await given.run(['import', 'a.xml'], env)).code;
    expect(await exit(away)).to.equal(3);
    expect(await exit({ TESTLEDGER_API_KEY: 'tl_000000000000000000000000000000000000' })).to.equal(4);
    expect(await exit({ TESTLEDGER_PROJECT: 'Nowhere' })).to.equal(4);
    expect(await exit({ TESTLEDGER_API_KEY: '' })).to.equal(2);
  });
});
