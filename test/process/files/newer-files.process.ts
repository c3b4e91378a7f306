import { expect } from 'chai';
import { join } from 'node:path';
import Database from 'libsql';
import { givenProject } from '../../http/given.js';
import { servers } from '../../kit/process.js';

describe('the process: a file of a newer testledger', () => {
  const given = servers();

  const setVersion = (version: number): void => {
    const database = new Database(join(given.folder, 'state.sqlite'));
    database.exec(`PRAGMA user_version = ${version}`);
    database.close();
  };

  it('stops the start with a message that names the file, and opens again with the version that it had', async () => {
    const first = await given.start();
    const project = await givenProject(first.owner);
    await first.stop();
    setVersion(7);
    const refused = given.launch();
    expect((await refused.ended).code).to.equal(1);
    expect(refused.stderr())
      .to.match(/^testledger cannot start: /)
      .and.include('state.sqlite was written by a newer testledger: it has schema version 7');
    setVersion(1);
    const again = await given.start();
    expect((await again.owner.get(`/v1/projects/${project}`)).status).to.equal(200);
  });
});
