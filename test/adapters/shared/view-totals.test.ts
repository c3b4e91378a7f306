import { expect } from 'chai';
import { scalarOf, totalDeltas } from '../../../src/adapters/shared/view-totals.js';
import type { Change, Document } from '../../../src/ports/views.js';
import type { ProjectionSpec } from '../../../src/domain/projection.js';
import { refusal } from '../../contract/event-log/events.js';

const spec: ProjectionSpec = {
  name: 'views',
  version: 1,
  collections: [
    { name: 'things', indexes: [], totals: [[], ['team'], ['team', 'kind']] },
    { name: 'others', indexes: [] },
  ],
};

const thing = (fields: object): Document => ({ position: '1', ...fields });
const change = (before: object | null, after: object | null, collection = 'things'): Change => ({
  collection,
  id: 'thing_1',
  before: before && thing(before),
  after: after && thing(after),
});

describe('what a commit does to the totals', () => {
  it('is one more for a new document, and one fewer for a deleted one', () => {
    const at = { collection: 'things', n: 1 };
    expect(totalDeltas(spec, [change(null, { team: 'red', kind: 1 })])).to.deep.equal([
      { ...at, fields: [], values: [] },
      { ...at, fields: ['team'], values: ['red'] },
      { ...at, fields: ['team', 'kind'], values: ['red', 1] },
    ]);
    expect(totalDeltas(spec, [change({ team: 'red', kind: 1 }, null)]).map(({ n }) => n)).to.deep.equal([
      -1, -1, -1,
    ]);
  });

  it('is one fewer there and one more here for a document that moves', () => {
    const moved = totalDeltas(spec, [change({ team: 'red', kind: 1 }, { team: 'red', kind: 2 })]);
    expect(moved.map(({ values, n }) => [values, n])).to.deep.equal([
      [['red', 1], -1],
      [['red', 2], 1],
    ]);
  });

  it('is nothing when as many documents come as go, and for a collection without totals', () => {
    const team = { team: 'red', kind: 1 };
    expect(totalDeltas(spec, [change(team, null), change(null, team)])).to.deep.equal([]);
    expect(totalDeltas(spec, [change(team, { ...team, name: 'other' })])).to.deep.equal([]);
    expect(totalDeltas(spec, [change(null, team, 'others')])).to.deep.equal([]);
  });

  it('counts a missing field as null, and values of different types separately', () => {
    const values = (kind: unknown) => totalDeltas(spec, [change(null, { team: 'red', kind })])[2]?.values[1];
    expect([undefined, null, 0, '0', false, ''].map(values)).to.deep.equal([null, null, 0, '0', false, '']);
    const both = totalDeltas(spec, [change(null, { team: '1' }), change(null, { team: 1 })]);
    expect(both.filter(({ fields }) => fields.length === 1)).to.have.length(2);
  });

  it('is not possible for lists and objects', async () => {
    for (const value of [[], {}, [1]]) {
      await refusal(
        Promise.resolve().then(() => scalarOf(value, 'kind')),
        'internal',
      );
      const counted = () => totalDeltas(spec, [change(null, { team: value })]);
      await refusal(Promise.resolve().then(counted), 'internal');
    }
  });
});
