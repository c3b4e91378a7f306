/**
 * The stand-in is worth as much as it is like the real server. So it plays the scenarios that were recorded on
 * real servers, and every answer must be the recorded one.
 */
import { EventStoreDBClient, jsonEvent, NO_STREAM } from '@eventstore/db-client';
import { expect } from 'chai';
import { execFile, type ExecFileException } from 'node:child_process';
import { existsSync } from 'node:fs';
import { mkdtemp, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { freePort, standInScript, startStandIn } from './esdb.js';

const RECORDING_LIMIT_MS = 240_000;

const repository = fileURLToPath(new URL('../../../', import.meta.url));
const recorder = join(repository, 'test/stack/esdb/behaviour.mjs');
const comparer = join(repository, 'test/stack/esdb/compare.mjs');

describe('the EventStoreDB stand-in', function () {
  this.timeout(RECORDING_LIMIT_MS + 30_000);
  let folder = '';
  beforeEach(async () => {
    folder = await mkdtemp(join(tmpdir(), 'testledger-stand-in-'));
  });
  afterEach(() => rm(folder, { recursive: true }));

  for (const like of ['24.2', '23.10'] as const) {
    it(`answers as the recorded real server of version ${like} in every scenario`, async () => {
      const port = await freePort();
      const server = `'${process.execPath}' '${standInScript}' --port ${port} --data '${folder}/data' --like ${like}`;
      const url = `esdb://127.0.0.1:${port}?tls=false`;
      const recorded = await node(recorder, url, '--server', server);
      expect(recorded.error, recorded.stderr).to.equal(null);
      const recording = join(folder, 'recording.jsonl');
      await writeFile(recording, recorded.stdout);

      const judged = await node(
        comparer,
        recording,
        join(repository, `test/stack/esdb/golden-${like}.jsonl`),
      );
      const lines = judged.stdout.trimEnd().split('\n');
      const differing = lines.filter((line) => !line.startsWith('same ')).slice(0, -1);
      expect(differing, `\n${differing.join('\n')}\n${judged.stderr}`).to.deep.equal([]);
      expect(lines.at(-1)).to.equal('78 of 78 scenarios as the real server');
      expect(judged.error).to.equal(null);
    });
  }

  it('killed and started again, has on the same address what it acknowledged; stopped, leaves nothing', async () => {
    const server = await startStandIn();
    const client = EventStoreDBClient.connectionString(server.url);
    const event = jsonEvent({ type: 'Kept', data: { kept: true } });
    await client.appendToStream('kept', event, { expectedRevision: NO_STREAM });
    await server.kill();
    await server.start();

    const again = EventStoreDBClient.connectionString(server.url);
    const ids: string[] = [];
    for await (const { event: read } of again.readStream('kept')) ids.push(read!.id);
    expect(ids).to.deep.equal([event.id]);
    await Promise.all([client.dispose(), again.dispose()]);
    await server.stop();
    expect(existsSync(server.folder)).to.equal(false);
  });
});

type Ended = { error: ExecFileException | null; stdout: string; stderr: string };

/** Runs a script in the repository, for the recorder loads the client from there. */
function node(script: string, ...args: string[]): Promise<Ended> {
  const options = { cwd: repository, timeout: RECORDING_LIMIT_MS, maxBuffer: 64 * 1024 * 1024 };
  return new Promise((resolve) => {
    execFile(process.execPath, [script, ...args], options, (error, stdout, stderr) =>
      resolve({ error, stdout, stderr }),
    );
  });
}
