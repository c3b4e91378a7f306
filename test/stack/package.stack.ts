import { expect } from 'chai';
import { execFile, spawn, type ChildProcess } from 'node:child_process';
import { once } from 'node:events';
import { mkdtemp, readFile, rm, writeFile } from 'node:fs/promises';
import { get, type IncomingMessage } from 'node:http';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { promisify } from 'node:util';
import { until } from '../kit/process.js';

const run = promisify(execFile);
const repository = fileURLToPath(new URL('../../../', import.meta.url));
const INSTALL_WITHIN_MS = 600_000;

/** It needs the package registry: the dependencies of the package are installed as a user installs them. */
describe('the package, installed from its tarball in an empty folder', function () {
  this.timeout(INSTALL_WITHIN_MS);
  let folder = '';
  let server: ChildProcess | null = null;

  before(async () => {
    folder = await mkdtemp(join(tmpdir(), 'testledger-package-'));
    // The run has built it. Another build would change files under the tests beside this one.
    await run('npm', ['pack', '--ignore-scripts', '--pack-destination', folder], { cwd: repository });
    await writeFile(join(folder, 'package.json'), '{ "private": true }');
    const tarball = join(folder, `testledger-${(await manifestOf(repository)).version}.tgz`);
    await run('npm', ['install', '--omit=dev', '--no-audit', '--no-fund', tarball], { cwd: folder });
  });
  after(async () => {
    if (server !== null && server.exitCode === null) {
      const ended = once(server, 'close');
      server.kill('SIGKILL');
      await ended;
    }
    await rm(folder, { recursive: true });
  });

  it('has a testledger that serves and answers commands, without anything of the repository', async () => {
    const bin = join(folder, 'node_modules', '.bin', 'testledger');
    const { stdout: shown } = await run(bin, ['--version']);
    expect(shown.trim()).to.equal((await manifestOf(repository)).version);
    const { stdout: key } = await run(bin, ['keys', 'generate']);

    const apart = 'files.localhost';
    const origins = { ARTIFACTS_ORIGIN: `http://${apart}` };
    const env = { PATH: process.env['PATH'], DATA_DIR: join(folder, 'data'), PORT: '0', ...origins };
    server = spawn(bin, ['serve'], {
      cwd: folder,
      env: { ...env, BOOTSTRAP_API_KEY: key.trim() },
      stdio: ['ignore', 'pipe', 'inherit'],
    });
    let log = '';
    server.stdout!.setEncoding('utf8').on('data', (text: string) => (log += text));
    await until('the server to be up', () => /"url":"[^"]+"/.test(log));
    const url = /"url":"([^"]+)"/.exec(log)![1]!;

    const commands = { ...env, TESTLEDGER_URL: url, TESTLEDGER_API_KEY: key.trim() };
    const { stdout: made } = await run(bin, ['projects', 'create', 'Packed', '--json'], { env: commands });
    expect(JSON.parse(made)).to.have.nested.property('project.name', 'Packed');

    // What the build has put beside the program: files of the pages, and of the viewers.
    for (const path of ['/assets/style.css', '/docs', '/docs/viewer.js', '/docs/viewer.css'])
      expect(await statusOf(url + path), path).to.equal(200);
    expect(await statusOf(`${url}/trace-viewer/index.html`, { host: apart })).to.equal(200);

    const ended = once(server, 'close');
    server.kill('SIGTERM');
    expect((await ended)[0]).to.equal(0);
  });

  /** The function of each subpath that its page of the documents names. */
  const functions: Record<string, string> = {
    './client': 'createClient',
    './cypress': 'default',
    './mocha': 'default',
    './playwright': 'default',
    './vitest': 'default',
    './jest': 'default',
  };

  it('has each subpath that it exports, also where no framework of tests is installed', async () => {
    const { exports } = await manifestOf(join(folder, 'node_modules', 'testledger'));
    // It runs in the browser of Cypress alone, where test/reporters/cypress.tools.ts runs it.
    expect([...Object.keys(functions), './cypress/support']).to.have.members(Object.keys(exports));
    for (const [subpath, name] of Object.entries(functions)) {
      const script = `console.log(typeof (await import('testledger${subpath.slice(1)}'))['${name}'])`;
      const { stdout } = await run(process.execPath, ['--input-type=module', '-e', script], { cwd: folder });
      expect(stdout.trim(), subpath).to.equal('function');
    }
  });
});

/** `fetch` would not send another Host. */
async function statusOf(url: string, headers: Record<string, string> = {}): Promise<number | undefined> {
  const [answer] = (await once(get(url, { headers }), 'response')) as [IncomingMessage];
  answer.resume();
  return answer.statusCode;
}

type Manifest = { version: string; exports: Record<string, unknown> };

async function manifestOf(folder: string): Promise<Manifest> {
  return JSON.parse(await readFile(join(folder, 'package.json'), 'utf8')) as Manifest;
}
