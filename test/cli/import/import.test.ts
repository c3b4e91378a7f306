import { expect } from 'chai';
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
});
