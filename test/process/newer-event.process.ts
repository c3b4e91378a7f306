import { expect } from 'chai';
import Database from 'libsql';
import { join } from 'node:path';
import { givenProject } from '../http/given.js';
import { servers } from '../kit/process.js';

describe('the process: where the last event that was folded is of a newer program', () => {
  const given = servers();

  it('starts, answers from the read models, and refuses only what needs the event', async () => {
    const first = await given.start();
    const project = await givenProject(first.owner);
    await first.caughtUp();
    await first.stop();
    const log = new Database(join(given.folder, 'events.sqlite'));
    log.exec('UPDATE events SET version = 99 WHERE position = (SELECT max(position) FROM events)');
    log.close();

    const again = await given.start();
    expect((await again.owner.get(`/v1/projects/${project}`)).status).to.equal(200);
    const write = await again.owner.post(`/v1/test/run/`, { project_id: project });
    expect(write.status).to.equal(503);
    expect(JSON.stringify(write.body)).to.include('unknown_event');
  });
});
