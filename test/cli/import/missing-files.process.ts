/** An import that is stopped while files are uploaded: its repeat uploads those that are missing, and none twice. */
import { expect } from 'chai';
import { spawn, type ChildProcess } from 'node:child_process';
import { once } from 'node:events';
import { limits } from '../../../src/limits.js';
import { testServer } from '../../kit/server.js';
import { cliMain } from '../../kit/command.js';
import { commandLine } from '../command-line.js';
import { openProxy } from '../../kit/proxy.js';

const FILES = 6;
/** These files are uploaded one by one. */
const LARGE = limits.artifactContentBytes + 1;
const names = Array.from({ length: FILES }, (_, n) => `shot-${n}.png`);

/** A test that passed in its second attempt, and one failed test for each file. */
function report(): string {
  const again = '<testcase name="again"><failure message="m"/></testcase><testcase name="again"/>';
  const cases = names.map(
    (name, n) =>
      `<testcase name="case ${n}"><failure message="m"/><properties><property name="attachment" value="${name}"/></properties></testcase>`,
  );
  return `<testsuite name="u">${again}${cases.join('')}</testsuite>`;
}

describe('testledger import after one that was stopped during its uploads', () => {
  const server = testServer();
  const given = commandLine(server);

  async function labels(run: string): Promise<string[]> {
    const { body } = await given.owner.get(`/v1/test-runs/${run}/results?per_page=100`);
    const found: string[] = [];
    for (const { id } of body.data as { id: string }[]) {
      const { body: artifacts } = await given.owner.get(`/v1/test/artifact/?test_result_id=${id}`);
      found.push(...artifacts.items.map(({ label }: { label: string }) => label));
    }
    return found.sort();
  }

  /** Stops the command where it announces its third file. */
  async function stopped(args: readonly string[]): Promise<number | null> {
    let announced = 0;
    let child: ChildProcess | null = null;
    const proxy = await openProxy(
      () => server.url,
      ({ method, path }) => {
        if (method !== 'POST' || path !== '/v1/test/artifact/') return 'pass';
        announced += 1;
        if (announced === 4) setTimeout(() => child!.kill('SIGINT'), 300);
        return announced > 2 ? 'hang' : 'pass';
      },
    );
    const env = { PATH: process.env['PATH'], HOME: given.folder, ...given.env, TESTLEDGER_URL: proxy.url };
    child = spawn(process.execPath, [cliMain, ...args], { cwd: given.folder, env, stdio: 'ignore' });
    const [code, signal] = (await once(child, 'exit')) as [number | null, string | null];
    await proxy.close();
    return signal === null ? code : 130;
  }

  for (const flags of [[], ['--run-key', 'k'], ['--run-key', 's', '--shard', '1/1']]) {
    it(`uploads what is missing, and nothing twice (${flags.join(' ') || 'no run key'})`, async () => {
      await given.file('a.xml', report());
      for (const name of names) await given.file(name, name.padEnd(LARGE));
      const args = ['import', 'a.xml', '--output', 'none', ...flags];
      expect(await stopped(args)).to.equal(130);
      for (let n = 0; n < 2; n += 1) {
        const { code, document, stderr } = await given.json(args);
        expect(code, stderr).to.equal(0);
        expect(document.attachments.left_out).to.deep.equal([]);
        expect(document.run).to.include({ status: 'completed' });
        expect(await labels(document.run.id)).to.deep.equal(names);
      }
    });
  }

  it('uploads a file again that an earlier command announced, where the time for its upload is over', async () => {
    await given.file('a.xml', report());
    for (const name of names) await given.file(name, name.padEnd(LARGE));
    const args = ['import', 'a.xml', '--output', 'none', '--run-key', 'k'];
    const keys = new Set<string>();
    // As a storage does with an upload URL that has expired: nothing with the first key of a file succeeds.
    const proxy = await openProxy(
      () => server.url,
      ({ method, path, headers }) => {
        if (method !== 'POST' || path !== '/v1/test/artifact/') return 'pass';
        const key = String(headers['idempotency-key']);
        keys.add(key);
        return /_\d+\.\d+$/.test(key) ? { status: 404, body: '' } : 'pass';
      },
    );
    const { code, document } = await given.json(args, { TESTLEDGER_URL: proxy.url });
    await proxy.close();
    expect(code).to.equal(0);
    expect(document.attachments).to.deep.equal({ uploaded: FILES, left_out: [] });
    expect(keys.size).to.equal(2 * FILES);
    expect(await labels(document.run.id)).to.deep.equal(names);
  });

  it('sends small files together, and again in the same call where its answer was lost', async () => {
    await given.file('a.xml', report());
    for (const name of names) await given.file(name, name);
    const keys: string[] = [];
    const proxy = await openProxy(
      () => server.url,
      ({ method, path, headers }) => {
        if (method !== 'POST' || !path.startsWith('/v1/test/artifact/')) return 'pass';
        keys.push(`${path} ${String(headers['idempotency-key'])}`);
        return keys.length === 1 ? 'unanswered' : 'pass';
      },
    );
    const args = ['import', 'a.xml', '--output', 'none'];
    const { code, document } = await given.json(args, { TESTLEDGER_URL: proxy.url });
    await proxy.close();
    expect(code).to.equal(0);
    expect(document.attachments).to.deep.equal({ uploaded: FILES, left_out: [] });
    expect(keys).to.deep.equal([keys[0], keys[0]]);
    expect(keys[0]).to.match(/^\/v1\/test\/artifact\/batch files-/);
    expect(await labels(document.run.id)).to.deep.equal(names);
  });
});
