import { expect } from 'chai';
import { streamName } from '../../../src/domain/event.js';
import type { EventLog } from '../../../src/ports/event-log.js';
import { eventLogContract } from '../../contract/event-log/contract.js';
import { following, ids, newEvents, newTeam, until } from '../../contract/event-log/events.js';
import { startStandIn } from '../../stack/esdb.js';
import type { StackServer } from '../../kit/stack-server.js';
import { openLogProcess } from './process.js';
import { eventsOf } from '../../stores.js';

// In a process of its own, because this process uses another server.
eventLogContract('EventStoreDB 23.10, as the stand-in has it', async () => {
  const server = await startStandIn({ like: '23.10' });
  let { log } = await openLogProcess(server.url);
  return {
    log,
    reopen: async () => {
      await log.close();
      return ({ log } = await openLogProcess(server.url)).log;
    },
    openBeside: async () => (await openLogProcess(server.url)).log,
    close: async () => {
      await log.close();
      await server.stop();
    },
  };
});

describe('the event log: EventStoreDB 23.10, which drops a live subscriber that falls behind', function () {
  let server: StackServer;
  let writer: EventLog;
  let reader: EventLog;
  before(async () => {
    server = await startStandIn({ like: '23.10' });
    ({ log: writer } = await openLogProcess(server.url));
    ({ log: reader } = await openLogProcess(server.url));
  });
  after(async () => {
    await writer.close();
    await reader.close();
    await server.stop();
  });

  it('gives each event once and in order under bursts, also to a slow consumer', async () => {
    const team = newTeam();
    const stream = streamName('run', team, 'x');
    const filter = { streams: [`run-${team}.`] };
    const after = await reader.head();
    const follower = following(reader, { after, filter });
    const slow: string[] = [];
    const abort = new AbortController();
    const consumed = (async () => {
      for await (const { events } of reader.follow({ after, filter, limit: 50, signal: abort.signal })) {
        slow.push(...ids(events));
        await until('the other one to be ahead', () => follower.events().length >= slow.length);
        if (slow.length === 20_000) abort.abort();
      }
    })();
    for (let call = 0; call < 40; call += 1) await writer.append(stream, 'any', newEvents(500));
    await consumed;
    await follower.stop();
    const stored = ids(await eventsOf(writer, stream));
    expect(stored).to.have.length(20_000);
    expect(slow).to.deep.equal(stored);
    expect(ids(follower.events())).to.deep.equal(stored);
    expect(await reader.head(team)).to.equal(
      (await writer.readStream(stream, { from: 19_999 })).events[0]?.position,
    );
  });
});
