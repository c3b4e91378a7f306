import { expect } from 'chai';
import { setImmediate } from 'node:timers/promises';
import { openEsdbLog } from '../../../src/adapters/eventstoredb/log.js';
import type { EventLog } from '../../../src/ports/event-log.js';
import { streamName, type Position } from '../../../src/domain/event.js';
import { following, ids, newEvents, newTeam, until } from '../../contract/event-log/events.js';
import { inNewNamespace, sharedServer } from './test-url.js';

/** A call that is abandoned stays open on the server, and after 100 of them nothing in a process works. */
describe('the event log: EventStoreDB, after 500 early exits', function () {
  const EXITS = 500;
  const AT_ONCE = 125;
  const team = newTeam();
  const stream = streamName('run', team, 'x');
  let log: EventLog;
  let start: Position;
  before(async () => {
    const url = inNewNamespace(sharedServer());
    const writer = await openEsdbLog({ url });
    // The server may be full of other events. Reading through them again and again is not what this tests.
    ({ position: start } = await writer.append(stream, 'none', newEvents(1)));
    for (let call = 0; call < 30; call += 1) await writer.append(stream, 'any', newEvents(100));
    // Opened afterwards, so that these events are history to it, and every page of them is a call.
    log = await openEsdbLog({ url });
    await writer.close();
  });
  after(() => log.close());
  afterEach(async () => {
    const follower = following(log, { after: start });
    const events = newEvents(1);
    const { revision } = await log.append(stream, 'any', events);
    await until('all events', () => follower.events().length === revision);
    await follower.stop();
    expect(ids((await log.readStream(stream, { from: revision })).events)).to.deep.equal(ids(events));
    expect((await log.readAll({ after: start, limit: 10 })).events).to.have.length(10);
  });

  it('from pages that are full before the log ends, it works as before', async () => {
    for (let exit = 0; exit < EXITS; exit += 1) {
      expect((await log.readAll({ after: start, limit: 3 })).events).to.have.length(3);
    }
  });

  it('from pages that many callers read at once, it works as before', async () => {
    // All of them at once would measure whether the server answers them within the limit of a call.
    for (let exit = 0; exit < EXITS; exit += AT_ONCE) {
      const pages = await Promise.all(
        Array.from({ length: AT_ONCE }, () => log.readAll({ after: start, limit: 2 })),
      );
      for (const { events } of pages) expect(events).to.have.length(2);
    }
  });

  it('of followers that stop in the middle of the history, it works as before', async () => {
    const { signal } = new AbortController();
    for (let exit = 0; exit < EXITS; exit += 1) {
      for await (const { events } of log.follow({ after: start, limit: 2, signal })) {
        expect(events).to.have.length(2);
        break;
      }
    }
  });

  it('of followers that are aborted while a page is read for them, it works as before', async () => {
    let early = 0;
    for (let exit = 0; exit < EXITS; exit += 1) {
      const abort = new AbortController();
      const batches = log.follow({ after: start, limit: 2, signal: abort.signal })[Symbol.asyncIterator]();
      const first = batches.next();
      // At another moment of the read each time.
      for (let turn = 0; turn < exit % 20; turn += 1) await setImmediate();
      abort.abort();
      if ((await first).done === true) early += 1;
      else expect((await batches.next()).done).to.equal(true);
    }
    // At least those that are aborted before the read has begun.
    expect(early).to.be.at.least(EXITS / 20);
  });

  it('of followers that are aborted while they wait, all at once, it works as before', async () => {
    const after = await log.head();
    const followers = Array.from({ length: EXITS }, () => following(log, { after }));
    await until('catching up', () => followers.every((each) => each.caughtUp()));
    await Promise.all(followers.map((each) => each.stop()));
  });
});
