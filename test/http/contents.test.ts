import { expect } from 'chai';
import { readFile, readdir } from 'node:fs/promises';
import { join } from 'node:path';
import { openDatabase } from '../../src/adapters/sqlite/database.js';
import { textIn } from '../../src/adapters/sqlite/contents/table.js';
import { ownServer } from '../kit/server.js';
import { givenProject, givenResult, givenSubmission, givenTeam } from './given.js';
import { CANARY, givenEveryKind } from './given.contents.js';

describe('the contents of results, in files', () => {
  const server = ownServer();
  const team = givenTeam(server, 'each suite');
  let project: string;
  beforeEach(async () => {
    project = await givenProject(team.owner);
  });

  it('are in the store of contents only: neither in events nor in the read models', async () => {
    await givenEveryKind(team.owner, project);
    await server.stop();
    try {
      const folder = server.config.dataDir;
      for (const file of (await readdir(folder)).filter((name) => /^(?:records|history)\.sqlite$/.test(name)))
        expect((await readFile(join(folder, file))).includes(CANARY), file).to.equal(false);
      const database = openDatabase(join(folder, 'events.sqlite'), {
        readonly: true,
        synchronous: 'FULL',
        busyTimeoutMs: 1_000,
      });
      const rows = database.prepare('SELECT meta, data FROM events').raw().all([]) as [
        string,
        string | Uint8Array,
      ][];
      for (const [meta, data] of rows) expect(meta + textIn(data)).not.to.contain(CANARY);
      const bodies = database.prepare('SELECT body FROM contents').raw().all([]) as [string | Uint8Array][];
      expect(bodies.filter(([body]) => textIn(body).includes(CANARY))).not.to.deep.equal([]);
      database.close();
    } finally {
      await server.start();
    }
  });

  it('of a deleted result without a run are removed, unless another one has them', async () => {
    const only = `only in one ${project}`;
    const { test_result_id: id } = await givenResult(team.owner, project, { metadata: { note: only } });
    await team.owner.delete(`/v1/test/result/${id}`);
    await server.stop();
    try {
      const held = await server.stores(({ contents }) => contents.held('', 10_000));
      expect(held.map(({ holder }) => holder)).not.to.include(id);
      expect((await readFile(join(server.config.dataDir, 'events.sqlite'))).includes(only)).to.equal(false);
    } finally {
      await server.start();
    }
  });

  it('of 5,000 equal failures are stored once, with the title of their group', async () => {
    const items = Array.from({ length: 5_000 }, (_, n) => ({
      name: `test ${n}`,
      status: 'failed',
      error_message: `declined by ${project}`,
      metadata: { error: { message: `declined by ${project}`, stack: 'at pay' } },
    }));
    const { run } = await givenSubmission(team.owner, project, items);
    await server.stop();
    try {
      const held = await server.stores(({ contents }) => contents.held('', 10_000));
      expect(held.find(({ holder }) => holder === run)!.hashes).to.have.length(2);
    } finally {
      await server.start();
    }
  });
});
