import { expect } from 'chai';
import * as fc from 'fast-check';
import { streamName, type NewEvent } from '../../../src/domain/event.js';
import type { Subject } from './subject.js';
import { ids, mistake, newEvent, newEvents, newTeam, refusal } from './events.js';

export function appendingContract(subject: Subject): void {
  describe('appending', () => {
    const newStream = () => streamName('run', newTeam(), 'run_1');

    it('answers with the revision and position of the last event, and gives all events back as they were', async () => {
      const stream = newStream();
      const events = newEvents(3);
      const appended = await subject.log.append(stream, 'none', events);
      const stored = (await subject.log.readStream(stream)).events;
      expect(appended.revision).to.equal(2);
      expect(appended.position).to.match(/^\d{20}$/);
      expect(stored.at(-1)?.position).to.equal(appended.position);
      expect(stored).to.deep.equal(
        events.map((event, revision) => ({
          ...event,
          stream,
          revision,
          position: stored[revision]?.position,
        })),
      );
    });

    it('gives every event a position after all earlier events, also compared as text', async () => {
      const [one, other] = [newStream(), newStream()];
      await subject.log.append(one, 'none', newEvents(2));
      await subject.log.append(other, 'none', newEvents(2));
      await subject.log.append(one, 1, newEvents(2));
      const [first, second] = [
        (await subject.log.readStream(one)).events,
        (await subject.log.readStream(other)).events,
      ];
      const inOrder = [...first.slice(0, 2), ...second, ...first.slice(2)].map(({ position }) => position);
      expect(inOrder).to.deep.equal([...new Set(inOrder)].sort());
    });

    it('takes as many events and bytes at once as its limits say, and gives them all back', async () => {
      const { events: most, bytes } = subject.log.limits;
      expect(most).to.be.at.least(100);
      expect(bytes).to.be.at.least(500_000);
      for (const count of [1, most]) {
        const stream = newStream();
        const each = Math.floor(bytes / count);
        const events = Array.from({ length: count }, () => newEvent({ text: 'x'.repeat(each - 11) }));
        expect(Buffer.byteLength(JSON.stringify(events[0]!.data))).to.equal(each);
        const appended = await subject.log.append(stream, 'none', events);
        expect(appended.revision).to.equal(count - 1);
        expect(await subject.log.append(stream, 'none', events)).to.deep.equal(appended);
        const stored: string[] = [];
        while (stored.length < count) {
          const page = (await subject.log.readStream(stream, { from: stored.length, limit: 1_000 })).events;
          for (const { id, data } of page) {
            expect((data as { text: string }).text).to.have.length(each - 11);
            stored.push(id);
          }
        }
        expect(stored).to.deep.equal(ids(events));
      }
    });

    it('takes data that is JSON text already, whatever the event says otherwise', async () => {
      const stream = newStream();
      const data = { text: 'é😀', list: [1, { two: 2.5 }], none: null };
      const written = { ...newEvent(undefined), json: JSON.stringify(data) };
      const usual = newEvent(data);
      await subject.log.append(stream, 'none', [written, usual]);
      const stored = (await subject.log.readStream(stream)).events;
      expect(stored.map((event) => event.data)).to.deep.equal([data, data]);
      expect(stored.map((event) => Object.keys(event).sort())).to.deep.equal(
        Array.from({ length: 2 }, () => Object.keys(stored[1]!).sort()),
      );
      expect(stored[0]).to.not.have.property('json');
      expect((await subject.log.append(stream, 'none', [written, usual])).revision).to.equal(1);
    });

    it('takes appends from a second opening too, unless it has a single writer', async () => {
      const stream = newStream();
      const beside = await subject.openBeside();
      try {
        expect(beside.singleWriter).to.equal(subject.log.singleWriter);
        const append = () => beside.append(stream, 'none', newEvents(1));
        if (beside.singleWriter) await mistake(append);
        else await append();
        const stored = (await subject.log.readStream(stream)).events;
        expect(stored).to.have.length(beside.singleWriter ? 0 : 1);
        expect((await beside.readStream(stream)).events).to.deep.equal(stored);
      } finally {
        await beside.close();
      }
    });

    for (const [expected, start] of [
      ['none', 0],
      [0, 1],
    ] as const) {
      it(`lets exactly one of 10 simultaneous appends at ${expected} succeed`, async () => {
        const stream = newStream();
        if (start > 0) await subject.log.append(stream, 'none', newEvents(start));
        const events = newEvents(10);
        const outcomes = await Promise.allSettled(
          events.map((event) => subject.log.append(stream, expected, [event])),
        );
        const winners = events.filter((_, index) => outcomes[index]?.status === 'fulfilled');
        expect(winners).to.have.length(1);
        for (const outcome of outcomes.filter(({ status }) => status === 'rejected')) {
          await refusal(Promise.reject((outcome as PromiseRejectedResult).reason), 'wrong_revision');
        }
        expect(ids((await subject.log.readStream(stream)).events.slice(start))).to.deep.equal(ids(winners));
      });
    }

    it('does not let a conflict disturb simultaneous appends to other streams', async () => {
      const [contested, ...others] = Array.from({ length: 21 }, newStream);
      const refused = [1, 2].map(() => subject.log.append(contested!, 7, newEvents(2)));
      const accepted = others.map((stream) => subject.log.append(stream, 'none', newEvents(2)));
      await Promise.all(refused.map((each) => refusal(each, 'wrong_revision')));
      for (const { revision } of await Promise.all(accepted)) expect(revision).to.equal(1);
    });

    it('keeps the order of calls that are not awaited', async () => {
      const stream = newStream();
      const events = newEvents(100);
      const appended = await Promise.all(events.map((event) => subject.log.append(stream, 'any', [event])));
      expect(appended.map(({ revision }) => revision)).to.deep.equal(events.map((_, index) => index));
      expect(ids((await subject.log.readStream(stream)).events)).to.deep.equal(ids(events));
    });

    it('takes 100 calls in a row that each expect the revision of the one before', async () => {
      const stream = newStream();
      const calls = newEvents(100).map((event, index) =>
        subject.log.append(stream, index === 0 ? 'none' : index - 1, [event]),
      );
      expect((await Promise.all(calls)).at(-1)?.revision).to.equal(99);
    });

    it('keeps the events through a restart', async () => {
      const stream = newStream();
      const { position } = await subject.log.append(stream, 'none', newEvents(5));
      const before = (await subject.log.readStream(stream)).events;
      await subject.reopen();
      expect((await subject.log.readStream(stream)).events).to.deep.equal(before);
      expect((await subject.log.append(stream, 4, [newEvent()])).position > position).to.equal(true);
    });

    it('gives JSON back as JSON has it', async () => {
      const stream = newStream();
      const values: unknown[] = [
        JSON.parse('{"__proto__":{"polluted":true},"constructor":1}'),
        { zero: -0, small: 5e-324, large: 1.7976931348623157e308, exact: Number.MAX_SAFE_INTEGER },
        { text: 'naïve 🧪 \u0000\u2028\ud800 "quoted" \\', '': null, ключ: [[], {}, [null]] },
        [],
        'text',
        0,
        false,
        null,
      ];
      await subject.log.append(
        stream,
        'none',
        values.map((value) => newEvent(value)),
      );
      const stored = (await subject.log.readStream(stream)).events.map(({ data }) => data);
      expect(stored).to.deep.equal(JSON.parse(JSON.stringify(values)));
      expect(JSON.stringify(stored)).to.equal(JSON.stringify(values));
      expect(({} as { polluted?: boolean }).polluted).to.equal(undefined);
    });

    it('gives any JSON value back as JSON has it', async () => {
      await fc.assert(
        fc.asyncProperty(fc.array(fc.jsonValue(), { minLength: 1, maxLength: 5 }), async (values) => {
          const stream = newStream();
          await subject.log.append(
            stream,
            'none',
            values.map((value) => newEvent(value)),
          );
          const stored = (await subject.log.readStream(stream)).events.map(({ data }) => data);
          expect(JSON.stringify(stored)).to.equal(JSON.stringify(values));
        }),
        { numRuns: 50 },
      );
    });

    it('takes an event of 900 kB', async () => {
      const stream = newStream();
      const data = { log: 'an ordinary line of output, as tests print them\n'.repeat(18_750) };
      expect(data.log.length).to.equal(900_000);
      await subject.log.append(stream, 'none', [newEvent(data)]);
      expect((await subject.log.readStream(stream)).events[0]?.data).to.deep.equal(data);
    });

    it('refuses a mistake in the program, and goes on', async () => {
      const stream = newStream();
      const wrong = (change: Partial<NewEvent>) => () =>
        subject.log.append(stream, 'none', [newEvent(), { ...newEvent(), ...change }]);
      await mistake(() => subject.log.append(stream, 'none', []));
      await mistake(wrong({ id: 'not-a-uuid' }));
      await mistake(wrong({ type: '' }));
      await mistake(wrong({ data: undefined }));
      await mistake(() => subject.log.append(stream, -1, [newEvent()]));
      await mistake(() => subject.log.append(stream, 0.5, [newEvent()]));
      await mistake(() => subject.log.append('no-team', 'none', [newEvent()]));
      expect((await subject.log.readStream(stream)).events).to.deep.equal([]);
      expect((await subject.log.append(stream, 'none', [newEvent()])).revision).to.equal(0);
    });
  });
}
