/** The same import again: whenever it comes, and whatever else is said of the run, it adds what is missing and nothing twice. */
import { expect } from 'chai';
import { join } from 'node:path';
import { setTimeout as pause } from 'node:timers/promises';
import { testServer } from '../../kit/server.js';
import { commandLine, junit } from '../command-line.js';
import { openProxy } from '../../kit/proxy.js';

/** A report as a parallel suite writes it that began just now: its times are more than the time since. */
function parallel(cases: readonly string[]): string {
  return `<testsuite name="u" timestamp="${new Date().toISOString()}">${cases.join('')}</testsuite>`;
}

const refused = { status: 400, body: '' };

describe('testledger import of the same files again', () => {
  const server = testServer();
  const given = commandLine(server);
  const runs = async () => (await given.owner.get(`/v1/test-runs?project_id=${given.project}`)).body.data;

  it('takes it that the tests of a report without times ran one after the other, and ended with the import', async () => {
    const times = ['1.5', '2'].map((time, n) => `<testcase name="${n}" time="${time}"/>`);
    await given.file('a.xml', `<testsuite name="s">${times.join('')}</testsuite>`);
    const again = ['import', 'a.xml', '--run-key', 'again'];
    for (const args of [
      ['import', 'a.xml'],
      again,
      again,
      [...again.slice(0, 3), 'shard', '--shard', '1/1'],
    ]) {
      const { code, stderr } = await given.run(args);
      expect(code, stderr).to.equal(0);
    }
    const made = await runs();
    expect(made).to.have.length(3);
    for (const { status, test_count, duration_ms } of made) {
      expect([status, test_count]).to.deep.equal(['completed', 2]);
      expect(duration_ms).to.be.within(3_500, 30_000);
    }
  });

  it('makes no second run of the same files, with or without a run key', async () => {
    await given.file('a.xml', junit({ one: 'passed', two: 'failed' }));
    const first = await given.json(['import', 'a.xml']);
    const again = await given.json(['import', 'a.xml']);
    expect(again.document).to.deep.include({ outcome: 'imported_before', run: first.document.run });
    const keyed = await given.json(['import', 'a.xml', '--run-key', 'build 7', '--branch', 'main']);
    expect(keyed.document.run.id).to.not.equal(first.document.run.id);
    const repeated = await given.json(['import', 'a.xml', '--run-key', 'build 7', '--branch', 'main']);
    expect(repeated.document.run).to.deep.equal(keyed.document.run);
    expect((await runs()).map((run: { test_count: number }) => run.test_count)).to.deep.equal([2, 2]);
  });

  it('knows the same files however the command spells them', async () => {
    await given.file('a.xml', junit({ one: 'passed' }));
    await given.file('b.xml', junit({ two: 'failed' }));
    const first = await given.json(['import', 'a.xml', 'b.xml']);
    const absolute = join(given.folder, 'a.xml');
    for (const spelled of [
      ['b.xml', absolute],
      ['*.xml'],
      ['./b.xml', 'a.xml', '--run-key', first.document.run_key],
    ]) {
      const { document } = await given.json(['import', ...spelled]);
      expect(document, spelled.join(' ')).to.deep.include({
        outcome: 'imported_before',
        run: first.document.run,
      });
    }
    expect(await runs()).to.have.length(1);
  });

  it('adds nothing and succeeds where the times of a parallel suite exceed the time since its start', async () => {
    await given.file(
      'a.xml',
      parallel(['<testcase name="ab" time="600"/>', '<testcase name="cd" time="900"/>']),
    );
    for (const more of [[], [], ['--label', 'nightly']]) {
      const { code, stderr } = await given.run(['import', 'a.xml', '--run-key', 'par1', ...more]);
      expect(code, stderr).to.equal(0);
    }
    const [run, ...others] = await runs();
    expect(others).to.deep.equal([]);
    expect(run).to.include({ status: 'completed', test_count: 2, label: 'nightly' });
  });

  it('adds nothing where the sum of the times has passed since the first import', async () => {
    const first = Date.now();
    await given.file('a.xml', parallel(['<testcase name="ab" time="3"/>', '<testcase name="cd" time="3"/>']));
    await given.run(['import', 'a.xml', '--run-key', 'k', '--no-complete']);
    const passed = first + 6_500;
    await pause(passed - Date.now());
    const { code, document, stderr } = await given.json(['import', 'a.xml', '--run-key', 'k']);
    expect(code, stderr).to.equal(0);
    expect(document.run).to.include({ status: 'completed', test_count: 2 });
    expect((await runs())[0].duration_ms).to.equal(6_000);
  });

  it('ends no run of a parallel suite after its import', async () => {
    const before = Date.now();
    const cases = '<testcase name="ab" time="50"/>'.repeat(9);
    const start = new Date(before - 60_000).toISOString();
    await given.file('a.xml', `<testsuite name="u" timestamp="${start}">${cases}</testsuite>`);
    await given.run(['import', 'a.xml']);
    expect(Date.parse((await runs())[0].finished_at)).to.be.within(before, Date.now());
  });

  it('completes the run that an import with --no-complete left open, and adds no second results', async () => {
    await given.file('nc.xml', junit({ one: 'passed', two: 'failed' }));
    const first = await given.json(['import', 'nc.xml', '--run-key', 'k', '--no-complete']);
    expect(first.document.run.status).to.equal('running');
    const again = await given.json(['import', 'nc.xml', '--run-key', 'k']);
    expect([again.code, again.document.run.status, again.document.run.test_count]).to.deep.equal([
      0,
      'completed',
      2,
    ]);
    expect((await given.run(['import', 'nc.xml', '--run-key', 'k', '--no-complete'])).code).to.equal(0);
    expect(await runs()).to.have.length(1);
    expect((await runs())[0]).to.include({ status: 'completed', test_count: 2 });
  });

  it('fills in the label and the metadata that the run lacks, overwrites none, and adds no second results', async () => {
    await given.file('a.xml', junit({ one: 'passed' }));
    for (const shard of [[], ['--shard', '1/1']]) {
      const key = ['--run-key', `described ${shard.join('')}`, ...shard];
      for (const more of [
        [],
        ['--label', 'nightly', '--branch', 'main'],
        ['--label', 'other', '--actor', 'ann'],
      ])
        expect((await given.run(['import', 'a.xml', ...key, ...more])).code).to.equal(0);
      const [run] = await runs();
      expect(run).to.include({ test_count: 1, label: 'nightly', branch: 'main', actor: 'ann' });
    }
  });

  it('gives the results the branch and the commit of their run', async () => {
    await given.file('a.xml', junit({ one: 'passed' }));
    const { document } = await given.json(['import', 'a.xml', '--branch', 'guests', '--commit', 'abc123']);
    const { body } = await given.owner.get(`/v1/projects/${given.project}/tests?branch=guests`);
    expect(body.data.map(({ name }: { name: string }) => name)).to.deep.equal(['unit › cart › one']);
    expect((await runs())[0]).to.include({ id: document.run.id, branch: 'guests', commit: 'abc123' });
  });

  it('knows no start of a run whose report has neither times nor durations', async () => {
    await given.file('a.xml', '<testsuite name="u"><testcase name="one"/></testsuite>');
    await given.run(['import', 'a.xml', '--run-key', 'k']);
    await given.run(['import', 'a.xml', '--run-key', 'k']);
    expect((await runs())[0]).to.deep.include({ started_at: null, test_count: 1, status: 'completed' });
  });

  it('completes the run of the same contents a day later, and adds no second results', async () => {
    await given.file('a.xml', junit({ one: 'passed', two: 'failed' }));
    const first = await given.json(['import', 'a.xml', '--no-complete']);
    // A server that has forgotten the keys of the first command.
    const proxy = await openProxy(
      () => server.url,
      ({ headers }) => {
        if (headers['idempotency-key'] !== undefined) headers['idempotency-key'] += '-later';
        return 'pass';
      },
    );
    const { code, document } = await given.json(['import', 'a.xml'], { TESTLEDGER_URL: proxy.url });
    await proxy.close();
    expect(code).to.equal(0);
    expect(document.run).to.include({ id: first.document.run.id, status: 'completed', test_count: 2 });
  });

  it('adds the rest of a run that was sent in part, and completes it', async () => {
    const cases = Array.from({ length: 55_000 }, (_, n) => `<testcase name="case ${n}" time="0.5"/>`);
    await given.file('a.xml', parallel(cases));
    let submissions = 0;
    const proxy = await openProxy(
      () => server.url,
      ({ method, path }) => {
        if (method === 'POST' && path === '/v1/test-runs') submissions += 1;
        return submissions > 2 ? refused : 'pass';
      },
    );
    const cut = await given.run(['import', 'a.xml', '--run-key', 'k'], { TESTLEDGER_URL: proxy.url });
    await proxy.close();
    expect(cut.code, cut.stderr).to.equal(4);
    expect((await runs())[0].status).to.equal('running');
    const { code, document, stderr } = await given.json([
      'import',
      'a.xml',
      '--run-key',
      'k',
      '--label',
      'whole',
    ]);
    expect(code, stderr).to.equal(0);
    expect(document.run).to.include({ status: 'completed', test_count: 55_000 });
  });

  it('leaves no run behind where its results are refused', async () => {
    await given.file('a.xml', junit({ one: 'passed' }));
    let refusals = 0;
    const proxy = await openProxy(
      () => server.url,
      ({ method, path }) =>
        method === 'POST' && path === '/v1/test-runs' && (refusals += 1) === 1 ? refused : 'pass',
    );
    const first = await given.run(['import', 'a.xml', '--run-key', 'k'], { TESTLEDGER_URL: proxy.url });
    await proxy.close();
    expect(first.code, first.stderr).to.equal(4);
    expect(await runs()).to.deep.equal([]);
    expect((await given.run(['import', 'a.xml', '--run-key', 'k'])).code).to.equal(0);
    expect((await runs())[0]).to.include({ status: 'completed', test_count: 1 });
  });
});
