import { expect } from 'chai';
import * as fc from 'fast-check';
import { packTexts } from '../../src/memory/packed-texts.js';

describe('packed texts', () => {
  it('come back unchanged, for every size of a block', () => {
    const texts = fc.array(fc.string({ unit: 'grapheme', maxLength: 40 }), { maxLength: 40 });
    fc.assert(
      fc.property(texts, fc.integer({ min: 1, max: 64 }), (all, blockBytes) => {
        const packed = packTexts(blockBytes);
        for (const text of all) packed.add(text);
        expect(packed.count).to.equal(all.length);
        expect(all.map((_, n) => packed.get(n))).to.deep.equal(all);
      }),
    );
  });
});
