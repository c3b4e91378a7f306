import { expect } from 'chai';
import { join } from 'node:path';
import Database from 'libsql';
import { givenProject } from '../http/given.js';
import { servers } from './server.js';

const names = ['events.sqlite', 'state.sqlite', 'views.sqlite', 'publication.sqlite', 'bus.sqlite'];

describe('the process: files of a newer testledger', () => {
  const given = servers();

  const setVersion = (file: string, version: number): void => {
    const database = new Database(file);
    database.exec(`PRAGMA user_version = ${version}`);
    database.close();
  };

  const versionOf = (file: string): number => {
    const database = new Database(file);
    try {
      return (database.prepare('PRAGMA user_version').raw().get([]) as [number])[0];
    } finally {
      database.close();
    }
  };

  it('stop the start with a message that names the file, and open again with the version that they had', async () => {
    const first = await given.start();
    const project = await givenProject(first.owner);
    await first.stop();
    for (const name of names) {
      const file = join(given.folder, name);
      const own = versionOf(file);
      setVersion(file, 7);
      const refused = given.launch();
      expect((await refused.ended).code, name).to.equal(1);
      expect(refused.stderr())
        .to.match(/^testledger cannot start: /)
        .and.include(`${name} was written by a newer testledger: it has schema version 7`);
      setVersion(file, own);
    }
    const again = await given.start();
    expect((await again.owner.get(`/v1/projects/${project}`)).status).to.equal(200);
  });
});
