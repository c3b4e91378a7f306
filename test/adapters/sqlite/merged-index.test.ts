import { expect } from 'chai';
import { mergedIndex } from '../../../src/adapters/sqlite/views/merged-index.js';
import type { CollectionSpec } from '../../../src/domain/projection.js';

const spec: CollectionSpec = {
  name: 'results',
  indexes: [
    ['run', 'at'],
    ['run', 'status', 'at'],
  ],
  values: { status: ['Passed', 'Failed', null] },
};

describe('an index that is merged out of another one', () => {
  it('is the same index without a field of which all values are declared', () => {
    expect(mergedIndex(spec, ['run', 'at'])).to.deep.equal({
      longer: ['run', 'status', 'at'],
      field: 'status',
      values: ['Passed', 'Failed', -Infinity],
    });
    expect(mergedIndex(spec, ['run', 'status', 'at'])).to.equal(null);
  });

  it('is never merged out of one that is merged itself: the file would have neither', () => {
    const indexes = [
      ['run', 'at'],
      ['run', 'kind', 'at'],
      ['run', 'kind', 'status', 'at'],
    ];
    const twice = { ...spec, indexes, values: { status: ['Passed'], kind: ['a'] } };
    expect(mergedIndex(twice, ['run', 'kind', 'at'])?.longer).to.deep.equal(['run', 'kind', 'status', 'at']);
    expect(mergedIndex(twice, ['run', 'at'])).to.equal(null);
  });

  it('is none where no value is declared, where nulls are left out, or where only one of both has ids', () => {
    const [, longer] = spec.indexes;
    for (const other of [{ values: { status: [] } }, { sparse: ['status'] }, { unique: [longer!] }])
      expect(mergedIndex({ ...spec, ...other }, ['run', 'at']), JSON.stringify(other)).to.equal(null);
  });
});
