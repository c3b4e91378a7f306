import { expect } from 'chai';
import { streamName } from '../../../src/domain/event.js';
import type { Subject } from './subject.js';
import { ids, newEvent, newEvents, newTeam, refusal } from './events.js';

export function repeatingContract(subject: Subject): void {
  describe('appending the same events again', () => {
    const newStream = () => streamName('run', newTeam(), 'run_1');

    for (const before of [0, 2]) {
      const expected = before === 0 ? 'none' : before - 1;

      it(`answers as the first time, also when the stream went on and after a restart: at ${expected}`, async () => {
        const stream = newStream();
        const events = newEvents(3);
        if (before > 0) await subject.log.append(stream, 'none', newEvents(before));
        const first = await subject.log.append(stream, expected, events);
        expect(await subject.log.append(stream, expected, events)).to.deep.equal(first);
        await subject.log.append(stream, first.revision, newEvents(2));
        expect(await subject.log.append(stream, expected, events)).to.deep.equal(first);
        await subject.reopen();
        expect(await subject.log.append(stream, expected, events)).to.deep.equal(first);
        expect((await subject.log.readStream(stream)).events).to.have.length(before + 5);
      });

      it(`treats a prefix and a suffix of them, each at its own place, as a repeat: at ${expected}`, async () => {
        const stream = newStream();
        const events = newEvents(3);
        if (before > 0) await subject.log.append(stream, 'none', newEvents(before));
        await subject.log.append(stream, expected, events);
        const positions = (await subject.log.readStream(stream)).events.map(({ position }) => position);
        expect(await subject.log.append(stream, expected, events.slice(0, 2))).to.deep.equal({
          revision: before + 1,
          position: positions[before + 1],
        });
        expect(await subject.log.append(stream, before, events.slice(1))).to.deep.equal({
          revision: before + 2,
          position: positions[before + 2],
        });
        expect(positions).to.have.length(before + 3);
      });
    }

    it('hides no later event from a log that has read none of them', async () => {
      const stream = newStream();
      const events = newEvents(1);
      await subject.log.append(stream, 'none', events);
      const later = newEvents(2);
      const { revision } = await subject.log.append(stream, 0, later);
      await subject.reopen();
      await subject.log.append(stream, 'none', events);
      expect(subject.log.lastRevision?.(stream) ?? revision).to.equal(revision);
      expect(ids((await subject.log.readStream(stream, { from: 1 })).events)).to.deep.equal(ids(later));
    });

    it('stores them once when both calls come at the same time', async () => {
      const stream = newStream();
      const events = newEvents(3);
      const [first, second] = await Promise.all([
        subject.log.append(stream, 'none', events),
        subject.log.append(stream, 'none', events),
      ]);
      expect(second).to.deep.equal(first);
      expect(ids((await subject.log.readStream(stream)).events)).to.deep.equal(ids(events));
    });

    it('recognizes a repeat by the ids alone, and keeps what was stored first', async () => {
      const stream = newStream();
      const event = newEvent({ sent: 'first' });
      const first = await subject.log.append(stream, 'none', [event]);
      const again = await subject.log.append(stream, 'none', [{ ...event, data: { sent: 'later' } }]);
      expect(again).to.deep.equal(first);
      expect((await subject.log.readStream(stream)).events[0]?.data).to.deep.equal({ sent: 'first' });
    });

    it('appends them once more when the stream is at the expected revision', async () => {
      const stream = newStream();
      const event = newEvent();
      await subject.log.append(stream, 'none', [event]);
      expect((await subject.log.append(stream, 0, [event])).revision).to.equal(1);
      expect(ids((await subject.log.readStream(stream)).events)).to.deep.equal([event.id, event.id]);
    });

    it('refuses what only resembles a repeat', async () => {
      const stream = newStream();
      const [a, b, c] = newEvents(3) as [
        ReturnType<typeof newEvent>,
        ReturnType<typeof newEvent>,
        ReturnType<typeof newEvent>,
      ];
      await subject.log.append(stream, 'none', [a, b, c]);
      const lookalikes = [
        [b, a],
        [a, newEvent()],
        [newEvent(), b],
        [b, c],
        [a, c],
        [a, b, c, newEvent()],
        [a, a],
      ];
      for (const events of lookalikes) {
        await refusal(subject.log.append(stream, 'none', events), 'wrong_revision');
      }
      await refusal(subject.log.append(stream, 0, [c]), 'wrong_revision');
      expect(ids((await subject.log.readStream(stream)).events)).to.deep.equal(ids([a, b, c]));
    });
  });
}
