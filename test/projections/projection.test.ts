import { expect } from 'chai';
import { createHash } from 'node:crypto';
import { records } from '../../projections/records/records.js';
import { history } from '../../projections/history/history.js';
import { projection, together } from '../../projections/projection.js';
import { shapeOf } from '../../src/adapters/shared/view-rules.js';
import type { LedgerEvent } from '../../src/domain/events.js';
import type { ProjectionSpec } from '../../src/domain/projection.js';

const collections = (name: string): ProjectionSpec['collections'] => [{ name, indexes: [['a']] }];
const event = { type: 'RunCreated', data: { run_id: 'run_1' }, position: '1' } as unknown as LedgerEvent;

/**
 * The version of each projection, and the hash of what stores keep of its collections. A store refuses a build whose
 * collections changed under the same version. So where the hash changes, raise the version of the part, and write both here.
 */
const versions = {
  records: { version: 22, collections: 'e8ebf6050ce7' },
  history: { version: 45, collections: '6acd8a85184d' },
};

describe('the projections', () => {
  it('have a new version with every change of their collections', () => {
    const found = [records, history].map((one) => {
      const hash = createHash('sha256')
        .update(JSON.stringify(shapeOf(one)))
        .digest('hex');
      return [one.name, { version: one.version, collections: hash.slice(0, 12) }];
    });
    expect(Object.fromEntries(found)).to.deep.equal(versions);
  });
});

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

  it('have all collections, and a higher version with every higher version of a part', () => {
    const versionOf = (one: number, other: number) =>
      together('both', [part('one', one), part('other', other)]).version;
    const both = together('both', [part('one', 2), part('other', 3)]);
    expect(both.collections.map(({ name }) => name)).to.deep.equal(['one', 'other']);
    expect([versionOf(3, 3), versionOf(2, 4)]).to.deep.equal([both.version + 1, both.version + 1]);
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
