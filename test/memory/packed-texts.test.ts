import { expect } from 'chai';
import * as fc from 'fast-check';
import { packTexts } from '../../src/memory/packed-texts.js';

describe('packed texts', () => {
  it('come back unchanged, for every size of a block', () => {
    const texts = fc.array(fc.string({ unit: 'grapheme', maxLength: 40 }), { maxLength: 40 });
    fc.assert(
      fc.property(texts, fc.integer({ min: 1, max: 64 }), (all, blockBytes) => {
        const packed = packTexts(blockBytes, 256);
        for (const text of all) packed.add(text);
        expect(packed.count).to.equal(all.length);
        expect(all.map((_, n) => packed.get(n))).to.deep.equal(all);
      }),
    );
  });

  it('take few bytes when they are few, and at most twice their own when they are many', () => {
    for (const [count, most] of [
      [10, 8 * 1024],
      [10_000, 2 * 10_000 * 100],
    ] as const) {
      const before = process.memoryUsage().arrayBuffers;
      const packed = packTexts();
      for (let n = 0; n < count; n += 1) packed.add('x'.repeat(100));
      expect(process.memoryUsage().arrayBuffers - before).to.be.at.most(most);
      expect(packed.count).to.equal(count);
    }
  });

  it('give all their memory back when they are freed, without a garbage collection', () => {
    const packed = packTexts();
    for (let n = 0; n < 50_000; n += 1) packed.add('x'.repeat(100));
    const filled = process.memoryUsage().arrayBuffers;
    packed.free();
    expect(filled - process.memoryUsage().arrayBuffers).to.be.at.least(50_000 * 100);
  });
});
