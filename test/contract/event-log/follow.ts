import { expect } from 'chai';
import { getEventListeners } from 'node:events';
import { streamName, type Position } from '../../../src/domain/event.js';
import type { Subject } from './subject.js';
import { following, ids, mistake, newEvent, newEvents, newTeam, refusal, until } from './events.js';

export function followingContract(subject: Subject): void {
  describe('following', () => {
    let team: string;
    let stream: string;
    let after: Position;
    let filter: { streams: string[] };
    beforeEach(async () => {
      team = newTeam();
      stream = streamName('run', team, 'run_1');
      after = await subject.log.head();
      filter = { streams: [`run-${team}.`] };
    });
    const append = (count: number) => subject.log.append(stream, 'any', newEvents(count));

    it('gives all history, then each event as it is appended', async () => {
      await append(3);
      const follower = following(subject.log, { after, filter });
      await until('the history', () => follower.caughtUp());
      expect(follower.events()).to.have.length(3);
      for (let count = 4; count <= 20; count += 1) {
        const { position } = await append(1);
        await until('the new event', () => follower.events().length === count);
        expect(follower.position()).to.equal(position);
      }
      await follower.stop();
      expect(follower.events()).to.deep.equal((await subject.log.readStream(stream)).events);
    });

    it('says at once that it has caught up when there is nothing to give', async () => {
      const follower = following(subject.log, { after, filter });
      await until('the first batch', () => follower.batches.length > 0);
      await follower.stop();
      expect(follower.batches).to.deep.equal([{ events: [], position: after, caughtUp: true }]);
    });

    it('says that it has caught up only when it has', async () => {
      await append(25);
      const { position } = await append(25);
      const follower = following(subject.log, { after, filter, limit: 10 });
      await until('catching up', () => follower.caughtUp());
      await follower.stop();
      const first = follower.batches.findIndex(({ caughtUp }) => caughtUp);
      expect(follower.batches[first]?.position).to.equal(position);
      expect(follower.batches.slice(0, first + 1).flatMap(({ events }) => events)).to.have.length(50);
      for (const { events } of follower.batches) expect(events.length).to.be.at.most(10);
    });

    it('gives each event once and in log order while many callers append', async () => {
      const streams = Array.from({ length: 8 }, (_, index) => streamName('run', team, `run_${index}`));
      const follower = following(subject.log, { after, filter, limit: 50 });
      await Promise.all(
        streams.map(async (each) => {
          for (let round = 0; round < 25; round += 1) await subject.log.append(each, 'any', newEvents(2));
        }),
      );
      await until('all events', () => follower.events().length >= 400);
      await follower.stop();
      const positions = follower.events().map(({ position }) => position);
      expect(positions).to.deep.equal([...new Set(positions)].sort());
      expect(positions).to.have.length(400);
    });

    it('gives no event after the head, also before the append of the event is answered', async () => {
      const ended = new AbortController();
      const late: [event: string, head: string][] = [];
      let given = 0;
      const compare = async () => {
        for await (const { events } of subject.log.follow({ after, filter, signal: ended.signal })) {
          const head = await subject.log.head();
          late.push(
            ...events
              .filter(({ position }) => position > head)
              .map(({ position }) => [position, head] as [string, string]),
          );
          given += events.length;
        }
      };
      const compared = compare();
      for (let round = 0; round < 100; round += 1) {
        await Promise.all([append(1), append(1)]);
        await subject.log.head();
      }
      await until('all events', () => given >= 200);
      ended.abort();
      await compared;
      expect(late).to.deep.equal([]);
    });

    it('gives everything to each of several followers, wherever they start', async () => {
      const { position } = await append(5);
      const followers = [after, after, position].map((from) =>
        following(subject.log, { after: from, filter }),
      );
      await append(5);
      await until('all events', () =>
        followers.every((each) => each.events().length >= (each === followers[2] ? 5 : 10)),
      );
      await Promise.all(followers.map((each) => each.stop()));
      const all = ids((await subject.log.readStream(stream)).events);
      expect(followers.map((each) => ids(each.events()))).to.deep.equal([all, all, all.slice(5)]);
    });

    it('says within a second how far it has read, also when the filter leaves everything out', async () => {
      const follower = following(subject.log, { after, filter });
      await until('the first batch', () => follower.caughtUp());
      const began = performance.now();
      let leastMs = Infinity;
      for (let round = 0; round < 3; round += 1) {
        let position = after;
        for (let index = 0; index < 20; index += 1) {
          ({ position } = await subject.log.append(streamName('result', team, 'x'), 'any', newEvents(1)));
        }
        const appended = performance.now();
        await until('the position', () => follower.position() === position);
        leastMs = Math.min(leastMs, performance.now() - appended);
      }
      // In one of the rounds: the machine may be busy.
      expect(leastMs).to.be.below(1_000);
      await follower.stop();
      expect(follower.events()).to.deep.equal([]);
      // 60 events that the filter leaves out do not wake the consumer 60 times, unless they come as slowly as it is told.
      expect(follower.batches.length).to.be.below(Math.max(40, (performance.now() - began) / 50));
    });

    it('can go on after the position of any batch', async () => {
      const first = following(subject.log, { after, filter, limit: 3 });
      for (let round = 0; round < 5; round += 1) {
        await append(4);
        await subject.log.append(streamName('result', team, 'x'), 'any', newEvents(2));
      }
      await until('all events', () => first.events().length === 20);
      await first.stop();
      for (const [index, { position }] of first.batches.entries()) {
        const rest = following(subject.log, { after: position, filter });
        await until('the rest', () => rest.caughtUp());
        await rest.stop();
        const given = first.batches.slice(0, index + 1).flatMap(({ events }) => events);
        expect(ids([...given, ...rest.events()])).to.deep.equal(ids(first.events()));
      }
    });

    it('loses nothing for a slow consumer', async () => {
      await append(4);
      const swift = following(subject.log, { after, filter });
      const abort = new AbortController();
      const given: string[] = [];
      let stored = 4;
      for await (const { events } of subject.log.follow({ after, filter, limit: 3, signal: abort.signal })) {
        expect(events.length).to.be.at.most(3);
        given.push(...ids(events));
        if (stored < 30) {
          await append(5);
          stored += 5;
          // The other followers have the events before this consumer asks for more.
          await until('another follower to have it', () => swift.events().length === stored);
        }
        if (given.length === stored) abort.abort();
      }
      await swift.stop();
      expect(given).to.deep.equal(ids((await subject.log.readStream(stream)).events));
    });

    it('leaves no listener on the signal, however long it goes on', async () => {
      const abort = new AbortController();
      for await (const { events } of subject.log.follow({ after, filter, signal: abort.signal })) {
        const { revision } = await append(1);
        expect(getEventListeners(abort.signal, 'abort').length).to.be.below(5);
        if (events.length > 0 && revision >= 100) break;
      }
      expect(getEventListeners(abort.signal, 'abort')).to.deep.equal([]);
    });

    it('goes on after a restart of the log from its position', async () => {
      await append(3);
      const first = following(subject.log, { after, filter });
      await until('the history', () => first.caughtUp());
      await first.stop();
      await subject.reopen();
      const second = following(subject.log, { after: first.position(), filter });
      await append(2);
      await until('the new events', () => second.events().length === 2);
      await second.stop();
      expect([...first.events(), ...second.events()]).to.deep.equal(
        (await subject.log.readStream(stream)).events,
      );
    });

    it('ends at once, without an error, when it is aborted during a wait', async () => {
      let leastMs = Infinity;
      // Up to three times: the machine may be busy.
      for (let nth = 0; nth < 3 && leastMs >= 500; nth += 1) {
        const follower = following(subject.log, { after, filter });
        await until('waiting', () => follower.caughtUp());
        const start = performance.now();
        await follower.stop();
        leastMs = Math.min(leastMs, performance.now() - start);
      }
      expect(leastMs).to.be.below(500);
    });

    it('gives nothing after an abort, before the start or between two batches', async () => {
      await append(10);
      const abort = new AbortController();
      let batches = 0;
      for await (const _ of subject.log.follow({ after, filter, limit: 2, signal: abort.signal })) {
        batches += 1;
        if (batches === 2) abort.abort();
      }
      expect(batches).to.equal(2);
      for await (const _ of subject.log.follow({ after, filter, signal: abort.signal })) batches += 1;
      expect(batches).to.equal(2);
    });

    it('works as before after 500 early exits', async () => {
      await append(10);
      const signal = new AbortController().signal;
      for (let round = 0; round < 500; round += 1) {
        for await (const batch of subject.log.follow({ after, filter, limit: 2, signal })) {
          expect(batch.events).to.have.length(2);
          break;
        }
      }
      const follower = following(subject.log, { after, filter });
      await append(1);
      await until('all events', () => follower.events().length === 11);
      await follower.stop();
      expect((await subject.log.append(stream, 10, [newEvent()])).revision).to.equal(11);
    });

    it('throws a plain error for a wrong filter, and `not_a_position` for a text that is no position', async () => {
      const signal = new AbortController().signal;
      const firstOf = (options: { after: string; filter?: { streams: string[] } }) => async () => {
        for await (const batch of subject.log.follow({ ...options, signal })) return batch;
        return undefined;
      };
      await mistake(firstOf({ after, filter: { streams: ['run'] } }));
      await refusal(firstOf({ after: 'yesterday' })(), 'not_a_position');
    });
  });
}
