import { expect } from 'chai';
import fc from 'fast-check';
import { cutInMiddle } from '../../src/domain/cut-in-middle.js';

const jsonBytes = (text: string) => Buffer.byteLength(JSON.stringify(text)) - 2;

describe('a text that is cut in its middle', () => {
  it('says between its beginning and its end how many characters are left out', () => {
    const text = `${'a'.repeat(500)}${'😀'.repeat(500)}${'b'.repeat(500)}`;
    const [, start, count, end] = /^(.*)\n\[… (\d+) characters left out …\]\n(.*)$/s.exec(
      cutInMiddle(text, 300),
    )!;
    expect(text.startsWith(start!) && text.endsWith(end!)).to.equal(true);
    expect(start).to.match(/^a+$/);
    expect(end).to.match(/^b+$/);
    expect(start!.length + Number(count) + end!.length).to.equal(1_500);
  });

  it('is the text itself exactly if it fits', () => {
    expect(cutInMiddle('x'.repeat(200), 200)).to.equal('x'.repeat(200));
    expect(cutInMiddle('x'.repeat(201), 200)).to.not.include('x'.repeat(150));
    expect(cutInMiddle('\n'.repeat(100), 200)).to.equal('\n'.repeat(100));
  });

  it('never divides a character, never is too long, and leaves out no more than it must', () => {
    const piece = fc.constantFrom('x', '"', '\\', '\n', '\u0001', 'é', '\u2028', '漢', '😀');
    const texts = fc.array(piece, { minLength: 1, maxLength: 2_000 }).map((pieces) => pieces.join(''));
    fc.assert(
      fc.property(texts, fc.integer({ min: 120, max: 3_000 }), (text, most) => {
        const cut = cutInMiddle(text, most);
        if (jsonBytes(text) <= most) {
          expect(cut).to.equal(text);
          return;
        }
        expect(cut.isWellFormed()).to.equal(true);
        expect(jsonBytes(cut)).to.be.within(most - 20, most);
        const mark = /\n\[… (\d+) characters left out …\]\n/.exec(cut)!;
        const [start, end] = [cut.slice(0, mark.index), cut.slice(mark.index + mark[0].length)];
        expect(text.startsWith(start) && text.endsWith(end)).to.equal(true);
        const left = Array.from(text).length - Array.from(start).length - Array.from(end).length;
        expect(Number(mark[1])).to.equal(left);
      }),
    );
  });
});
