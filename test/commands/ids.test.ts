import { expect } from 'chai';
import { validate, version } from 'uuid';
import { idsFrom, newIds, newSeed } from '../../src/commands/ids.js';
import { isId, type IdPrefix } from '../../src/domain/ids.js';

const prefixes: readonly IdPrefix[] = ['team', 'key', 'project', 'run', 'result'];

describe('ids', () => {
  it('that are new are well-formed and never repeat', () => {
    for (const prefix of prefixes) {
      const made = Array.from({ length: 1_000 }, () => newIds.created(prefix));
      expect(made.every((id) => isId(prefix, id))).to.equal(true);
      expect(new Set(made).size).to.equal(1_000);
    }
    const events = Array.from({ length: 1_000 }, () => newIds.event('a stream', 0));
    expect(events.every((id) => validate(id))).to.equal(true);
    expect(new Set(events).size).to.equal(1_000);
  });

  it('sort as text in the order in which they were made', async () => {
    const made: string[] = [];
    for (let n = 0; n < 5; n += 1) {
      made.push(newIds.created('run'));
      const { now } = Date;
      const began = now();
      while (now() === began) await new Promise((resolve) => setTimeout(resolve, 1));
    }
    expect(made.toSorted()).to.deep.equal(made);
  });

  it('of one request are the same at every try', () => {
    const seed = newSeed();
    const [one, other] = [idsFrom(seed), idsFrom(JSON.parse(JSON.stringify(seed)) as string)];
    for (const prefix of prefixes) {
      expect(one.created(prefix)).to.equal(other.created(prefix));
      expect(isId(prefix, one.created(prefix))).to.equal(true);
    }
    expect(one.event('a stream', 3)).to.equal(other.event('a stream', 3));
  });

  it('of one request differ by stream and by event, and from those of other requests', () => {
    const [one, other] = [idsFrom(newSeed()), idsFrom(newSeed())];
    const events = [one, other].flatMap((ids) =>
      ['run-team_1.a', 'run-team_1.b', 'run-team_1.a#1'].flatMap((stream) =>
        [0, 1, 2, 11].map((n) => ids.event(stream, n)),
      ),
    );
    expect(new Set(events).size).to.equal(24);
    expect(events.every((id) => validate(id) && version(id) === 5)).to.equal(true);
    expect(one.created('result')).not.to.equal(other.created('result'));
  });
});
