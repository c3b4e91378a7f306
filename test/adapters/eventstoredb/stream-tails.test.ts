import { expect } from 'chai';
import { openStreamTails } from '../../../src/adapters/eventstoredb/stream-tails.js';

describe('the event log: EventStoreDB: the ends of streams', () => {
  it('are unknown until a read or the tail finds them', () => {
    const ends = openStreamTails();
    expect(ends.of('run-a.1')).to.equal(undefined);
    ends.learn('run-a.1', -1, ends.count());
    ends.saw('run-a.2', 7);
    expect([ends.of('run-a.1'), ends.of('run-a.2')]).to.deep.equal([-1, 7]);
  });

  it('move on with the tail, and never back by a read that was answered before', () => {
    const ends = openStreamTails();
    const began = ends.count();
    ends.saw('run-a.1', 4);
    ends.learn('run-a.1', 3, began);
    expect(ends.of('run-a.1')).to.equal(4);
  });

  it('are not learned from a read during which the tail may have seen and dropped a newer one', () => {
    const ends = openStreamTails(3);
    const began = ends.count();
    for (const stream of ['run-a.1', 'run-a.2', 'run-a.3', 'run-a.4']) ends.saw(stream, 9);
    expect(ends.of('run-a.1')).to.equal(undefined);
    ends.learn('run-a.1', 8, began);
    expect(ends.of('run-a.1')).to.equal(undefined);
  });

  it('are not learned from it either when other reads pushed out what the tail saw', () => {
    const ends = openStreamTails(3);
    for (const stream of ['run-a.1', 'run-a.2', 'run-a.3']) ends.saw(stream, 0);
    const began = ends.count();
    ends.saw('run-a.1', 9);
    for (const stream of ['run-a.2', 'run-a.3']) ends.of(stream);
    ends.learn('run-a.4', 0, began);
    expect(ends.of('run-a.1')).to.equal(undefined);
    ends.learn('run-a.1', 8, began);
    expect(ends.of('run-a.1')).to.equal(undefined);
  });

  it('are learned from a read during which only older ones were dropped', () => {
    const ends = openStreamTails(2);
    for (const stream of ['run-a.1', 'run-a.2']) ends.saw(stream, 0);
    const began = ends.count();
    ends.saw('run-a.3', 0);
    ends.learn('run-a.4', 8, began);
    expect(ends.of('run-a.4')).to.equal(8);
  });
});
