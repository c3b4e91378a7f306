import { expect } from 'chai';
import { START, streamName } from '../../../src/domain/event.js';
import type { Appended, EventLog } from '../../../src/ports/event-log.js';
import { isAppError, type AppError } from '../../../src/errors.js';
import {
  following,
  ids,
  newEvent,
  newEvents,
  newTeam,
  readToEnd,
  refusal,
  until,
} from '../../contract/event-log/events.js';
import { startStandIn } from '../../stack/esdb.js';
import type { StackServer } from '../../kit/stack-server.js';
import { openLogProcess } from './process.js';
import { eventsOf } from '../../stores.js';

/** A call tries for 5 s, and the last try takes its time. The client alone would wait for 20 s or more. */
const LIMIT_MS = 15_000;

/** Repeats the identical call after the log was away for longer than one call tries, as the port allows. */
async function repeated<T>(call: () => Promise<T>): Promise<T> {
  for (;;) {
    try {
      return await call();
    } catch (error) {
      if (!isAppError(error, 'log_unavailable')) throw error;
    }
  }
}

describe('the event log: EventStoreDB, when its server is lost', function () {
  let server: StackServer;
  let log: EventLog;
  beforeEach(async () => {
    server = await startStandIn();
    ({ log } = await openLogProcess(server.url));
  });
  afterEach(async () => {
    await log.close();
    await server.stop();
  });

  it('stores every append once that was under way when the server was killed, and answers it', async () => {
    const team = newTeam();
    const acknowledged: Appended[][] = [];
    let count = 0;
    let stopping = false;
    const writers = Array.from({ length: 32 }, async (_, writer) => {
      const own: Appended[] = (acknowledged[writer] = []);
      while (!stopping) {
        const at = own.at(-1)?.revision;
        const stream = streamName('run', team, `w${writer}`);
        const events = newEvents(3);
        own.push(await repeated(() => log.append(stream, at ?? 'none', events)));
        count += 1;
      }
    });
    for (const kill of [1, 2, 3]) {
      await until('appends', () => count > 300 * kill);
      await server.kill();
      await server.start();
    }
    stopping = true;
    await Promise.all(writers);
    for (const [writer, own] of acknowledged.entries()) {
      const stored = await eventsOf(log, streamName('run', team, `w${writer}`));
      expect(stored.map(({ revision }) => revision)).to.deep.equal(stored.map((_, index) => index));
      expect(new Set(ids(stored)).size).to.equal(stored.length);
      expect(stored).to.have.length(3 * own.length);
      expect(own).to.deep.equal(
        stored.flatMap(({ revision, position }) => (revision % 3 === 2 ? { revision, position } : [])),
      );
    }
  });

  it('stores every append once of more than the connection takes at once, when the server was killed', async () => {
    const team = newTeam();
    const text = 'x'.repeat(2_000);
    let answered = 0;
    const calls = Array.from({ length: 60 }, async (_, call) => {
      const stream = streamName('run', team, `large${call}`);
      const events = Array.from({ length: 200 }, (_, index) => newEvent({ index, text }));
      await repeated(() => log.append(stream, 'none', events));
      answered += 1;
    });
    const all = Promise.all(calls);
    await Promise.race([all, until('the first answers', () => answered > 3)]);
    await server.kill();
    await server.start();
    await all;
    for (const call of calls.keys()) {
      const stored = await eventsOf(log, streamName('run', team, `large${call}`));
      expect(stored).to.have.length(200);
    }
  });

  it('answers an append at `any`, or says that its outcome is unknown, and never stores an event twice', async () => {
    const team = newTeam();
    const stream = streamName('run', team, 'x');
    const events = newEvents(2_000);
    let settled = 0;
    const outcomes = events.map((event) =>
      log
        .append(stream, 'any', [event])
        .then(
          () => event.id,
          (error: unknown) => (isAppError(error, 'log_unavailable') ? null : Promise.reject(error as Error)),
        )
        .finally(() => (settled += 1)),
    );
    await until('the first answers', () => settled > 200);
    await server.kill();
    await server.start();
    const answered = (await Promise.all(outcomes)).filter((id) => id !== null);
    const stored = ids(await eventsOf(log, stream));
    expect(new Set(stored).size).to.equal(stored.length);
    expect(stored).to.include.members(answered);
    expect(answered.length).to.be.at.least(200);
  });

  it('finds out that an append of unknown outcome was stored, once, and answers it', async () => {
    const slow = await startStandIn({ answerAfterMs: 1_000 });
    const { log } = await openLogProcess(slow.url);
    const { log: witness } = await openLogProcess(slow.url);
    const team = newTeam();
    const streams = ['none', 'exact', 'any'].map((name) => streamName('run', team, name));
    const [none, exact, any] = streams as [string, string, string];
    await log.append(exact, 'none', newEvents(2));
    const calls = [
      log.append(none, 'none', newEvents(3)),
      log.append(exact, 1, newEvents(3)),
      log.append(any, 'any', newEvents(3)),
    ];
    let stored = 0;
    while (stored < 11) stored = (await readToEnd(witness, { after: START })).events.length;
    await slow.kill();
    await slow.start();
    const answers = await Promise.all(calls);
    for (const [index, stream] of streams.entries()) {
      const events = (await witness.readStream(stream)).events;
      expect(events).to.have.length(index === 1 ? 5 : 3);
      const { revision, position } = events.at(-1)!;
      expect(answers[index]).to.deep.equal({ revision, position });
    }
    await log.close();
    await witness.close();
    await slow.stop();
  });

  it('settles every call within its limit while the server is away, and goes on when it is back', async () => {
    const team = newTeam();
    const stream = streamName('run', team, 'x');
    const { position } = await log.append(stream, 'none', newEvents(3));
    const events = newEvents(1);
    await server.kill();
    const began = performance.now();
    const calls = {
      append: log.append(stream, 2, events),
      any: log.append(stream, 'any', newEvents(1)),
      readStream: log.readStream(stream),
      readAll: log.readAll({ after: START }),
      head: log.head(),
      'head of a team': log.head(team),
    };
    const settled = Object.entries(calls).map(async ([what, call]) => {
      const error = (await refusal(call, 'log_unavailable')) as AppError;
      expect(error.retryAfter, what).to.equal(2);
      expect(performance.now() - began, what).to.be.below(LIMIT_MS);
    });
    await Promise.all(settled);
    await server.start();
    expect(await log.head(team)).to.equal(position);
    expect((await log.append(stream, 2, events)).revision).to.equal(3);
    expect((await log.readStream(stream)).events).to.have.length(4);
  });

  it('gives each event once and in order to followers, through a kill and a restart', async () => {
    const team = newTeam();
    const filter = { streams: [`run-${team}.`] };
    const stream = streamName('run', team, 'x');
    await log.append(stream, 'none', newEvents(500));
    const followers = [following(log, { after: START, filter }), following(log, { after: START, limit: 7 })];
    for (let round = 0; round < 3; round += 1) {
      for (let at = 0; at < 50; at += 1) await log.append(stream, 499 + 50 * round + at, newEvents(1));
      await server.kill();
      const during = log.append(streamName('run', team, `r${round}`), 'none', newEvents(2));
      await server.start();
      await during;
    }
    await until('all events', () => followers.every((each) => each.events().length >= 656));
    await Promise.all(followers.map((each) => each.stop()));
    const { events } = await readToEnd(log, { after: START });
    expect(events).to.have.length(656);
    for (const follower of followers) expect(ids(follower.events())).to.deep.equal(ids(events));
  });

  it('goes on following after the server was away for longer than any call waits', async () => {
    const team = newTeam();
    const follower = following(log, { after: START });
    await until('catching up', () => follower.caughtUp());
    await server.kill();
    await refusal(log.head(), 'log_unavailable');
    await server.start();
    const { position } = await log.append(streamName('run', team, 'x'), 'none', newEvents(5));
    await until('the events', () => follower.position() === position);
    await follower.stop();
    expect(follower.events()).to.have.length(5);
  });
});
