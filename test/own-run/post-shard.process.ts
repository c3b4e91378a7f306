import { expect } from 'chai';
import { mkdtemp, realpath, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { ownServer } from '../kit/server.js';
import { givenCommands } from '../reporters/running.js';
import { runSuite } from '../runner/run.js';
import { readOwnRun, type OwnLedger } from './ledger.js';
import { postShard } from './post-shard.js';

const passes = `describe('cart', () => { it('adds', () => {}); it('removes', () => {}); });`;
const fails = `describe('cart', () => {
  it('pays', () => { throw Object.assign(new TypeError('no card'), { expected: 1n, actual: 2n }); });
  it('ships', () => {});
});`;
const retries = `it('is slow at first', function () { this.retries(1); if (this.test.currentRetry() === 0) throw 'cold'; });`;

describe('the post of a suite as a shard', () => {
  const server = ownServer();
  let folder: string;
  let ledger: OwnLedger;
  let results: (run: string) => Promise<any[]>;
  beforeEach(async () => {
    folder = await realpath(await mkdtemp(join(tmpdir(), 'testledger-shard-')));
    const { api, project } = await givenCommands(server);
    ledger = { url: server.url, apiKey: api.key!, project, runKey: 'gate 7' };
    results = async (run) => (await api.get(`/v1/test-runs/${run}/results?per_page=100`)).body.data;
  });
  afterEach(() => rm(folder, { recursive: true }));

  async function run(index: number, bodies: readonly string[], times = 1): Promise<string> {
    const lines: string[] = [];
    for (const [n, body] of bodies.entries()) await writeFile(join(folder, `${index}.${n}.cjs`), body);
    const suite = { config: '.mocharc.json', spec: [`${folder}/${index}.*.cjs`], ignore: [] };
    await runSuite(suite, {
      lanes: 2,
      print: (line) => lines.push(line),
      async post(events) {
        for (let n = 0; n < times; n += 1) await postShard(events, { index, total: 2 }, ledger);
      },
    });
    return lines.join('\n');
  }

  it('makes one run of two suites, with as many results as mocha counts', async () => {
    const printed = await run(1, [passes, fails]);
    expect((await readOwnRun(ledger))!.status).to.equal('running');
    expect(printed)
      .to.match(/3 passing/)
      .and.match(/1 failing/);
    await run(2, [passes]);
    const read = await readOwnRun(ledger);
    expect(read).to.deep.include({ status: 'completed', outcome: 'failed' });
    expect(read!.counts).to.include({ total: 6, passed: 5, failed: 1 });
    expect(read!.shards!.received.map((shard) => shard.results)).to.deep.equal([4, 2]);
    const failed = (await results(read!.id)).find(({ status }) => status === 'failed');
    expect(failed).to.include({ name: 'cart › pays', suite: 'cart', error_message: 'no card' });
    expect(failed.error).to.include({ type: 'TypeError', expected: '1n', actual: '2n' });
  });

  it('adds nothing when a shard is posted again', async () => {
    await run(1, [passes, fails], 3);
    const read = await readOwnRun(ledger);
    expect(read!.counts).to.include({ total: 4, passed: 3, failed: 1 });
    expect(read!.shards!.received).to.have.length(1);
  });

  it('posts a repeated test as attempts, of which one counts', async () => {
    await run(1, [retries]);
    const read = await readOwnRun(ledger);
    const posted = (await results(read!.id)).map(({ status, attempt }) => [status, attempt]);
    expect(posted).to.have.deep.members([
      ['failed', 1],
      ['passed', 2],
    ]);
  });

  it('fails the suite where the server is away', async () => {
    await server.stop();
    const printed = await run(1, [passes]);
    expect(printed).to.match(/✖ /);
  });
});
