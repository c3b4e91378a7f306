import { randomUUID } from 'node:crypto';
import { expect } from 'chai';
import { streamName } from '../../../src/domain/event.js';
import { STREAM_PAGE_BYTES } from '../../../src/ports/event-log.js';
import type { Subject } from './subject.js';
import { newEvent, newEvents, newTeam } from './events.js';

export function pagesContract(subject: Subject): void {
  describe('reading a stream of large events', () => {
    it('ends a page by the bytes of its events, and says where the stream ends', async () => {
      const stream = streamName('result', newTeam(), 'result_1');
      // Small events come first: the size of the events so far says nothing about the next ones.
      await subject.log.append(stream, 'none', newEvents(20));
      const large = Array.from({ length: 4 }, () => newEvent({ text: 'x'.repeat(100_000) }));
      for (let at = 0; at < 10; at += 1) await subject.log.append(stream, 'any', large.map(renewed));
      for (const direction of ['forwards', 'backwards'] as const) {
        const read: number[] = [];
        for (let isEnd = false; !isEnd;) {
          const last = read.at(-1);
          const from = last === undefined ? {} : { from: direction === 'forwards' ? last + 1 : last - 1 };
          const page = await subject.log.readStream(stream, { direction, ...from });
          expect(page.events).not.to.deep.equal([]);
          const sizes = page.events.map(({ data }) => JSON.stringify(data).length);
          const all = sizes.reduce((sum, size) => sum + size, 0);
          expect(all).to.be.lessThan(STREAM_PAGE_BYTES + 200_000);
          if (!page.isEnd) expect(all).to.be.greaterThan(STREAM_PAGE_BYTES / 2);
          read.push(...page.events.map(({ revision }) => revision));
          ({ isEnd } = page);
        }
        const inOrder = Array.from({ length: 60 }, (_, revision) => revision);
        expect(read).to.deep.equal(direction === 'forwards' ? inOrder : inOrder.toReversed());
      }
    });
  });
}

/** The same event under a new id. */
function renewed<T extends object>(event: T): T & { id: string } {
  return { ...event, id: randomUUID() };
}
