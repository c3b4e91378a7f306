import { expect } from 'chai';
import * as fc from 'fast-check';
import { parseStreamName, streamName, type Category } from '../../src/domain/event.js';
import { idOf } from './ids.js';

describe('the name of a stream', () => {
  it('consists of its category, its team and its id', () =>
    expect(streamName('run', 'team_1', 'run_1')).to.equal('run-team_1.run_1'));

  it('can be taken apart again', () => {
    const categories: readonly Category[] = ['team', 'project', 'run', 'items', 'result'];
    const id = fc.string({ unit: fc.constantFrom('a', '1', '_', '.', '-'), minLength: 1 });
    fc.assert(
      fc.property(fc.constantFrom(...categories), fc.nat(999_999), id, (category, n, last) => {
        const team = idOf('team', n);
        const name = streamName(category, team, last);
        expect(parseStreamName(name)).to.deep.equal({ category, team, id: last });
      }),
    );
  });

  for (const text of [
    '',
    'run',
    'run-',
    'run-.run_1',
    '-team_1.run_1',
    'run-team_1',
    'run-team_1.',
    'run.team-1',
  ]) {
    it(`is not ${JSON.stringify(text)}`, () =>
      expect(() => parseStreamName(text)).to.throw('not a stream name'));
  }
});
