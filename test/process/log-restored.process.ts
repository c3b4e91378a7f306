import { expect } from 'chai';
import { copyFile, readdir, rename, rm } from 'node:fs/promises';
import { join } from 'node:path';
import { givenProject, givenRun } from '../http/given.js';
import { servers } from '../kit/process.js';

describe('the process: with a log that is older than its read models', () => {
  const given = servers();

  const remove = async (begin: string): Promise<void> => {
    const files = (await readdir(given.folder)).filter((name) => name.startsWith(begin));
    await Promise.all(files.map((name) => rm(join(given.folder, name))));
  };

  const VIEWS = ['records.sqlite', 'history.sqlite'];
  const removeViews = () => Promise.all(VIEWS.map(remove));

  const expectRefused = async (): Promise<void> => {
    const refused = given.launch();
    expect((await refused.ended).code).to.equal(1);
    expect(refused.stderr()).to.match(/^testledger cannot start: the read models are not of this log/);
  };

  /** A project, and a backup of the log. The read models then have a run more than the backup. */
  const givenBackup = async () => {
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
    return project;
  };

  it('does not start until they are deleted, because it would never fold the next events into them', async () => {
    const project = await givenBackup();
    await expectRefused();
    await removeViews();
    const again = await given.start();
    const { test_run_id: run } = await givenRun(again.owner, project);
    expect((await again.owner.get(`/v1/test-runs/${run}`)).status).to.equal(200);
  });

  it('does not start with them either once the log has grown beyond them', async () => {
    const project = await givenBackup();
    for (const file of VIEWS) await rename(join(given.folder, file), join(given.folder, `kept-${file}`));
    const grown = await given.start();
    for (let n = 0; n < 10; n += 1) await givenRun(grown.owner, project);
    await grown.caughtUp();
    await grown.stop();
    await removeViews();
    for (const file of VIEWS) await rename(join(given.folder, `kept-${file}`), join(given.folder, file));
    await expectRefused();
  });
});
