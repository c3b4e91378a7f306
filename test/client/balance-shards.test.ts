import { expect } from 'chai';
import fc from 'fast-check';
import { balanceShards, type Part } from '../../src/client/balance-shards.js';

const parts = fc
  .array(fc.nat({ max: 60_000 }), { maxLength: 60 })
  .map((all): Part[] => all.map((ms, n) => ({ key: `part ${n}`, ms })));
const shards = fc.integer({ min: 1, max: 12 });

describe('balanceShards', () => {
  it('puts each part into one shard, the same one whatever the order of the parts', () => {
    fc.assert(
      fc.property(parts, shards, fc.infiniteStream(fc.nat()), (given, total, order) => {
        const chosen = balanceShards(given, total);
        expect(chosen).to.have.lengthOf(given.length);
        for (const shard of chosen) expect(shard).to.be.within(0, total - 1);
        const shuffled = given
          .map((part, n) => ({ part, n, at: order.next().value as number }))
          .sort((a, b) => a.at - b.at);
        const again = balanceShards(
          shuffled.map(({ part }) => part),
          total,
        );
        expect(again).to.deep.equal(shuffled.map(({ n }) => chosen[n]));
      }),
    );
  });

  it('gives no shard more than its equal part and one part more', () => {
    fc.assert(
      fc.property(parts, shards, (given, total) => {
        const chosen = balanceShards(given, total);
        const sum = given.reduce((ms, part) => ms + part.ms, 0);
        const longest = Math.max(0, ...given.map(({ ms }) => ms));
        for (let shard = 0; shard < total; shard += 1) {
          const load = given.reduce((ms, part, n) => ms + (chosen[n] === shard ? part.ms : 0), 0);
          expect(load).to.be.at.most(sum / total + longest);
        }
      }),
    );
  });

  it('puts the long parts apart, and the short ones beside them', () => {
    const given = [5, 60, 5, 50, 10, 30].map((ms, n) => ({ key: `${n}`, ms }));
    expect(balanceShards(given, 3)).to.deep.equal([2, 0, 2, 1, 2, 2]);
  });

  it('deals out parts that take no time', () => {
    const given = ['a', 'b', 'c', 'd'].map((key) => ({ key, ms: 0 }));
    expect(balanceShards(given, 2)).to.deep.equal([0, 1, 0, 1]);
  });
});
