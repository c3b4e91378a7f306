/** The clients as a job gets them: from the server, in an empty folder, without a registry. */
import { expect } from 'chai';
import { readdir, stat, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { version } from '../../src/version.js';
import { commandLine, junit } from '../cli/command-line.js';
import { repository } from '../docs/pages.js';
import { ended, type Ended } from '../kit/command.js';
import { openLoopback, type Loopback } from '../kit/loopback.js';
import { testServer } from '../kit/server.js';
import { recipes } from '../../src/dashboard/text/commands.js';

const MOST_PACKAGE_BYTES = 2_000_000;
/** Of processor time, on which other work on the machine has little effect. */
const INSTALLED_WITHIN_SECONDS = 5;

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
    const install = ['npm', 'install', '--no-save', '--offline', '--no-audit', './testledger.tgz'];
    expect(await processorTime(install)).to.be.at.most(INSTALLED_WITHIN_SECONDS);
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

  it('show the help in at most nine times the processor time that node itself needs to start', async () => {
    const file = await download('testledger.mjs');
    // Node needs some 22 ms on a quiet machine: that is 200 ms.
    const sums = { node: 0, help: 0 };
    // In turns, since a busy machine slows both.
    for (let turn = 0; turn < 5; turn += 1) {
      sums.node += await processorTime([process.execPath, '--eval', '0']);
      sums.help += await processorTime([process.execPath, file, '--help']);
    }
    expect(sums.help / sums.node, JSON.stringify(sums)).to.be.at.most(9);
  });

  /** In seconds, of a command. */
  async function processorTime(command: readonly string[]): Promise<number> {
    const script = 'TIMEFORMAT="%U %S"; time "$@" > out.txt';
    const measured = await run('bash', ['-c', script, 'bash', ...command]);
    expect(measured, measured.stderr).to.include({ code: 0 });
    const [user, system] = measured.stderr.trim().split('\n').at(-1)!.split(' ');
    return Number(user) + Number(system);
  }

  describe('of another version than their server', () => {
    const proxies: Loopback[] = [];
    afterEach(() => Promise.all(proxies.splice(0).map((each) => each.close())));

    /**
     * A server of another version before the one of this suite. `change`: what its answers have that those of this one
     * have not. `lacks`: the requests that it does not know yet.
     */
    async function otherServer(
      other: string,
      { change = (value) => value, lacks = /^$/ }: { change?(value: unknown): unknown; lacks?: RegExp } = {},
    ): Promise<Record<string, string>> {
      const proxy = await openLoopback((request, response) => {
        void (async () => {
          const { method = '', url = '/' } = request;
          const sent = method === 'POST' ? Buffer.concat(await request.toArray()) : undefined;
          const isKnown = !lacks.test(`${method} ${url}`);
          const answer = await fetch(new URL(isKnown ? url : '/v1/later', server.url), {
            method,
            headers: Object.entries(request.headers).flatMap(([name, value]): [string, string][] =>
              ['host', 'connection', 'content-length'].includes(name) ? [] : [[name, String(value)]],
            ),
            ...(sent !== undefined && { body: sent }),
          });
          const type = answer.headers.get('content-type') ?? 'text/plain';
          const text = await answer.text();
          const body = type.includes('json') ? JSON.stringify(change(JSON.parse(text))) : text;
          response.writeHead(answer.status, { 'content-type': type, 'testledger-version': other }).end(body);
        })();
      });
      proxies.push(proxy);
      return { TESTLEDGER_URL: proxy.url };
    }

    it('go on after an upgrade, which adds fields to all answers, and say that versions differ', async () => {
      const upgraded = await otherServer('0.9.0', { change: withMore });
      const file = await download('testledger.mjs');
      const command = async (...args: string[]) => run(process.execPath, [file, ...args], upgraded);
      await given.file('reports/unit.xml', junit({ 'signs in': 'passed', pays: 'failed' }));
      const ran = {
        import: await command('import', 'reports/*.xml', '--run-key', 'k'),
        gate: await command('gate', '--run-key', 'k'),
        summary: await command('summary', '--run-key', 'k'),
        'shard-plan': await command('shard-plan', '--output', 'plan.json'),
        shard: await command('shard', '--plan', 'plan.json', '--index', '1', '--total', '1', '--', 'a'),
      };
      const codes = Object.fromEntries(Object.entries(ran).map(([name, { code }]) => [name, code]));
      expect(codes, JSON.stringify(ran)).to.deep.equal({
        import: 0,
        gate: 1,
        summary: 0,
        'shard-plan': 0,
        shard: 0,
      });
      expect(ran.summary.stdout).to.include('1 failed');
      const notice = `the server is of version 0.9.0, this client of ${version}`;
      for (const each of [ran.import, ran.gate, ran.summary, ran['shard-plan'], await command('--version')])
        expect(each.stderr.split(notice)).to.have.length(2);
    });

    it('work with an earlier server as far as it goes, and say what it refuses', async () => {
      const earlier = await otherServer('0.0.9', { lacks: /webhooks|usage/ });
      const file = await download('testledger.mjs');
      const command = async (...args: string[]) => run(process.execPath, [file, ...args], earlier);
      await given.file('reports/unit.xml', junit({ 'signs in': 'passed' }));
      expect(await command('import', 'reports/*.xml', '--run-key', 'k')).to.include({ code: 0 });
      expect(await command('gate', '--run-key', 'k')).to.include({ code: 0 });
      const refused = await command('usage');
      expect(refused).to.include({ code: 4, stdout: '' });
      expect(refused.stderr)
        .to.include('the server is of version 0.0.9')
        .and.include('404 not_found: This path does not exist.');
    });
  });
});

/** With a field that this version does not know, in each object. */
function withMore(value: unknown): unknown {
  if (Array.isArray(value)) return value.map(withMore);
  if (typeof value !== 'object' || value === null) return value;
  const more = Object.entries(value).map(([name, inner]) => [name, withMore(inner)]);
  return { ...Object.fromEntries(more), added_later: { in: 'the next version' } };
}
