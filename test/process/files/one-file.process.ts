import { expect } from 'chai';
import { readdir, stat } from 'node:fs/promises';
import { join } from 'node:path';
import { givenProject } from '../../http/given.js';
import { servers } from '../../kit/process.js';

describe('the process: its files after a stop', () => {
  const given = servers();

  it('are whole: no write-ahead log is left beside a store', async () => {
    const server = await given.start();
    const project = await givenProject(server.owner);
    const results = Array.from({ length: 2_000 }, (_, n) => ({ name: `test ${n}`, status: 'failed' }));
    for (let n = 0; n < 3; n += 1) {
      const sent = await server.owner.post('/v1/test-runs', { project_id: project, results });
      expect(sent.status, sent.text).to.equal(201);
    }
    await server.caughtUp();
    const logs = async () => (await readdir(given.folder)).filter((name) => name.endsWith('-wal'));
    expect(await logs()).to.include('records.sqlite-wal');
    await server.stop();
    for (const name of await logs()) {
      expect((await stat(join(given.folder, name))).size, name).to.equal(0);
    }
    expect(await readdir(given.folder)).to.include.members([
      'events.sqlite',
      'records.sqlite',
      'state.sqlite',
    ]);
  });
});
