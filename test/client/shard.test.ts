import { expect } from 'chai';
import { MOST_SHARDS, shardFrom } from '../../src/client/shard.js';
import { limits } from '../../src/limits.js';

describe('the name of a shard', () => {
  it('is read from a text or from numbers', () => {
    for (const given of ['2/5', ' 2/5\n', '02/05', { index: 2, total: 5 }])
      expect(shardFrom(given)).to.deep.equal({ index: 2, total: 5 });
    expect(shardFrom(`${MOST_SHARDS}/${MOST_SHARDS}`)).to.include({ index: MOST_SHARDS });
  });

  it('is refused where there is no such shard', () => {
    const texts = [
      '',
      '2',
      '2/',
      '/5',
      '0/5',
      '6/5',
      '-1/5',
      '1.5/5',
      '2/5/7',
      'two/five',
      `1/${MOST_SHARDS + 1}`,
    ];
    const numbers = [
      { index: 1.5, total: 5 },
      { index: 1, total: Infinity },
    ];
    for (const given of [...texts, ...numbers])
      expect(shardFrom(given), JSON.stringify(given)).to.equal(null);
  });

  it('counts as many shards as the API takes', () => {
    expect(MOST_SHARDS).to.equal(limits.shardsPerRun);
  });
});
