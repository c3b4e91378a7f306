import { expect } from 'chai';
import { randomUUID } from 'node:crypto';
import { execFile } from 'node:child_process';
import { mkdtemp, readdir, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { promisify } from 'node:util';
import { join } from 'node:path';
import { inflateRawSync } from 'node:zlib';
import { openBackupSources } from '../../src/adapters/open.js';
import { openDatabase } from '../../src/adapters/sqlite/database.js';
import { until } from '../kit/process.js';
import { ownServer } from '../kit/server.js';
import {
  bodyOf,
  givenArtifact,
  givenResult,
  givenRun,
  givenSubmission,
  givenTeamWithProject,
} from './given.js';

describe('the bytes of what is redacted, in files', () => {
  const server = ownServer();
  const team = givenTeamWithProject(server, 'each test');

  /** The files that hold a text, in whatever part of them, or deflated in a row. */
  async function filesWith(text: string, dataDir = server.config.dataDir): Promise<string[]> {
    // By another program: to close a file here would let go of SQLite's locks on it.
    const { stdout } = await promisify(execFile)('sh', [
      '-c',
      'grep -rlaF -e "$1" "$2" || true',
      'sh',
      text,
      dataDir,
    ]);
    const found = stdout.split('\n').filter((path) => path !== '');
    for (const name of (await readdir(dataDir)).filter((name) => /^(?!lock).*\.sqlite$/.test(name)))
      if (valuesOf(join(dataDir, name)).includes(text)) found.push(`${name}, in a row`);
    return found;
  }

  it('are gone from every file of the folder within 60 s, write-ahead logs too, and no new backup has them', async () => {
    const text = `canary-${randomUUID()}`;
    const long = `${text} ${'long text '.repeat(800)}`;
    // Events of one team and type are stored by what differs from others: some before it, some after it.
    for (const label of ['one', text, 'two', `${text} again`, 'three'])
      await givenRun(team.owner, team.project, {
        label,
        metadata: { branch: 'main', note: `${label} ${text}` },
      });
    const { test_run_id: run } = await givenRun(team.owner, team.project, { label: text });
    const key = { 'Idempotency-Key': randomUUID() };
    const body = {
      project_id: team.project,
      test_run_id: run,
      test_name: text,
      status: 'Failed',
      metadata: { note: long },
    };
    const { test_result_id: id } = (await team.owner.post('/v1/test/result/', body, key)).body;
    await givenResult(team.owner, team.project, {
      test_name: `${text} too`,
      metadata: { error: { message: text } },
    });
    await givenArtifact(team.owner, id, `log of ${text}`, { content_type: 'text/plain', kind: 'Log' });
    const items = Array.from({ length: 300 }, (_, n) => ({
      name: `${text} ${n}`,
      status: 'failed',
      error_message: text,
    }));
    await givenSubmission(team.owner, team.project, items, { label: text });
    expect(await filesWith(text)).to.include(join(server.config.dataDir, 'events.sqlite-wal'));
    const { data } = (await team.owner.post('/v1/redactions', { text, reason: 'a key was in the log' })).body;
    const path = `/v1/redactions/${data.id}`;
    await until('it is done', async () => (await bodyOf(team.owner, path)).data.state === 'done', 60_000);
    await until('the bytes are gone', async () => (await filesWith(text)).length === 0, 60_000);
    const copy = await mkdtemp(join(tmpdir(), 'testledger-copy-'));
    const sources = openBackupSources(server.config);
    await sources.copyState(copy);
    await sources.copyLog(copy);
    expect(await filesWith(text, copy)).to.deep.equal([]);
    await rm(copy, { recursive: true });
    await server.stop();
    try {
      expect(await filesWith(text)).to.deep.equal([]);
    } finally {
      await server.start();
    }
    // The log is whole: every event is read and folded again.
    expect((await bodyOf(team.owner, `/v1/test-runs/${run}`)).data.label).to.equal('[redacted]');
  });
});

/** The values of all tables, those that are deflated as their texts. */
function valuesOf(file: string): Buffer {
  const database = openDatabase(file, { readonly: true, synchronous: 'FULL', busyTimeoutMs: 1_000 });
  try {
    const tables = database.prepare("SELECT name FROM sqlite_master WHERE type = 'table'").raw().all([]) as [
      string,
    ][];
    const values = tables.flatMap(
      ([name]) => database.prepare(`SELECT * FROM "${name}"`).raw().all([]) as unknown[][],
    );
    return Buffer.concat(values.flat().map(asBytes));
  } finally {
    database.close();
  }
}

function asBytes(value: unknown): Buffer {
  if (!(value instanceof Uint8Array)) return Buffer.from(`${String(value)}\n`);
  try {
    return inflateRawSync(value);
  } catch {
    return Buffer.from(value);
  }
}
