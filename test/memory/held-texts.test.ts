import { expect } from 'chai';
import fc from 'fast-check';
import { heldTexts } from '../../src/memory/held-texts.js';

const text = fc.oneof(
  fc.string({ unit: 'grapheme' }),
  // Several to a block, and one that has a block of its own.
  fc.constantFrom(100_000, 300_000).map((length) => 'ä'.repeat(length / 2)),
);
const step = fc.record({
  id: fc.constantFrom('a', 'b', 'c', 'd', 'é'),
  text: fc.option(text, { freq: 2 }),
});

describe('texts that wait', () => {
  it('are what was put in, whatever was put in and taken before', () => {
    fc.assert(
      fc.property(fc.array(step, { maxLength: 60 }), (steps) => {
        const held = heldTexts();
        const model = new Map<string, string>();
        for (const { id, text: put } of steps) {
          if (put === null) {
            held.delete(id);
            model.delete(id);
          } else {
            held.add(id, put);
            model.set(id, put.toWellFormed());
          }
          for (const each of ['a', 'b', 'c', 'd', 'é'])
            expect(held.get(each)).to.equal(model.get(each) ?? null);
        }
        for (const id of model.keys()) held.delete(id);
        expect(held.bytes).to.equal(0);
      }),
    );
  });
});
