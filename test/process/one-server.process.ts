import { expect } from 'chai';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { givenProject, givenRun } from '../http/given.js';
import { servers } from '../kit/process.js';

describe('the process: one server a folder', () => {
  const given = servers();

  it('refuses to start a second server on the same DATA_DIR, with a clear message, and the first goes on', async () => {
    const first = await given.start();
    const project = await givenProject(first.owner);
    const second = given.launch();
    const { code } = await second.ended;
    expect(code).to.equal(1);
    expect(second.stderr()).to.match(/^testledger cannot start: .*in use by another testledger server\n$/);
    expect(second.stderr()).to.include(given.folder);

    const { test_run_id } = await givenRun(first.owner, project);
    const { status, headers } = await first.owner.get(`/v1/test/run/${test_run_id}`);
    expect({ status, lag: headers.get('X-Read-Lag') }).to.deep.equal({ status: 200, lag: null });
    expect((await first.stop()).code).to.equal(0);
  });

  it('shows a link that a browser can open where it listens on all addresses', async () => {
    for (const host of ['0.0.0.0', '::']) {
      const program = given.launch({ env: { HOST: host, DATA_DIR: join(given.folder, host), PORT: '0' } });
      const { url } = await program.line('testledger is up');
      expect(url).to.match(/^http:\/\/(0\.0\.0\.0|\[::\]):\d+$/);
      const port = new URL(url as string).port;
      expect(program.stderr()).to.include(`\n  http://127.0.0.1:${port}/first-start/`);
      program.signal('SIGTERM');
      await program.ended;
    }
  });

  it('refuses to start on a port that is taken, and leaves the folder free', async () => {
    const first = await given.start();
    const folder = `${given.folder}/other`;
    const second = given.launch({ env: { DATA_DIR: folder, PORT: new URL(first.url).port } });
    expect((await second.ended).code).to.equal(1);
    expect(second.stderr()).to.match(/^testledger cannot start: .*EADDRINUSE.* set another PORT\.\n$/);
    await given.start({ env: { DATA_DIR: folder } });
  });

  it('refuses to start on a host that does not exist, and names the variable', async () => {
    const program = given.launch({ env: { HOST: '[::1]' } });
    expect((await program.ended).code).to.equal(1);
    expect(program.stderr()).to.match(/^testledger cannot start: .*\[::1\]\. Set HOST and PORT.*\n$/m);
  });

  it('refuses to start where DATA_DIR is no folder, and names the path and the variable', async () => {
    const file = fileURLToPath(import.meta.url);
    const program = given.launch({ env: { DATA_DIR: file } });
    expect((await program.ended).code).to.equal(1);
    expect(program.stderr()).to.match(/^testledger cannot start: EEXIST.* Set DATA_DIR.*\n$/);
    expect(program.stderr()).to.include(file);
  });
});
