/** The clients as a job gets them: from the server, in an empty folder, without a registry. */
import { expect } from 'chai';
import { readdir, stat, writeFile } from 'node:fs/promises';
import { createServer, type Server } from 'node:http';
import { once } from 'node:events';
import type { AddressInfo } from 'node:net';
import { join } from 'node:path';
import { version } from '../../src/version.js';
import { commandLine, junit } from '../cli/command-line.js';
import { repository } from '../docs/pages.js';
import { ended, type Ended } from '../kit/command.js';
import { testServer } from '../kit/server.js';
import { recipes } from '../../src/dashboard/text/commands.js';

const MOST_PACKAGE_BYTES = 2_000_000;

describe('the clients that a server hands out', () => {
  const server = testServer();
  const given = commandLine(server);

  async function download(name: string): Promise<string> {
    const answer = await fetch(new URL(`/clients/${name}`, server.url));
    const file = join(given.folder, name);
    await writeFile(file, Buffer.from(await answer.arrayBuffer()));
    return file;
  }
  const run = (program: string, args: readonly string[], env: Record<string, string> = {}): Promise<Ended> =>
    ended(program, args, { cwd: given.folder, env: { ...given.env, ...env } });

  it('import, judge and show a run by the command line in one file', async () => {
    const file = await download('testledger.mjs');
    const commands = async (...args: string[]) => run(process.execPath, [file, ...args]);
    await given.file('reports/unit.xml', junit({ 'signs in': 'passed', pays: 'failed' }));
    expect(await commands('import', 'reports/*.xml', '--run-key', 'k')).to.include({ code: 0 });
    expect(await commands('gate', '--run-key', 'k')).to.include({ code: 1 });
    const { stdout } = await commands('summary', '--run-key', 'k');
    expect(stdout).to.include('1 failed');
    expect((await commands('--version')).stdout.trim()).to.equal(version);
    const server = await commands('serve');
    expect(server).to.include({ code: 2 });
  });

  it('install as one package without others, with the command line, the reporters and typed calls', async () => {
    const file = await download('testledger.tgz');
    expect((await stat(file)).size).to.be.at.most(MOST_PACKAGE_BYTES);
    await given.file('package.json', '{"private": true, "type": "module"}');
    const installed = await run('npm', [
      'install',
      '--no-save',
      '--offline',
      '--no-audit',
      './testledger.tgz',
    ]);
    expect(installed, installed.stderr).to.include({ code: 0 });
    expect(
      (await readdir(join(given.folder, 'node_modules'))).filter((name) => !name.startsWith('.')),
    ).to.deep.equal(['testledger']);
    expect((await run('npx', ['--no', 'testledger', '--', '--version'])).stdout.trim()).to.equal(version);
    await given.file(
      'use.ts',
      `import { createClient, type SubmittedRun } from 'testledger/client';
const { TESTLEDGER_URL = '', TESTLEDGER_API_KEY = '', TESTLEDGER_PROJECT = '' } = process.env;
const client = createClient({ url: TESTLEDGER_URL, apiKey: TESTLEDGER_API_KEY, project: TESTLEDGER_PROJECT });
const run: SubmittedRun = await client.submitRun({ label: 'one', results: [{ name: 'signs in', status: 'passed' }] });
const { data } = await client.GET('/v1/test-runs/{id}', { params: { path: { id: run.id } } });
const reporters = await Promise.all([
  import('testledger/mocha'), import('testledger/playwright'), import('testledger/vitest'), import('testledger/jest'),
  import('testledger/cypress'),
]);
console.log(JSON.stringify({ label: data?.data.label, reporters: reporters.map((each) => typeof each.default) }));`,
    );
    const types = ['--types', 'node,mocha', '--typeRoots', join(repository, 'node_modules/@types')];
    const compiler = join(repository, 'node_modules/.bin/tsc');
    const flags = ['--strict', '--module', 'nodenext', '--target', 'es2023', ...types];
    const compiled = await run(compiler, [...flags, 'use.ts']);
    expect(compiled, compiled.stdout).to.include({ code: 0 });
    const used = await run(process.execPath, ['use.js']);
    expect(used, used.stderr).to.include({ code: 0 });
    expect(used.document()).to.deep.equal({ label: 'one', reporters: Array(5).fill('function') });
  });

  it('follow the recipe that the pages show', async () => {
    const [shell] = recipes(server.url, given.project);
    await given.file(
      'package.json',
      JSON.stringify({ scripts: { test: 'mkdir -p reports && cp one.xml reports/' } }),
    );
    await given.file('one.xml', junit({ 'signs in': 'passed' }));
    const played = await run('bash', ['-e', '-c', shell!.text]);
    expect(played, played.stderr).to.include({ code: 0 });
    const { body } = await given.owner.get(`/v1/test-runs?project_id=${given.project}`);
    expect(body.data[0]).to.include({ status: 'completed', test_count: 1 });
  });

  describe('of another version than their server', () => {
    let proxy: Server | null = null;
    afterEach(() => proxy?.close());

    it('say so, and work', async () => {
      // The server of a later version: its answers are those of this one, but for the version.
      proxy = createServer((request, response) => {
        void (async () => {
          const body = request.method === 'POST' ? Buffer.concat(await request.toArray()) : undefined;
          const headers = Object.fromEntries(
            Object.entries(request.headers).filter(
              ([name]) => !['host', 'connection', 'content-length'].includes(name),
            ),
          ) as Record<string, string>;
          const answer = await fetch(new URL(request.url ?? '/', server.url), {
            method: request.method!,
            headers,
            ...(body !== undefined && { body }),
          });
          const type = answer.headers.get('content-type') ?? 'text/plain';
          response.writeHead(answer.status, { 'content-type': type, 'testledger-version': '0.9.0' });
          response.end(Buffer.from(await answer.arrayBuffer()));
        })();
      }).listen(0, '127.0.0.1');
      await once(proxy, 'listening');
      const url = `http://127.0.0.1:${(proxy.address() as AddressInfo).port}`;
      const file = await download('testledger.mjs');
      const listed = await run(process.execPath, [file, 'shard-plan', '--output', 'plan.json'], {
        TESTLEDGER_URL: url,
      });
      expect(listed, listed.stderr).to.include({ code: 0 });
      const told = await run(process.execPath, [file, '--version'], { TESTLEDGER_URL: url });
      for (const { stderr } of [listed, told])
        expect(stderr).to.include(`the server is of version 0.9.0, this client of ${version}`);
    });
  });
});
