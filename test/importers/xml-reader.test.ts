import { expect } from 'chai';
import { cutPlace } from '../../src/importers/xml/characters.js';
import { xmlReader } from '../../src/importers/xml/reader.js';

/** The texts of a document that comes in pieces of this size. */
function textOf(document: string, size: number): string {
  let text = '';
  const reader = xmlReader({ open() {}, close() {}, text: (piece) => (text += piece) });
  for (let at = 0; at < document.length;) {
    // The decoder divides no surrogate pair.
    const end = at + size + (/[\ud800-\udbff]/.test(document.charAt(at + size - 1)) ? 1 : 0);
    reader.write(document.slice(at, end));
    at = end;
  }
  reader.end();
  return text;
}

describe('importers: long texts of XML', () => {
  // The parser hands a text on in parts of at least this length.
  const part = 32 * 1_024;

  it('are mended wherever they are cut', () => {
    for (let before = part - 70; before <= part + 10; before += 1) {
      const filler = 'x'.repeat(before);
      const text = textOf(`<a>${filler}&#27;[31mred&#27;[0m🦦 &amp;#27; &#0;</a>`, 29);
      expect(text === `${filler}red🦦 &#27; \ufffd`, `${before}: ${text.slice(before)}`).to.equal(true);
    }
  });

  it('are mended in all parts after an illegal reference', () => {
    const filler = 'x'.repeat(part);
    const text = textOf(`<a>&#27;[31m${filler}&#27;[32m${filler}&#27;[0m${filler}🦦</a>`, 1_000);
    expect(text === `${filler}${filler}${filler}🦦`).to.equal(true);
  });

  it('have the end mark of CDATA mended wherever they are cut', () => {
    for (let before = part - 40; before <= part + 10; before += 1) {
      const filler = 'x'.repeat(before);
      const text = textOf(`<a><![CDATA[${filler}]]&gt;🦦 &#27; ]]&gt]]]></a>`, 29);
      expect(text === `${filler}]]>🦦 &#27; ]]&gt]`, `${before}: ${text.slice(before)}`).to.equal(true);
    }
  });

  it('are cut near their end, whatever is in them', () => {
    for (const text of ['x', ']', ']]&gt', '\ud83e', '\u001b[', '\u001b[3', '\u001b'].map((each) =>
      each.repeat(10_000),
    )) {
      expect(text.length - cutPlace(text), text.slice(0, 6)).to.be.below(64);
    }
  });
});
