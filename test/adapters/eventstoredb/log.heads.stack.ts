import { expect } from 'chai';
import { openEsdbLog } from '../../../src/adapters/eventstoredb/log.js';
import type { EventLog } from '../../../src/ports/event-log.js';
import { START, streamName } from '../../../src/domain/event.js';
import { following, newEvents, newTeam, until } from '../../contract/event-log/events.js';
import { openLogProcess } from './process.js';
import { inNewNamespace, sharedServer } from './test-url.js';

describe('the event log: EventStoreDB, in two processes', function () {
  let url: string;
  let log: EventLog;
  let other: EventLog;
  before(async () => {
    url = inNewNamespace(sharedServer());
    log = await openEsdbLog({ url });
    ({ log: other } = await openLogProcess(url));
  });
  after(async () => {
    await other.close();
    await log.close();
  });

  it('has a head that includes every append that was answered to the other process', async () => {
    const teams = Array.from({ length: 5 }, newTeam);
    for (let round = 0; round < 100; round += 1) {
      const team = teams[round % teams.length]!;
      const { position } = await other.append(streamName('run', team, 'x'), 'any', newEvents(2));
      const [all, own] = await Promise.all([log.head(), log.head(team)]);
      expect([all, own]).to.deep.equal([position, position]);
    }
  });

  it('shares no read of the head that began before the answer to the other process', async () => {
    const team = newTeam();
    let position = START;
    let stopping = false;
    // Reads of the head are under way at all times.
    const asking = Array.from({ length: 8 }, async () => {
      while (!stopping) await log.head(team);
    });
    for (let round = 0; round < 100; round += 1) {
      ({ position } = await other.append(streamName('run', team, 'x'), 'any', newEvents(1)));
      expect(await log.head(team)).to.equal(position);
    }
    stopping = true;
    await Promise.all(asking);
  });

  it('reads a stream up to the last append that was answered to the other process, also after many empty reads', async () => {
    const stream = streamName('run', newTeam(), 'x');
    let from = 0;
    for (let round = 0; round < 50; round += 1) {
      for (let again = 0; again < 3; again += 1) {
        expect((await log.readStream(stream, { from })).events).to.deep.equal([]);
      }
      await other.append(stream, from === 0 ? 'none' : from - 1, newEvents(2));
      // The first may not share a read of the log's head that began before the answer.
      const [first, second] = await Promise.all([
        log.readStream(stream, { from }),
        log.readStream(stream, { from: from + 1 }),
      ]);
      expect(first.events.map(({ revision }) => revision)).to.deep.equal([from, from + 1]);
      expect(second.events.map(({ revision }) => revision)).to.deep.equal([from + 1]);
      from += 2;
    }
  });

  it('knows the heads of teams that last wrote before it was opened', async () => {
    const [early, silent] = [newTeam(), newTeam()];
    const { position: first } = await log.append(streamName('project', early, 'x'), 'none', newEvents(3));
    const { position: last } = await log.append(streamName('run', newTeam(), 'x'), 'none', newEvents(3));
    const again = await openLogProcess(url);
    for (let round = 0; round < 2; round += 1) {
      expect(await again.log.head(early)).to.equal(first);
      expect(await again.log.head(silent)).to.equal(START);
      expect((await again.log.head(early, last)) <= last).to.equal(true);
      expect(await again.log.head(early, START)).to.equal(first);
    }
    const { position } = await log.append(streamName('run', silent, 'x'), 'none', newEvents(1));
    expect(await again.log.head(silent, last)).to.equal(position);
    expect(await again.log.head(silent)).to.equal(position);
    await again.log.close();
  });

  it('gives followers in one process what the other one appends', async () => {
    const team = newTeam();
    const filter = { streams: [`run-${team}.`] };
    const after = await log.head();
    const followers = [log, other].map((each) => following(each, { after, filter }));
    for (let round = 0; round < 20; round += 1) {
      for (const each of [log, other]) await each.append(streamName('run', team, 'x'), 'any', newEvents(3));
    }
    await until('all events', () => followers.every((each) => each.events().length >= 120));
    await Promise.all(followers.map((each) => each.stop()));
    const stored = (await log.readStream(streamName('run', team, 'x'))).events;
    for (const follower of followers) expect(follower.events()).to.deep.equal(stored);
  });
});
