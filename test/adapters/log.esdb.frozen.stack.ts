import { expect } from 'chai';
import { spawn, type ChildProcess } from 'node:child_process';
import { once } from 'node:events';
import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import type { EventLog } from '../../src/core/ports.js';
import { START, streamName } from '../../src/domain/event.js';
import { isLedgerError } from '../../src/errors.js';
import { following, ids, newEvents, newTeam, refusal, until } from '../contract/event-log.events.js';
import { standInScript } from '../stack/esdb.js';
import { freePort } from '../stack/free-port.js';
import { openLogProcess } from './log.esdb.process.js';

const LIMIT_MS = 8_000;

/** A frozen server keeps its connections and answers nothing: the client alone would wait for 20 s and more. */
describe('the event log: EventStoreDB, when its server is frozen', function () {
  this.timeout(60_000);
  let folder: string;
  let url: string;
  let server: ChildProcess;
  before(async () => {
    folder = await mkdtemp(join(tmpdir(), 'testledger-esdb-'));
    const port = await freePort();
    url = `esdb://127.0.0.1:${port}?tls=false`;
    server = spawn(process.execPath, [standInScript, '--port', String(port), '--data', folder], {
      stdio: 'inherit',
    });
  });
  after(async () => {
    server.kill('SIGCONT');
    server.kill('SIGKILL');
    await once(server, 'exit');
    await rm(folder, { recursive: true });
  });

  /** The server may still be starting. */
  async function opened(): Promise<EventLog> {
    return (await openLogProcess(url)).log;
  }

  it('settles every call within its limit, and goes on when the server does', async () => {
    const log = await opened();
    const team = newTeam();
    const stream = streamName('run', team, 'x');
    await log.append(stream, 'none', newEvents(3));
    const follower = following(log, { after: START });
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
    for (const [what, call] of Object.entries(calls)) {
      await refusal(call, 'log_unavailable');
      expect(performance.now() - began, what).to.be.below(LIMIT_MS);
    }

    server.kill('SIGCONT');
    expect((await log.append(stream, 2, events)).revision).to.equal(4);
    await until('the events', () => follower.events().length === 5);
    await follower.stop();
    expect(ids(follower.events())).to.deep.equal(ids(await log.readStream(stream)));
    await log.close();
  });

  it('takes no harm from a server that was frozen before it had said its first word', async () => {
    const log = await opened();
    const team = newTeam();
    server.kill('SIGSTOP');
    // Not one append has been answered on this connection, so the client still has to ask how to append.
    const outcomes = newEvents(20).map((event, index) =>
      log
        .append(streamName('run', team, `r${index}`), 'any', [event])
        .catch((error: unknown) => isLedgerError(error, 'log_unavailable') || Promise.reject(error as Error)),
    );
    await Promise.all(outcomes);
    server.kill('SIGCONT');
    for (let index = 0; index < 20; index += 1) {
      const stream = streamName('run', team, `r${index}`);
      await log.append(stream, 'any', newEvents(1));
      expect((await log.readStream(stream)).length, 'stored twice').to.be.at.most(2);
    }
    await log.close();
  });
});
