import { expect } from 'chai';
import { readdir, readFile, rm, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { givenProject, givenResult, givenSubmission } from '../http/given.js';
import { OWNER_KEY } from '../kit/environment.js';
import { servers, type RunningServer } from '../kit/process.js';

describe('testledger export', () => {
  const given = servers();
  const to = () => join(given.folder, 'tables');
  const exported = async (server: RunningServer, ...args: string[]) => {
    const env = { TESTLEDGER_URL: server.url, TESTLEDGER_API_KEY: OWNER_KEY };
    const command = given.cli(['export', 'results', '--format', 'csv', '--json', ...args], { env });
    const { code } = await command.ended;
    return { code, stderr: command.stderr(), ...(code === 0 && JSON.parse(command.stdout())) };
  };

  /** All rows of the folder, file by file in order. */
  async function rowsIn(folder: string): Promise<string[]> {
    const names = (await readdir(folder, { recursive: true })).filter((name) => name.endsWith('.csv')).sort();
    const files = await Promise.all(names.map((name) => readFile(join(folder, name), 'utf8')));
    for (const name of names) expect(name).to.match(/^month=\d{4}-\d\d\/\d{20}(-\d{6})?\.csv$/);
    return files.flatMap((text) => text.trimEnd().split('\n').slice(1));
  }

  /** The row with the highest revision of each result. */
  function newest(rows: readonly string[]): string[] {
    const revision = (row: string) => Number(row.split(',')[1]);
    const kept = new Map<string, string>();
    for (const row of rows) {
      const id = row.split(',')[0]!;
      const other = kept.get(id);
      if (other === undefined || revision(other) <= revision(row)) kept.set(id, row);
    }
    return [...kept.values()].sort();
  }

  it('writes a folder by month, and adds what is new with --resume, so that it is the whole table', async () => {
    const server = await given.start();
    const project = await givenProject(server.owner);
    const { results } = await givenSubmission(
      server.owner,
      project,
      Array.from({ length: 1_200 }, (_, n) => ({ name: `a "${n}", ${n}` })),
    );
    const first = await exported(server, '--to', to());
    expect(first.rows, first.stderr).to.equal(1_200);
    expect((await exported(server, '--to', to())).code, 'without --resume').to.equal(2);

    await server.owner.post(`/v1/test/result/${results[3]}`, { status: 'Failed' });
    await server.owner.delete(`/v1/test/result/${results[5]}`);
    await givenResult(server.owner, project);
    expect((await exported(server, '--to', to(), '--resume')).rows).to.equal(3);
    expect((await exported(server, '--to', to(), '--resume')).rows).to.equal(0);

    const whole = join(given.folder, 'whole.csv');
    expect((await exported(server, '--to', whole)).code).to.equal(0);
    expect((await exported(server, '--to', whole, '--resume')).code).to.equal(2);
    const rows = (await readFile(whole, 'utf8')).trimEnd().split('\n').slice(1);
    expect(newest(await rowsIn(to()))).to.deep.equal(newest(rows));
  });

  it('finishes an export that was cut off as if it had not been', async () => {
    const server = await given.start();
    const project = await givenProject(server.owner);
    await givenSubmission(
      server.owner,
      project,
      Array.from({ length: 40 }, () => ({})),
    );
    const { position } = await exported(server, '--to', to());
    const rows = await rowsIn(to());
    await givenSubmission(server.owner, project, [{}, {}]);

    // As a kill leaves it between two steps: the state names the last whole position, and a file is only begun.
    const path = join(to(), 'export.json');
    const state = JSON.parse(await readFile(path, 'utf8'));
    const [file] = (await readdir(to(), { recursive: true })).filter((name) => name.endsWith('.csv'));
    const lines = (await readFile(join(to(), file!), 'utf8')).split('\n');
    await writeFile(join(to(), file!), `${lines.slice(0, 31).join('\n')}\n`);
    const after = lines[30]!.split(',')[2];
    await writeFile(path, JSON.stringify({ ...state, after }));
    await writeFile(join(to(), 'month=2026-01.csv.part'), 'cut');
    expect((await exported(server, '--to', to(), '--resume')).position).to.equal(position);
    expect(await rowsIn(to())).to.deep.equal(rows);
    await rm(to(), { recursive: true });
  });
});
