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

/**
 * The character of a reference that XML does not allow, for `mendText` to mend with the text around it. A reference that
 * names no character stays as it is.
 */
export function referredCharacter(entity: string): string {
  const match = /^#(?:x([0-9a-fA-F]+)|([0-9]+))$/.exec(entity);
  if (match === null) return `&${entity};`;
  const [, hex, decimal] = match;
  const code = hex === undefined ? Number(decimal) : Number.parseInt(hex, 16);
  return code <= 0x1f ? String.fromCharCode(code) : '\ufffd';
}

/** The beginnings of what must stay in one piece: a surrogate pair, the end mark of CDATA, an escape sequence. */
const unfinished = new RegExp(String.raw`(?:[\ud800-\udbff]|\]{1,2}|\]\]&(?:gt?)?|${begun.source})$`);
/** No beginning is longer. */
const LONGEST = 64;

/** Where a long text can be cut: the rest belongs to what follows. */
export function cutPlace(text: string): number {
  const start = Math.max(0, text.length - LONGEST);
  const found = unfinished.exec(text.slice(start));
  return found === null ? text.length : start + found.index;
}
