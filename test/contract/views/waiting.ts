/** Waits until the live build has reached a position. */
import { expect } from 'chai';
import { START } from '../../../src/domain/event.js';
import type { ViewsUnderTest } from './subject.js';
import { at, commitTo, refused, thingsSpec } from './things.js';

const spec = thingsSpec();
/** Longer than a test may take: a wait of this length ends only by a notification. */
const LONG = 60_000;

export function waitingContract(views: ViewsUnderTest): void {
  describe('waiting for a position', () => {
    beforeEach(() => views.writer.prepare(spec, 1));

    it('ends at once when the live build is at the position or further on', async () => {
      await commitTo(views.writer, spec, [], { to: at(5) });
      for (const atLeast of [START, at(4), at(5)]) {
        expect(await views.reader.position('things', { atLeast, timeoutMs: LONG })).to.equal(at(5));
      }
    });

    it('ends with the commit that reaches the position, not with an earlier one', async () => {
      const waiting = views.reader.position('things', { atLeast: at(2), timeoutMs: LONG });
      await commitTo(views.writer, spec, []);
      await commitTo(views.writer, spec, []);
      expect(await waiting).to.equal(at(2));
    });

    it('compares positions as texts: an item of a bulk submission is after its event', async () => {
      await commitTo(views.writer, spec, [], { to: at(5) });
      const waiting = views.reader.position('things', { atLeast: `${at(5)}-000001`, timeoutMs: LONG });
      await commitTo(views.writer, spec, [], { to: `${at(5)}-000002` });
      expect(await waiting).to.equal(`${at(5)}-000002`);
    });

    it('ends with the promotion of a build that has reached the position', async () => {
      await views.writer.prepare(spec, 2);
      const waiting = views.reader.position('things', { atLeast: at(3), timeoutMs: LONG });
      await commitTo(views.writer, spec, [], { build: 2, to: at(3) });
      expect(await views.reader.position('things')).to.equal(START);
      await views.writer.promote(spec, 2, 1);
      expect(await waiting).to.equal(at(3));
    });

    it('begins before the projection has a build', async () => {
      const later = thingsSpec('later');
      const waiting = views.reader.position('later', { atLeast: at(1), timeoutMs: LONG });
      await views.writer.prepare(later, 1);
      await commitTo(views.writer, later, []);
      expect(await waiting).to.equal(at(1));
    });

    it('answers with the current position when its time is over', async () => {
      await commitTo(views.writer, spec, [], { to: at(1) });
      expect(await views.reader.position('things', { atLeast: at(9), timeoutMs: 20 })).to.equal(at(1));
      expect(await views.reader.position('things', { atLeast: at(9), timeoutMs: 0 })).to.equal(at(1));
      expect(await views.reader.position('unknown', { atLeast: at(9), timeoutMs: 1 })).to.equal(START);
    });

    it('is not disturbed by other projections', async () => {
      const other = thingsSpec('other');
      await views.writer.prepare(other, 1);
      const waiting = views.reader.position('things', { atLeast: at(1), timeoutMs: LONG });
      await commitTo(views.writer, other, [], { to: at(9) });
      await commitTo(views.writer, spec, []);
      expect(await waiting).to.equal(at(1));
    });

    it('loses no notification, however waits and commits overlap', async () => {
      for (let n = 1; n <= 300; n += 1) {
        const wait = () => views.reader.position('things', { atLeast: at(n), timeoutMs: LONG });
        const early = n % 3 === 0 ? null : wait();
        if (n % 3 === 1) await new Promise(setImmediate);
        const commit = commitTo(views.writer, spec, []);
        const late = wait();
        await commit;
        expect(await early).to.be.oneOf([null, at(n)]);
        expect(await late).to.equal(at(n));
      }
    });

    it('is shared by any number of callers', async () => {
      const waiting = Array.from({ length: 2_000 }, (_, n) =>
        views.reader.position('things', { atLeast: at(1 + (n % 2)), timeoutMs: LONG }),
      );
      await commitTo(views.writer, spec, []);
      await commitTo(views.writer, spec, []);
      for (const [n, position] of (await Promise.all(waiting)).entries()) {
        expect(position >= at(1 + (n % 2)), `caller ${n} at ${position}`).to.equal(true);
      }
    });

    it('ends when the reader is closed', async () => {
      await commitTo(views.writer, spec, [], { to: at(1) });
      const waiting = views.reader.position('things', { atLeast: at(9), timeoutMs: LONG });
      await new Promise(setImmediate);
      await views.reader.close();
      expect(await waiting).to.equal(at(1));
      await refused(views.reader.position('things'), 'views_unavailable');
    });
  });
}
