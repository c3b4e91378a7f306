/** The pytest plugin: its own checks and tests, and whole sessions against this server. */
import { execFile } from 'node:child_process';
import { randomUUID } from 'node:crypto';
import { fileURLToPath } from 'node:url';
import { promisify } from 'node:util';
import { expect } from 'chai';
import { createClient, unwrap } from '../../src/client/index.js';
import { testServer } from '../kit/server.js';
import { ownLedger, readOwnRun, type OwnLedger } from '../own-run/ledger.js';

const script = fileURLToPath(new URL('../../../clients/pytest/test.sh', import.meta.url));
const run = promisify(execFile);
/** The first run also installs the tools from the package registry. */
const WITHIN_MS = 900_000;

describe('the pytest plugin', function () {
  this.timeout(WITHIN_MS);
  const server = testServer();

  /** A project of its own on the testledger of `.ci/run`; without that, on a server of this suite. */
  async function givenCommands(): Promise<OwnLedger> {
    const { url, apiKey, runKey } = ownLedger() ?? {
      url: server.url,
      apiKey: (await server.newTeam()).owner.key!,
      runKey: randomUUID(),
    };
    const client = createClient({ url, apiKey });
    const body = { name: 'pytest-testledger' };
    const { data } = await unwrap<{ data: { id: string } }>(client.POST('/v1/projects', { body }));
    return { url, apiKey, project: data.id, runKey };
  }

  it('passes its checks and its tests, on a real server too, and posts both sessions as shards of one run', async () => {
    const ledger = await givenCommands();
    const env = {
      ...process.env,
      OWN_LEDGER_URL: ledger.url,
      OWN_LEDGER_API_KEY: ledger.apiKey,
      OWN_LEDGER_PROJECT: ledger.project,
      OWN_LEDGER_RUN_KEY: ledger.runKey,
    };
    const { stdout } = await run(script, [], { env, timeout: WITHIN_MS, maxBuffer: 64 * 1024 * 1024 }).catch(
      (error: Error & { stdout?: string; stderr?: string }) => {
        throw new Error(`${error.message}\n${error.stdout}\n${error.stderr}`, { cause: error });
      },
    );
    const printed = [...stdout.matchAll(/^(\d+) passed in .*$/gm)].map(([, count]) => Number(count));
    expect(printed, stdout).to.have.length(2);
    const posted = await readOwnRun(ledger);
    expect(posted, stdout).to.deep.include({ status: 'completed', outcome: 'passed' });
    const total = printed[0]! + printed[1]!;
    expect(posted!.counts).to.include({ total, passed: total });
    expect(posted!.shards!.received.map(({ index, results }) => [index, results])).to.deep.equal([
      [1, printed[0]],
      [2, printed[1]],
    ]);
  });
});
