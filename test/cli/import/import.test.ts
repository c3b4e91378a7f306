import { expect } from 'chai';
import { join } from 'node:path';
import { testServer } from '../../kit/server.js';
import { commandLine, junit } from '../command-line.js';

describe('testledger import', () => {
  const server = testServer();
  const given = commandLine(server);
  const runs = async () => (await given.owner.get(`/v1/test-runs?project_id=${given.project}`)).body.data;
  const results = async (run: string) => (await given.owner.get(`/v1/test-runs/${run}/results`)).body.data;

  it('makes one run of several files and patterns, with counts', async () => {
    await given.file('reports/a.xml', junit({ one: 'passed', two: 'failed' }));
    await given.file('reports/deep/b.xml', junit({ three: 'skipped' }));
    const { code, stdout, stderr } = await given.run(['import', 'reports/**/*.xml', 'reports/a.xml']);
    expect(code, stderr).to.equal(0);
    expect(stdout).to.match(
      /^3 results of 2 files: 1 passed, 1 failed, 1 skipped\nrun run_\w+ \(completed, 3 results\), key "files [0-9a-f]{32} os=\w+"\nhttp/u,
    );
    const [run, ...others] = await runs();
    expect(others).to.deep.equal([]);
    expect(run).to.deep.include({ status: 'completed', outcome: 'failed', test_count: 3 });
    expect(run.started_at).to.equal('2026-11-21T01:00:00.000Z');
    expect(run.duration_ms).to.equal(1_500);
    const names = (await results(run.id)).map(({ name }: { name: string }) => name);
    expect(names).to.deep.equal(['unit › cart › one', 'unit › cart › two', 'unit › cart › three']);
  });

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
});
