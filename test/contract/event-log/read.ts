import { expect } from 'chai';
import { START, streamName, type Category, type Position } from '../../../src/domain/event.js';
import { hasEvent } from '../../../src/log/has-event.js';
import type { EventFilter } from '../../../src/ports/event-log.js';
import type { Subject } from './subject.js';
import { ids, mistake, newEvent, newEvents, newTeam, readToEnd, refusal } from './events.js';

export function readingContract(subject: Subject): void {
  describe('reading a stream', () => {
    const newStream = () => streamName('result', newTeam(), 'result_1');
    const revisions = async (...call: Parameters<Subject['log']['readStream']>) =>
      (await subject.log.readStream(...call)).events.map(({ revision }) => revision);

    it('finds nothing in a stream without events', async () => {
      expect((await subject.log.readStream(newStream())).events).to.deep.equal([]);
      expect((await subject.log.readStream(newStream(), { direction: 'backwards' })).events).to.deep.equal(
        [],
      );
    });

    it('reads from a revision on, that one included, in both directions', async () => {
      const stream = newStream();
      await subject.log.append(stream, 'none', newEvents(5));
      expect(await revisions(stream)).to.deep.equal([0, 1, 2, 3, 4]);
      expect(await revisions(stream, { from: 2 })).to.deep.equal([2, 3, 4]);
      expect(await revisions(stream, { from: 1, limit: 2 })).to.deep.equal([1, 2]);
      expect(await revisions(stream, { from: 5 })).to.deep.equal([]);
      expect(await revisions(stream, { direction: 'backwards' })).to.deep.equal([4, 3, 2, 1, 0]);
      expect(await revisions(stream, { direction: 'backwards', limit: 2 })).to.deep.equal([4, 3]);
      expect(await revisions(stream, { direction: 'backwards', from: 1 })).to.deep.equal([1, 0]);
    });

    it('reads 1,000 events per page, and fewer only at the end', async () => {
      const stream = newStream();
      for (let at = 0; at < 5; at += 1) await subject.log.append(stream, 'any', newEvents(250));
      expect(await revisions(stream)).to.deep.equal(Array.from({ length: 1000 }, (_, index) => index));
      expect(await revisions(stream, { from: 1000 })).to.have.length(250);
      expect((await revisions(stream, { direction: 'backwards' })).at(-1)).to.equal(250);
      expect(await revisions(stream, { limit: 1200 })).to.have.length(1200);
    });

    it('sees what was appended before the call', async () => {
      const stream = newStream();
      for (let revision = 0; revision < 50; revision += 1) {
        await subject.log.append(stream, 'any', [newEvent()]);
        expect(await revisions(stream, { direction: 'backwards', limit: 1 })).to.deep.equal([revision]);
      }
    });

    it('keeps streams apart whose names begin alike', async () => {
      const team = newTeam();
      await subject.log.append(streamName('run', team, 'run_1'), 'none', newEvents(1));
      await subject.log.append(streamName('run', team, 'run_11'), 'none', newEvents(2));
      expect(await revisions(streamName('run', team, 'run_1'))).to.deep.equal([0]);
    });
  });

  describe('reading the whole log', () => {
    it('gives every event once and in log order, with pages of any size', async () => {
      const team = newTeam();
      const after = await subject.log.head();
      const streams = ['a', 'b', 'c'].map((id) => streamName('run', team, id));
      for (let round = 0; round < 10; round += 1) {
        for (const stream of streams) await subject.log.append(stream, 'any', newEvents(2));
      }
      const whole = (await readToEnd(subject.log, { after })).events;
      expect(whole).to.have.length(60);
      expect(whole.map(({ position }) => position)).to.deep.equal(
        [...new Set(whole.map(({ position }) => position))].sort(),
      );
      for (const limit of [1, 7, 30, 60, 61]) {
        const { events, pages } = await readToEnd(subject.log, { after, limit });
        expect(events).to.deep.equal(whole);
        for (const page of pages) expect(page.events.length).to.be.at.most(limit);
      }
      for (const stream of streams) {
        const own = whole.filter((event) => event.stream === stream);
        expect(own).to.deep.equal((await subject.log.readStream(stream)).events);
      }
    });

    it('ends a page of large events early, and loses none of them', async () => {
      const team = newTeam();
      const after = await subject.log.head();
      const large = 'x'.repeat(64 * 1024);
      for (let n = 0; n < 30; n += 1) {
        const events = Array.from({ length: 15 }, () => newEvent({ large }));
        await subject.log.append(streamName('run', team, `${n}`), 'none', events);
      }
      const filter = { streams: [`run-${team}.`] };
      const first = await subject.log.readAll({ after, filter, limit: 2_000 });
      expect(first.events.length).to.be.within(1, 400);
      expect(first.caughtUp).to.equal(false);
      expect((await readToEnd(subject.log, { after, filter, limit: 2_000 })).events).to.have.length(450);
    });

    it('reads large events among small ones in their order, each as it was appended', async () => {
      const team = newTeam();
      const stream = streamName('run', team, 'run_1');
      const after = await subject.log.head();
      const texts = Array.from(
        { length: 40 },
        (_, n) => `${n} "é\u2028\\${'"ü'.repeat(n % 4 === 3 ? 20_000 : n)}`,
      );
      for (const text of texts) await subject.log.append(stream, 'any', [newEvent({ text })]);
      const filters = [{ streams: [`run-${team}.`] }, { streams: ['run-'] }, { types: [newEvent().type] }];
      for (const filter of filters) {
        for (const limit of [1, 7, 2_000]) {
          const { events } = await readToEnd(subject.log, { after, filter, limit });
          const own = events.filter((event) => event.stream === stream);
          expect(own.map(({ data }) => (data as { text: string }).text)).to.deep.equal(texts);
          expect(own.map(({ position }) => position)).to.deep.equal(
            own.map(({ position }) => position).sort(),
          );
        }
      }
    });

    it('answers with an empty page at the head: caught up, at the same position', async () => {
      await subject.log.append(streamName('run', newTeam(), 'run_1'), 'none', newEvents(1));
      const after = await subject.log.head();
      expect(await subject.log.readAll({ after })).to.deep.equal({
        events: [],
        position: after,
        caughtUp: true,
      });
    });

    it('covers with the position also what the filter leaves out', async () => {
      const after = await subject.log.head();
      await subject.log.append(streamName('result', newTeam(), 'result_1'), 'none', newEvents(5));
      const { events, pages } = await readToEnd(subject.log, {
        after,
        filter: { streams: [`run-${newTeam()}.`] },
      });
      expect(events).to.deep.equal([]);
      expect(pages.at(-1)?.position).to.equal(await subject.log.head());
    });

    it('goes on without a gap or an event twice after the position of any page', async () => {
      const team = newTeam();
      const after = await subject.log.head();
      const filter = { streams: [`run-${team}.`] };
      for (let round = 0; round < 10; round += 1) {
        await subject.log.append(streamName('run', team, 'run_1'), 'any', newEvents(1));
        await subject.log.append(streamName('result', team, 'result_1'), 'any', newEvents(3));
      }
      const { events, pages } = await readToEnd(subject.log, { after, filter, limit: 3 });
      expect(events).to.have.length(10);
      let before = 0;
      for (const page of pages) {
        before += page.events.length;
        const rest = await readToEnd(subject.log, { after: page.position, filter });
        expect(ids(rest.events)).to.deep.equal(ids(events.slice(before)));
      }
    });

    describe('inclusive', () => {
      async function given() {
        const team = newTeam();
        const filter = { streams: [`run-${team}.`, `result-${team}.`] };
        const [run, result] = [streamName('run', team, 'run_1'), streamName('result', team, 'result_1')];
        for (let round = 0; round < 3; round += 1) {
          await subject.log.append(run, 'any', newEvents(2, 'RunStarted'));
          await subject.log.append(result, 'any', newEvents(1));
        }
        const { events } = await readToEnd(subject.log, { after: START, filter });
        return { team, filter, events };
      }

      it('gives the event at the position too, first', async () => {
        const { events, filter } = await given();
        for (const [at, { position: after }] of events.entries()) {
          for (const limit of [1, 2, 100]) {
            const page = await subject.log.readAll({ after, inclusive: true, limit, filter });
            expect(page.events).to.deep.equal(events.slice(at, at + limit));
            const rest = await readToEnd(subject.log, { after: page.position, filter });
            expect(rest.events).to.deep.equal(events.slice(at + page.events.length));
          }
        }
      });

      it('leaves that event out where the filter does', async () => {
        const { events, filter, team } = await given();
        const ofRun = events.filter(({ stream }) => stream.startsWith('run-'));
        const of = async (at: number, wanted: EventFilter) =>
          (
            await subject.log.readAll({
              after: events[at]!.position,
              inclusive: true,
              limit: 100,
              filter: wanted,
            })
          ).events;
        expect(await of(2, { streams: [`run-${team}.`] })).to.deep.equal(ofRun.slice(2));
        expect(await of(2, { ...filter, types: ['RunStarted'] })).to.deep.equal(ofRun.slice(2));
        expect(await of(3, { ...filter, types: ['RunStarted'] })).to.deep.equal(ofRun.slice(2));
      });

      it('has caught up at the newest event, and at START adds nothing before the first event', async () => {
        const { events, filter } = await given();
        const after = events.at(-1)!.position;
        const page = await subject.log.readAll({ after, inclusive: true, filter });
        expect(page).to.deep.equal({ events: events.slice(-1), position: page.position, caughtUp: true });
        expect(page.position >= after).to.equal(true);
        const first = await subject.log.readAll({ after: START, inclusive: true, limit: 1 });
        expect(first.events).to.deep.equal((await subject.log.readAll({ after: START, limit: 1 })).events);
      });
    });

    it('knows each event at its position, and no other one there, beside it or beyond the head', async () => {
      const stream = streamName('result', newTeam(), 'result_1');
      await subject.log.append(stream, 'none', newEvents(3));
      const { events } = await subject.log.readStream(stream);
      const beside = (position: Position, by: bigint) => String(BigInt(position) + by).padStart(20, '0');
      for (const { position, id } of events) {
        expect(await hasEvent(subject.log, { position, id })).to.equal(true);
        const moved = [beside(position, 1n), beside(position, 1_000_000n)];
        for (const other of moved)
          expect(await hasEvent(subject.log, { position: other, id })).to.equal(false);
      }
      const [first, second] = events;
      expect(await hasEvent(subject.log, { position: first!.position, id: second!.id })).to.equal(false);
    });

    it('throws a plain error for a wrong filter or limit, and `not_a_position` for a text that is no position', async () => {
      await mistake(() => subject.log.readAll({ after: START, filter: { streams: ['run'] } }));
      await mistake(() => subject.log.readAll({ after: START, filter: { streams: ['run-team'] } }));
      await refusal(subject.log.readAll({ after: 'yesterday' }), 'not_a_position');
      await mistake(() => subject.log.readAll({ after: START, limit: 0 }));
    });
  });

  describe('a filter', () => {
    // The second team's name begins with the first one's.
    const team = newTeam();
    const longer = `${team}2`;
    const categories: Category[] = ['team', 'project', 'run', 'items', 'result'];
    let after = START;
    before(async () => {
      after = await subject.log.head();
      for (const category of categories) {
        for (const each of [team, longer]) {
          await subject.log.append(streamName(category, each, 'x'), 'none', [
            newEvent({}, 'Created'),
            newEvent({}, 'Described'),
          ]);
        }
      }
    });

    const all = categories.flatMap((category) =>
      [team, longer].flatMap((each) =>
        ['Created', 'Described'].map((type) => ({
          name: `${category}-${each}.x`,
          category,
          team: each,
          type,
        })),
      ),
    );
    type Made = (typeof all)[number];
    const cases: [title: string, EventFilter, (made: Made) => boolean][] = [
      ['without restriction lets all through', {}, () => true],
      ['of a rare category', { streams: ['project-'] }, (made) => made.category === 'project'],
      ['of a frequent category', { streams: ['result-'] }, (made) => made.category === 'result'],
      [
        'of several rare categories',
        { streams: ['run-', 'team-', 'run-'] },
        (made) => made.category === 'run' || made.category === 'team',
      ],
      [
        'of rare and frequent categories',
        { streams: ['run-', 'items-'] },
        (made) => made.category === 'run' || made.category === 'items',
      ],
      [
        'of a category of one team, and not of a team whose name begins alike',
        { streams: [`run-${team}.`] },
        (made) => made.category === 'run' && made.team === team,
      ],
      [
        'of several categories of one team',
        { streams: [`result-${longer}.`, `team-${longer}.`] },
        (made) => (made.category === 'result' || made.category === 'team') && made.team === longer,
      ],
      [
        'of categories of several teams',
        { streams: [`run-${team}.`, `project-${longer}.`, `result-${longer}.`] },
        ({ name }) => [`run-${team}.x`, `project-${longer}.x`, `result-${longer}.x`].includes(name),
      ],
      [
        'of rare categories of several teams',
        { streams: [`run-${team}.`, `project-${longer}.`] },
        ({ name }) => [`run-${team}.x`, `project-${longer}.x`].includes(name),
      ],
      [
        'of a category of one team and another of all teams',
        { streams: [`result-${team}.`, 'run-'] },
        (made) => made.category === 'run' || made.name === `result-${team}.x`,
      ],
      ['of types', { types: ['Described', 'Unheard'] }, (made) => made.type === 'Described'],
      [
        'of types in a frequent category',
        { streams: ['result-'], types: ['Created'] },
        (made) => made.category === 'result' && made.type === 'Created',
      ],
      [
        'of types in rare categories',
        { streams: ['team-', 'run-'], types: ['Created'] },
        (made) => ['team', 'run'].includes(made.category) && made.type === 'Created',
      ],
      [
        'of types in categories of one team',
        { streams: [`team-${team}.`, `items-${team}.`], types: ['Described'] },
        (made) =>
          ['team', 'items'].includes(made.category) && made.team === team && made.type === 'Described',
      ],
      ['of an unknown team', { streams: [`run-${newTeam()}.`] }, () => false],
      ['of no stream lets nothing through', { streams: [] }, () => false],
      ['of no type lets nothing through', { types: [] }, () => false],
    ];

    for (const [title, filter, wanted] of cases) {
      it(title, async () => {
        const expected = all.filter(wanted).map(({ name, type }) => `${name} ${type}`);
        for (const limit of [1, 3, 1000]) {
          const { events } = await readToEnd(subject.log, { after, filter, limit });
          // Other tests append meanwhile, so this one compares the events of its own teams only.
          const own = events.filter(({ stream }) => stream.includes(team));
          expect(own.map(({ stream, type }) => `${stream} ${type}`)).to.deep.equal(expected);
        }
      });
    }
  });
}
