import { expect } from 'chai';
import fc from 'fast-check';
import { ansiSpans, withoutAnsi } from '../../../src/dashboard/parts/texts/ansi.js';

const ESC = '\u001b';
const classesOf = (text: string) =>
  ansiSpans(text).map(({ classes, behind }) => `${classes} ${behind}`.trim());

describe('colours of a terminal', () => {
  it('become classes, of the foreground and the background, and end where they end', () => {
    expect(ansiSpans(`a${ESC}[31mb${ESC}[1;44mc${ESC}[0md`)).to.deep.equal([
      { text: 'a', classes: '', behind: '' },
      { text: 'b', classes: 'ansi-fg ansi-1', behind: '' },
      { text: 'c', classes: 'ansi-bold ansi-fg ansi-1', behind: 'ansi-bg ansi-4' },
      { text: 'd', classes: '', behind: '' },
    ]);
    expect(classesOf(`${ESC}[96mx${ESC}[39;7my${ESC}[27mz`)).to.deep.equal([
      'ansi-fg ansi-14',
      'ansi-inverse',
      '',
    ]);
    expect(classesOf(`${ESC}[1;2;3;4mx${ESC}[22;24my${ESC}[mz`)).to.deep.equal([
      'ansi-bold ansi-faint ansi-italic ansi-underline',
      'ansi-italic',
      '',
    ]);
  });

  it('of 256 and of 16 million become the nearest of sixteen', () => {
    expect(classesOf(`${ESC}[38;5;9mx`)).to.deep.equal(['ansi-fg ansi-9']);
    expect(classesOf(`${ESC}[38;5;196mx`)).to.deep.equal(['ansi-fg ansi-9']);
    expect(classesOf(`${ESC}[48;5;232mx`)).to.deep.equal(['ansi-bg ansi-0']);
    expect(classesOf(`${ESC}[38;2;250;250;250mx`)).to.deep.equal(['ansi-fg ansi-15']);
    expect(classesOf(`${ESC}[38;2;300;0;0;mx`)).to.deep.equal(['']);
  });

  it('come with the text around them and without any other code of a terminal', () => {
    expect(withoutAnsi(`a${ESC}[2K${ESC}[1Ab${ESC}]8;;https://x.example${ESC}\\c${ESC}]8;;\u0007d`)).to.equal(
      'abcd',
    );
    expect(withoutAnsi('a\u0000b\u007f\u202ec')).to.equal('a␀b␡⟨U+202E⟩c');
  });

  it('never lose or make a sign of HTML, whatever stands around it', () => {
    const piece = fc.constantFrom(
      '<b>',
      '"',
      "'",
      '&amp;',
      `${ESC}[31m`,
      `${ESC}[`,
      `${ESC}]8;;`,
      '\u0007',
      'm',
      '3',
      ';',
      'x\n',
    );
    fc.assert(
      fc.property(fc.array(piece, { maxLength: 30 }), (pieces) => {
        const text = pieces.join('');
        const shown = ansiSpans(text);
        expect(shown.map((span) => span.text).join('')).to.equal(withoutAnsi(text));
        for (const { classes, behind } of shown)
          expect(`${classes} ${behind}`).to.match(/^(?:ansi-(?:[a-z]+|\d+)(?: |$)| )*$/);
        // Nothing is there that the text does not have, in the same order.
        let at = 0;
        for (const sign of withoutAnsi(text).replace(/[\u2400-\u2421]/g, ''))
          at = text.indexOf(sign, at) + 1 || NaN;
        expect(Number.isNaN(at)).to.equal(false);
      }),
    );
  });

  it('of 64 kB of codes take less than two seconds, and at most 300 elements', () => {
    for (const code of [`${ESC}[31mx`, `${ESC}[`, `${ESC}]8;;`, `${ESC}[38;5;`, `${ESC}[3`, ESC]) {
      const text = code.repeat(64_000 / code.length);
      const began = performance.now();
      expect(ansiSpans(text).length, code).to.be.at.most(300);
      expect(performance.now() - began, code).to.be.below(2_000);
    }
  });
});
