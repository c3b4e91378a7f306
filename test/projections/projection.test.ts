import { expect } from 'chai';
import { projection, together } from '../../projections/projection.js';
import type { LedgerEvent } from '../../src/domain/events.js';
import type { ProjectionSpec } from '../../src/domain/projection.js';

const collections = (name: string): ProjectionSpec['collections'] => [{ name, indexes: [['a']] }];
const event = { type: 'RunCreated', data: { run_id: 'run_1' }, position: '1' } as unknown as LedgerEvent;

describe('several projections together', () => {
  const part = (name: string, version: number, applied: string[] = []) =>
    projection({
      name,
      version,
      collections: collections(name),
      on: {
        RunCreated: {
          touches: ({ data }) => [{ collection: name, id: data.run_id, isNew: false }],
          apply: () => void applied.push(name),
        },
      },
    });

  it('have all collections, and another version with every change of any part', () => {
    const versionOf = (one: number, other: number) =>
      together('both', [part('one', one), part('other', other)]).version;
    const both = together('both', [part('one', 2), part('other', 3)]);
    expect(both.collections.map(({ name }) => name)).to.deep.equal(['one', 'other']);
    const others = [versionOf(3, 3), versionOf(2, 4), versionOf(3, 2), versionOf(1, 4), versionOf(4, 1)];
    expect(new Set([both.version, ...others]).size).to.equal(6);
    expect(versionOf(3, 3) > both.version && versionOf(2, 4) > both.version, 'it rises').to.equal(true);
  });

  const unexpected = () => {
    throw new Error('unexpected');
  };

  it('each see every event, and announce what they touch', () => {
    const applied: string[] = [];
    const both = together('both', [part('one', 1, applied), part('other', 1, applied)]);
    expect(both.touches(event)).to.deep.equal([
      { collection: 'one', id: 'run_1', isNew: false },
      { collection: 'other', id: 'run_1', isNew: false },
    ]);
    both.apply(
      {
        get: () => null,
        put: () => undefined,
        change: () => undefined,
        remove: () => undefined,
        add: () => undefined,
        open: unexpected,
        edit: unexpected,
      },
      event,
    );
    expect(applied).to.deep.equal(['one', 'other']);
  });
});
