/** Mends characters that XML 1.0 does not allow, in a stream of pieces. */

// An escape sequence of a terminal, with the ESC or the C1 character that begins it.
const sequence = new RegExp(String.raw`(?:\u001b\[|\u009b)[0-?]{0,32}[ -/]{0,8}[@-~]`, 'g');
// U+FFFD is legal, but stands for bytes that could not be decoded.
const control = String.raw`[\u0000-\u0008\u000b\u000c\u000e-\u001f\ufffd-\uffff]`;
const loneSurrogate = String.raw`[\ud800-\udbff](?![\udc00-\udfff])|(?<![\ud800-\udbff])[\udc00-\udfff]`;
const illegal = new RegExp(`${control}|${loneSurrogate}`, 'g');
const anyIllegal = new RegExp(`${control}|${loneSurrogate}`);
/** What may be the beginning of a sequence, at the end of a piece. */
const begun = new RegExp(String.raw`\u001b(?:\[[0-?]{0,32}[ -/]{0,8})?$`);

export type Mender = {
  /** The piece without illegal characters. It keeps back the beginning of an escape sequence for the next piece. */
  mend: (piece: string) => string;
  /** The text that was kept back. */
  rest: () => string;
  /** How many characters were illegal, or could not be decoded. */
  count: () => number;
};

export function mender(): Mender {
  let kept = '';
  let count = 0;
  return {
    mend(piece) {
      let text = kept + piece;
      kept = '';
      if (!anyIllegal.test(text)) return text;
      const start = begun.exec(text)?.index ?? text.length;
      kept = text.slice(start);
      text = text.slice(0, start);
      const mended = mendText(text);
      count += mended.count;
      return mended.text;
    },
    rest() {
      const { text, count: last } = mendText(kept);
      kept = '';
      count += last;
      return text;
    },
    count: () => count,
  };
}

/** An illegal character goes with the escape sequence that it begins. Any other becomes U+FFFD. */
export function mendText(text: string): { text: string; count: number } {
  let count = 0;
  const plain = text.replaceAll(sequence, (found) => {
    if (found.startsWith('\u001b')) count += 1;
    return '';
  });
  return {
    text: plain.replaceAll(illegal, () => {
      count += 1;
      return '\ufffd';
    }),
    count,
  };
}

const reference = /&#(?:x([0-9a-fA-F]{1,8})|([0-9]{1,10}));/g;

/** References to illegal characters, which the parser leaves as they are, become what the characters would become. */
export function mendReferences(text: string): string {
  return mendText(
    text.replaceAll(reference, (_, hex: string | undefined, decimal: string | undefined) => {
      const code = hex === undefined ? Number(decimal) : Number.parseInt(hex, 16);
      return code <= 0x1f ? String.fromCharCode(code) : '\ufffd';
    }),
  ).text;
}
