/**
 * The stand-in is useful only if it behaves like the real server. So it runs the scenarios that were recorded on real
 * servers, and every answer must be the recorded one.
 */
import { EventStoreDBClient, jsonEvent, NO_STREAM, StreamNotFoundError } from '@eventstore/db-client';
import { expect } from 'chai';
import { execFile, type ExecFileException } from 'node:child_process';
import { existsSync } from 'node:fs';
import { mkdtemp, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { until } from '../kit/process.js';
import { standInScript, startStandIn, type StandIn, type StandInOptions } from './esdb.js';
import type { Like } from './esdb/release.js';
import { freePort } from '../kit/free-port.js';

const RECORDING_LIMIT_MS = 240_000;

const repository = fileURLToPath(new URL('../../../', import.meta.url));
const recorder = join(repository, 'test/stack/esdb/recorded/behaviour.mjs');
const comparer = join(repository, 'test/stack/esdb/recorded/compare.mjs');

describe('the EventStoreDB stand-in', function () {
  this.timeout(RECORDING_LIMIT_MS + 30_000);
  let folder = '';
  const after: (() => Promise<void>)[] = [];
  beforeEach(async () => {
    folder = await mkdtemp(join(tmpdir(), 'testledger-stand-in-'));
  });
  afterEach(async () => {
    for (const end of after.splice(0).toReversed()) await end();
    await rm(folder, { recursive: true });
  });

  async function started(options: StandInOptions = {}): Promise<StandIn> {
    const server = await startStandIn(options);
    after.push(server.stop);
    return server;
  }

  /**
   * Records the scenarios on the stand-in, which takes some 40 s, mostly of waiting. `others`: the scenarios that it does not
   * have as recorded.
   */
  async function expectAsRecorded(like: Like, others: readonly RegExp[] = []): Promise<void> {
    const port = await freePort();
    const server = `'${process.execPath}' '${standInScript}' --port ${port} --data '${folder}/${like}' --like ${like}`;
    const url = `esdb://127.0.0.1:${port}?tls=false`;
    const recorded = await node(recorder, url, '--server', server);
    expect(recorded.error, recorded.stderr).to.equal(null);
    const recording = join(folder, `recording-${like}.jsonl`);
    await writeFile(recording, recorded.stdout);

    const judged = await node(
      comparer,
      recording,
      join(repository, `test/stack/esdb/recorded/golden-${like}.jsonl`),
    );
    const lines = judged.stdout.trimEnd().split('\n');
    const differing = lines.filter((line) => line.startsWith('DIFFERENT '));
    const unwanted = differing.filter((line) => !others.some((other) => other.test(line)));
    expect(
      unwanted,
      `\n${lines.filter((line) => !line.startsWith('same ')).join('\n')}\n${judged.stderr}`,
    ).to.deep.equal([]);
    expect(lines.at(-1)).to.equal(`${78 - others.length} of 78 scenarios as the real server`);
  }

  function connected(url: string): EventStoreDBClient {
    const client = EventStoreDBClient.connectionString(url);
    after.push(client.dispose);
    return client;
  }

  it('answers like the recorded real servers of versions 26.0, 24.2 and 23.10', () =>
    Promise.all([
      // The reason in an error about a position tells what the bytes of the real server's file are there.
      expectAsRecorded('26.0', [/ 45 readAll from a position that is no event/]),
      expectAsRecorded('24.2'),
      expectAsRecorded('23.10'),
    ]));

  it('keeps what it acknowledged, and its address, when it is killed and started again; leaves nothing when it is stopped', async () => {
    const server = await started();
    const client = connected(server.url);
    const event = jsonEvent({ type: 'Kept', data: { kept: true } });
    await client.appendToStream('kept', event, { expectedRevision: NO_STREAM });
    await server.kill();
    await server.start();

    const again = connected(server.url);
    expect(await idsOf(again, 'kept')).to.deep.equal([event.id]);
    await server.stop();
    expect(existsSync(server.folder)).to.equal(false);
  });

  it('stores an append before it answers late; a repeat in between is given up after 2 s, and stores nothing', async () => {
    // Time enough for a busy machine to see the event and to repeat the call.
    const server = await started({ answerAfterMs: 4_000 });
    const client = connected(server.url);
    const event = jsonEvent({ type: 'Late', data: {} });
    const append = () => client.appendToStream('late', event, { expectedRevision: NO_STREAM });
    let answered = false;
    const first = append().then((result) => {
      answered = true;
      return result;
    });
    await until('the event to be stored', async () => (await idsOf(client, 'late')).length === 1);
    expect(answered).to.equal(false);
    const repeat = await append().catch((error: unknown) => error);
    expect(repeat).to.include({ type: 'deadline-exceeded' });
    const answer = await first;
    expect(await append()).to.deep.equal(answer);
    expect(await idsOf(client, 'late')).to.deep.equal([event.id]);
  });
});

async function idsOf(client: EventStoreDBClient, stream: string): Promise<string[]> {
  const ids: string[] = [];
  try {
    for await (const { event } of client.readStream(stream)) ids.push(event!.id);
  } catch (error) {
    if (!(error instanceof StreamNotFoundError)) throw error;
  }
  return ids;
}

type Ended = { error: ExecFileException | null; stdout: string; stderr: string };

/** Runs a script in the repository, because the recorder loads the client from there. */
function node(script: string, ...args: string[]): Promise<Ended> {
  const options = { cwd: repository, timeout: RECORDING_LIMIT_MS, maxBuffer: 64 * 1024 * 1024 };
  return new Promise((resolve) => {
    execFile(process.execPath, [script, ...args], options, (error, stdout, stderr) =>
      resolve({ error, stdout, stderr }),
    );
  });
}
