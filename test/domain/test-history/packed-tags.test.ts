import { expect } from 'chai';
import fc from 'fast-check';
import { isStorableText } from '../../../src/adapters/shared/storable-text.js';
import { hasTag, packedTags, unpackedTags } from '../../../src/domain/test-history/packed-tags.js';

/** Texts of what could be mistaken for the end of a tag, or for another tag. */
const part = fc.constantFrom('a', 'b', '\n', '\\', 'n', '"', ',', '[', ']', '","', '\0', '😀', '\ud83d', ' ');
const tag = fc.array(part, { minLength: 1, maxLength: 3 }).map((parts) => parts.join(''));

describe('packed tags', () => {
  it('have a tag exactly if the list has it, and are the same list again, in a text that every store takes', () => {
    const tags = fc.array(tag, { minLength: 1, maxLength: 4 });
    fc.assert(
      fc.property(tags, tag, (list, asked) => {
        const packed = packedTags(list);
        expect(unpackedTags(packed)).to.deep.equal(list);
        expect(isStorableText(packed)).to.equal(true);
        for (const each of [asked, ...list]) expect(hasTag(packed, each)).to.equal(list.includes(each));
      }),
      { numRuns: 500 },
    );
    expect([unpackedTags(null), hasTag(null, 'a')]).to.deep.equal([[], false]);
  });
});
