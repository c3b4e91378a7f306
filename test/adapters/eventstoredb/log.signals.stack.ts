import { expect } from 'chai';
import { spawn, type ChildProcess } from 'node:child_process';
import { once } from 'node:events';
import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import type { EventLog } from '../../../src/ports/event-log.js';
import { START, streamName } from '../../../src/domain/event.js';
import { isAppError } from '../../../src/errors.js';
import { following, ids, newEvents, newTeam, refusal, until } from '../../contract/event-log/events.js';
import { standInScript } from '../../stack/esdb.js';
import { freePort } from '../../kit/free-port.js';
import { openLogProcess } from './process.js';
import { eventsOf } from '../../stores.js';

/** A call tries for 5 s, and the last try takes its time. The client alone would wait for 20 s or more. */
const LIMIT_MS = 15_000;

describe('the event log: EventStoreDB, when its server gets signals', function () {
  let folder: string;
  let port: number;
  let url: string;
  let server: ChildProcess;
  before(async () => {
    folder = await mkdtemp(join(tmpdir(), 'testledger-esdb-'));
    port = await freePort();
    url = `esdb://127.0.0.1:${port}?tls=false`;
    start();
  });
  after(async () => {
    server.kill('SIGCONT');
    await end('SIGKILL');
    await rm(folder, { recursive: true });
  });

  function start(): void {
    const args = [standInScript, '--port', String(port), '--data', folder];
    server = spawn(process.execPath, args, { stdio: 'inherit' });
  }

  async function end(signal: NodeJS.Signals): Promise<void> {
    const exit = once(server, 'exit');
    server.kill(signal);
    await exit;
  }

  /** Waits for a server that is still starting. */
  async function opened(): Promise<EventLog> {
    return (await openLogProcess(url)).log;
  }

  it('stores every append once while the server stops and starts in an orderly way', async () => {
    const log = await opened();
    const team = newTeam();
    let answered = 0;
    let stopping = false;
    const writers = Array.from({ length: 8 }, async (_, writer) => {
      let revision = -1;
      while (!stopping) {
        const expected = revision === -1 ? 'none' : revision;
        ({ revision } = await log.append(streamName('run', team, `w${writer}`), expected, newEvents(2)));
        answered += 1;
      }
      return revision;
    });
    await until('appends', () => answered > 100);
    await end('SIGTERM');
    start();
    const before = answered;
    await until('more appends', () => answered > before + 100);
    stopping = true;
    for (const [writer, revision] of (await Promise.all(writers)).entries()) {
      const stored = await eventsOf(log, streamName('run', team, `w${writer}`));
      expect(stored).to.have.length(revision + 1);
      expect(new Set(ids(stored)).size).to.equal(stored.length);
    }
    await log.close();
  });

  // A frozen server keeps its connections and answers nothing.
  it('settles every call within its limit while the server is frozen, and goes on when it runs again', async () => {
    const log = await opened();
    const team = newTeam();
    const stream = streamName('run', team, 'x');
    const follower = following(log, { after: await log.head() });
    await log.append(stream, 'none', newEvents(3));
    await until('the events', () => follower.events().length === 3);

    server.kill('SIGSTOP');
    const events = newEvents(2);
    const began = performance.now();
    const calls = {
      append: log.append(stream, 2, events),
      readStream: log.readStream(stream),
      readAll: log.readAll({ after: START }),
      head: log.head(),
      'head of a team': log.head(team),
    };
    const settled = Object.entries(calls).map(async ([what, call]) => {
      await refusal(call, 'log_unavailable');
      expect(performance.now() - began, what).to.be.below(LIMIT_MS);
    });
    await Promise.all(settled);

    server.kill('SIGCONT');
    expect((await log.append(stream, 2, events)).revision).to.equal(4);
    await until('the events', () => follower.events().length === 5);
    await follower.stop();
    expect(ids(follower.events())).to.deep.equal(ids((await log.readStream(stream)).events));
    await log.close();
  });

  it('works when the server was frozen before its first answer', async () => {
    const log = await opened();
    const team = newTeam();
    server.kill('SIGSTOP');
    // No append has been answered on this connection, so the client still has to ask for the kinds of append.
    const outcomes = newEvents(20).map((event, index) =>
      log
        .append(streamName('run', team, `r${index}`), 'any', [event])
        .catch((error: unknown) => isAppError(error, 'log_unavailable') || Promise.reject(error as Error)),
    );
    await Promise.all(outcomes);
    server.kill('SIGCONT');
    for (let index = 0; index < 20; index += 1) {
      const stream = streamName('run', team, `r${index}`);
      await log.append(stream, 'any', newEvents(1));
      expect((await log.readStream(stream)).events.length, 'stored twice').to.be.at.most(2);
    }
    await log.close();
  });
});
