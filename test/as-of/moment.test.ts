import { expect } from 'chai';
import * as fc from 'fast-check';
import { positionAt } from '../../src/as-of/moment.js';
import { START, type RecordedEvent } from '../../src/domain/event.js';
import { fail } from '../../src/errors.js';
import type { EventLog } from '../../src/ports/event-log.js';

describe('the position of an instant', () => {
  const textOf = (nth: number) => String(10 * nth).padStart(20, '0');
  const instantOf = (ms: number) => new Date(ms).toISOString();

  /**
   * `own`: whether an event is of the team. `looks`: at so many events, a page ends, whatever it has found. `places`: from
   * where it can be read.
   */
  function logOf(
    own: readonly boolean[],
    looks: number,
    places: 'anywhere' | 'events',
  ): Pick<EventLog, 'readAll' | 'head'> {
    const all = own.map((isOwn, n) => ({ isOwn, position: textOf(n + 1), meta: { at: instantOf(n) } }));
    return {
      head: async () => all.at(-1)?.position ?? START,
      readAll: async ({ after, limit = 1 }) => {
        if (places === 'events' && after !== START && !all.some(({ position }) => position === after))
          fail('not_a_position', 'not a position of this log');
        const behind = all.filter(({ position }) => position > after).slice(0, looks);
        const found = behind.filter(({ isOwn }) => isOwn).slice(0, limit);
        const position = (found.length === limit ? found : behind).at(-1)?.position ?? after;
        return {
          events: found as unknown as RecordedEvent[],
          position,
          caughtUp: position >= (all.at(-1)?.position ?? START),
        };
      },
    };
  }

  for (const places of ['anywhere', 'events'] as const)
    it(`is the last event of the team, though pages come back empty before the end of a log that can be read from ${places}`, async () => {
      const histories = fc.array(fc.oneof({ weight: 5, arbitrary: fc.constant(false) }, fc.constant(true)));
      await fc.assert(
        fc.asyncProperty(histories, fc.integer({ min: 1, max: 4 }), fc.nat(30), async (own, looks, ms) => {
          const last = own.slice(0, ms + 1).lastIndexOf(true);
          const expected = last === -1 ? START : textOf(last + 1);
          expect(await positionAt(logOf(own, looks, places), 'team_1', instantOf(ms))).to.equal(expected);
        }),
      );
    });
});
