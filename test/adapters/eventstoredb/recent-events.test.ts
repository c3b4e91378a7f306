import { expect } from 'chai';
import { openRecentEvents } from '../../../src/adapters/eventstoredb/recent-events.js';
import type { OwnEvent } from '../../../src/adapters/eventstoredb/event.js';
import { streamNames, type StreamFilter } from '../../../src/adapters/eventstoredb/names.js';
import { newEvent } from '../../contract/event-log/events.js';

const at = (position: number): string => String(position).padStart(20, '0');
const names = streamNames(null);
const all = names.filter(undefined);

function ownEvent(position: number, category = 'run', data: unknown = {}): OwnEvent {
  const own = names.fromServer(`${category}-team_1.x`)!;
  return { event: { ...newEvent(data), stream: own.stream, revision: 0, position: at(position) }, own };
}

describe('the events that the EventStoreDB log keeps', () => {
  const positions = (
    kept: ReturnType<typeof openRecentEvents>,
    after: number,
    limit = 100,
    filter: StreamFilter = all,
  ) => kept.read(at(after), limit, filter)?.events.map(({ position }) => Number(position)) ?? null;

  it('are given from every position after which all events are kept, and from no other', () => {
    const kept = openRecentEvents(at(10), 5);
    for (let position = 11; position <= 40; position += 1) {
      kept.add(ownEvent(position));
      const floor = Math.max(10, position - 5);
      for (let after = 5; after < floor; after += 1) expect(positions(kept, after)).to.equal(null);
      for (let after = floor; after <= position + 2; after += 1) {
        const expected = Array.from(
          { length: Math.max(0, position - after) },
          (_, index) => after + 1 + index,
        );
        expect(positions(kept, after)).to.deep.equal(expected);
      }
    }
  });

  it('are given in pages, whose position also covers what the filter left out', () => {
    const kept = openRecentEvents(at(0), 100);
    for (let position = 1; position <= 9; position += 1) {
      kept.add(ownEvent(position, position % 3 === 0 ? 'project' : 'run'));
    }
    const filter = names.filter({ streams: ['project-'] });
    const first = kept.read(at(0), 2, filter);
    expect(first).to.deep.include({ position: at(6), caughtUp: false });
    expect(kept.read(at(6), 2, filter)).to.deep.include({ position: at(9), caughtUp: true });
    expect(kept.read(at(0), 2, names.filter({ streams: [] }))).to.deep.equal({
      events: [],
      position: at(9),
      caughtUp: true,
    });
    expect(kept.read(at(12), 2, filter)).to.deep.equal({ events: [], position: at(12), caughtUp: true });
  });

  it('are fewer when they are large', () => {
    const kept = openRecentEvents(at(0), 4_096);
    for (let position = 1; position <= 100; position += 1) {
      kept.add(ownEvent(position, 'run', { text: 'x'.repeat(1_000_000) }));
    }
    expect(positions(kept, 99)).to.deep.equal([100]);
    expect(positions(kept, 83)).to.equal(null);
  });
});
