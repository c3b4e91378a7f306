/** The tables in the programs of analysts: the questions of docs/export.md in DuckDB, and its example in Python. */
import { execFile, spawn } from 'node:child_process';
import { once } from 'node:events';
import { mkdtemp, readFile, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { text } from 'node:stream/consumers';
import { fileURLToPath } from 'node:url';
import { promisify } from 'node:util';
import { expect } from 'chai';
import { givenProject, givenSubmission, givenTeam } from '../http/given.js';
import { cliMain } from '../kit/command.js';
import { testServer } from '../kit/server.js';

const run = promisify(execFile);
const root = fileURLToPath(new URL('../../../', import.meta.url));
const venv = join(root, '.cache', 'tables');
const python = join(venv, 'bin', 'python');

describe('the tables for analysts, in the programs of analysts', function () {
  // The first run also installs them from the package index.
  this.timeout(900_000);
  const server = testServer();
  const team = givenTeam(server, 'each suite');
  let folder: string;
  before(async () => {
    await run('python3', ['-m', 'venv', venv]);
    await run(join(venv, 'bin', 'pip'), [
      'install',
      '--quiet',
      '-r',
      join(root, 'test/tables/requirements.txt'),
    ]);
    folder = await mkdtemp(join(tmpdir(), 'testledger-tables-'));
    await givenHistory();
    for (const table of ['results', 'runs'])
      await run(process.execPath, [cliMain, 'export', table, '--to', join(folder, table)], { env: env() });
  });
  after(() => rm(folder, { recursive: true }));
  const env = () => ({ ...process.env, TESTLEDGER_URL: server.url, TESTLEDGER_API_KEY: team.owner.key! });

  /** With an answer to each question. */
  async function givenHistory(): Promise<void> {
    const project = await givenProject(team.owner);
    const of = (commit: string) => ({ metadata: { branch: 'main', commit, environment: { os: 'linux' } } });
    const took = { duration_ms: 90_000, metadata: { owner: 'web' } };
    const attempts = [
      { name: 'pays', status: 'failed', attempt: 1, ...took },
      { name: 'pays', status: 'passed', attempt: 2, ...took },
    ];
    const started_at = '2026-11-01T10:00:00.000Z';
    const times = { started_at, finished_at: '2026-11-01T10:05:00.000Z' };
    await givenSubmission(team.owner, project, [...attempts, { name: 'gone', ...took }], {
      ...of('c1'),
      ...times,
    });
    const failing = [{ name: 'adds', status: 'failed', error_message: 'no', ...took }, ...attempts];
    const { results } = await givenSubmission(team.owner, project, failing, of('c2'));
    await givenSubmission(team.owner, project, failing, of('c3'));
    for (const index of [1, 2]) {
      const shard = { run_key: 'sharded', shard: { index, total: 2 } };
      const call = {
        project_id: project,
        ...shard,
        results: [{ name: `in ${index}`, status: 'passed', duration_ms: 5 }],
      };
      expect((await team.owner.post('/v1/test-runs', call)).status).to.be.oneOf([200, 201]);
    }
    await team.owner.delete(`/v1/test/result/${results[2]}`);
  }

  it('answer ten questions in DuckDB, and are the same to pyarrow, pandas and polars', async () => {
    const statements = await blocksOf('sql');
    const views = statements
      .shift()!
      .split(/;\n+/)
      .filter((statement) => statement.trim() !== '');
    expect(statements).to.have.length(10);
    const child = spawn(python, [join(root, 'test/tables/read.py')], {
      cwd: folder,
      stdio: ['pipe', 'pipe', 'inherit'],
    });
    child.stdin.end(JSON.stringify([...views, ...statements]));
    const [shown] = await Promise.all([text(child.stdout), once(child, 'close')]);
    const { rows, readers } = JSON.parse(shown);
    for (const [n, found] of rows.slice(views.length).entries()) expect(found, statements[n]).to.be.above(0);
    expect(readers.duckdb[0]).to.equal(11);
    for (const found of Object.values(readers)) expect(found).to.deep.equal(readers.duckdb);
  });

  it('are kept up to date by the example in Python', async () => {
    const [example] = await blocksOf('python');
    const { stdout } = await run(python, ['-c', example!], { env: env() });
    expect(stdout)
      .to.match(/^test_name,p50_ms,results\n/)
      .and.to.include('pays,90000.0,');
  });
});

/** The blocks of docs/export.md in a language, in order. */
async function blocksOf(language: string): Promise<string[]> {
  const page = await readFile(join(root, 'docs/export.md'), 'utf8');
  return [...page.matchAll(new RegExp(`\`\`\`${language}\\n([^]*?)\`\`\``, 'g'))].map(([, block]) => block!);
}
