import { expect } from 'chai';
import fc from 'fast-check';
import { chunk } from '../../src/memory/chunk.js';
import { estimateBytes } from '../../src/memory/estimate-bytes.js';

describe('a list cut into pieces', () => {
  it('keeps the order, and each piece keeps both limits unless a single entry is too large', () => {
    fc.assert(
      fc.property(fc.array(fc.nat(50)), fc.integer({ min: 1, max: 5 }), fc.nat(60), (all, count, bytes) => {
        const pieces = [...chunk(all, { count, bytes }, (size) => size)];
        expect(pieces.flat()).to.deep.equal(all);
        for (const piece of pieces) {
          const size = piece.reduce((sum, each) => sum + each, 0);
          expect(piece.length).to.be.within(1, count);
          expect(size <= bytes || piece.length === 1).to.equal(true);
        }
      }),
    );
  });
});

describe('the estimated size of a value', () => {
  it('is never 0, and grows with texts and with nested values', () => {
    for (const value of [null, 0, false, '', {}, []]) expect(estimateBytes(value)).to.be.greaterThan(0);
    expect(estimateBytes('x'.repeat(1_000))).to.be.within(1_000, 1_100);
    expect(estimateBytes({ a: ['x'.repeat(1_000), { b: 'y'.repeat(1_000) }] })).to.be.within(2_000, 2_300);
  });
});
