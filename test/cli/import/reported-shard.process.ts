/** A report that names its own shard, as those of Playwright and CTRF do. */
import { expect } from 'chai';
import { testServer } from '../../kit/server.js';
import { commandLine } from '../command-line.js';

function playwright(current: number, title: string): string {
  const tests = [{ results: [{ status: 'passed', duration: 1 }] }];
  const suites = [{ title: 'cart.spec.ts', specs: [{ title, tests }] }];
  return JSON.stringify({ config: { shard: { current, total: 2 } }, suites, errors: [] });
}

function ctrf(shardId: string): string {
  const tests = [{ name: 'one', status: 'passed', duration: 1 }];
  return JSON.stringify({ reportFormat: 'CTRF', shardId, results: { tool: { name: 'jest' }, tests } });
}

const github = { GITHUB_ACTIONS: 'true', GITHUB_RUN_ID: '777', GITHUB_RUN_ATTEMPT: '1', RUNNER_OS: 'Linux' };

describe('the shard that a report names itself', () => {
  const server = testServer();
  const given = commandLine(server);

  it('does not count without a flag, so outside of CI the report is a whole run', async () => {
    await given.file('pw.json', playwright(1, 'one'));
    await given.file('ctrf.json', ctrf('1/2'));
    for (const file of ['pw.json', 'ctrf.json']) {
      const { code, document, stderr } = await given.json(['import', file]);
      expect(code, stderr).to.equal(0);
      expect(document).to.deep.include({ shard: null });
      expect(document.run).to.include({ status: 'completed', test_count: 1 });
    }
    const written = `require('node:fs').writeFileSync('own.json', ${JSON.stringify(playwright(2, 'two'))})`;
    const wrapped = await given.json(['run', '--reports', 'own.json', '--', process.execPath, '-e', written]);
    expect(wrapped.code, wrapped.stderr).to.equal(0);
    expect(wrapped.document.import.run).to.include({ status: 'completed', test_count: 1 });
  });

  it('does not count in CI, so the gate of the same job finds the run', async () => {
    await given.file('pw.json', playwright(1, 'one'));
    const { document } = await given.json(['import', 'pw.json'], github);
    expect(document).to.deep.include({ run_key: 'github 777 attempt 1 os=linux', shard: null });
    const gate = await given.run(['gate'], github);
    expect(gate.code, gate.stderr).to.equal(0);
  });

  it('counts with --run-key, and --shard overrides it', async () => {
    await given.file('pw1.json', playwright(1, 'one'));
    await given.file('pw2.json', playwright(2, 'two'));
    const first = await given.json(['import', 'pw1.json', '--run-key', 'k']);
    expect(first.document).to.deep.include({ shard: { index: 1, total: 2, attempt: 1 } });
    expect(first.document.run.status).to.equal('running');
    const last = await given.json(['import', 'pw2.json', '--run-key', 'k']);
    expect(last.document.run).to.include({ id: first.document.run.id, status: 'completed', test_count: 2 });
    const other = await given.json(['import', 'pw1.json', '--run-key', 'other', '--shard', '3/3']);
    expect(other.document.shard).to.deep.equal({ index: 3, total: 3, attempt: 1 });
  });

  it('counts in CI where --shard says it, and gate --sharded finds the run, with the same --tool or none', async () => {
    await given.file('pw.json', playwright(1, 'one'));
    for (const tool of [[], ['--tool', 'e2e']]) {
      const { document } = await given.json(['import', 'pw.json', '--shard', '1/1', ...tool], github);
      expect(document.run_key).to.equal(`github 777 ${tool[1] ?? 'tests'} shards os=linux`);
      expect(document.metadata.tool).to.equal(tool[1] ?? 'playwright');
      const gate = await given.run(['gate', '--sharded', ...tool], github);
      expect(gate.code, gate.stderr).to.equal(0);
    }
  });
});
