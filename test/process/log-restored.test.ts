import { expect } from 'chai';
import { copyFile, readdir, rm } from 'node:fs/promises';
import { join } from 'node:path';
import { givenProject, givenRun } from '../http/given.js';
import { servers } from './server.js';

describe('the process: with a log that is older than its read models', () => {
  const given = servers();

  const remove = async (begin: string): Promise<void> => {
    const files = (await readdir(given.folder)).filter((name) => name.startsWith(begin));
    await Promise.all(files.map((name) => rm(join(given.folder, name))));
  };

  it('does not start until they are deleted, because it would never fold the next events into them', async () => {
    const log = join(given.folder, 'events.sqlite');
    const first = await given.start();
    const project = await givenProject(first.owner);
    await first.caughtUp();
    await first.stop();
    await copyFile(log, join(given.folder, 'backup'));
    const second = await given.start();
    await givenRun(second.owner, project);
    await second.caughtUp();
    await second.stop();
    await remove('events.sqlite');
    await copyFile(join(given.folder, 'backup'), log);

    const refused = given.launch();
    expect((await refused.ended).code).to.equal(1);
    expect(refused.stderr()).to.match(/^testledger cannot start: the read models are ahead of the log/);

    await remove('views.sqlite');
    await remove('publication.sqlite');
    const again = await given.start();
    const { test_run_id: run } = await givenRun(again.owner, project);
    expect((await again.owner.get(`/v1/test-runs/${run}`)).status).to.equal(200);
  });
});
