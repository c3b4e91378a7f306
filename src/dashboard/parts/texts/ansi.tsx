/**
 * Text of a terminal: its colours as classes, and nothing else of its escape codes. The policy of pages forbids inline
 * styles, so the 256 and the 16 million colours become the nearest of the sixteen that the stylesheet names. Preact
 * escapes the text: nothing here makes HTML.
 */

export type Span = {
  text: string;
  classes: string;
  /** The classes of the element around it, for the background. */
  behind: string;
};

/** Text that a terminal would show with one look. */
export function ansiSpans(text: string): Span[] {
  const spans: Span[] = [];
  let look = plain;
  let from = 0;
  const add = (piece: string) => {
    if (piece === '') return;
    const next = spanOf(look, withMarks(piece));
    const last = spans.at(-1);
    const isAlike = last?.classes === next.classes && last.behind === next.behind;
    if (last !== undefined && (isAlike || spans.length >= MOST_SPANS)) last.text += next.text;
    else spans.push(next);
  };
  for (const match of text.matchAll(CODES)) {
    add(text.slice(from, match.index));
    from = match.index + match[0].length;
    // The look of what follows is settled: a text of codes alone must not cost seconds.
    if (match[1] !== undefined && spans.length < MOST_SPANS) look = lookAfter(look, match[1]);
  }
  add(text.slice(from));
  return spans;
}

/** The text alone. */
export function withoutAnsi(text: string): string {
  return withMarks(text.replace(CODES, ''));
}

export function Ansi({ text }: { text: string }) {
  return (
    <>
      {ansiSpans(text).map(({ text: shown, classes, behind }) => {
        const inner = classes === '' ? shown : <span class={classes}>{shown}</span>;
        return behind === '' ? inner : <span class={behind}>{inner}</span>;
      })}
    </>
  );
}

/** A page has at most 5,000 nodes. What follows has the last look. */
const MOST_SPANS = 300;

/**
 * Colours (with their numbers), other sequences of a terminal, links, and single escapes. The escape character may have
 * become another one on the way: XML cannot hold it. No part can match an escape character twice, so this is linear.
 */
const CODES =
  // oxlint-disable-next-line no-control-regex
  /(?:\u001b|#x1B|\ufffd|\u241b)\[(?:([\d;:]{0,60})m|[0-?]{0,60}[ -/]{0,4}[@-~])|\u001b\][^\u0007\u001b]*(?:\u0007|\u001b\\|$)|\u001b[^[\]]?/g;

// oxlint-disable-next-line no-control-regex
const MARKED = /[\u0000-\u0008\u000b-\u001f\u007f\u202a-\u202e\u2066-\u2069\ud800-\udfff]/;

/** Control characters that do nothing here, and those that turn the direction of a text, as signs that one sees. */
function withMarks(text: string): string {
  if (!MARKED.test(text)) return text;
  return (
    text
      .toWellFormed()
      .replaceAll('\r\n', '\n')
      // oxlint-disable-next-line no-control-regex
      .replace(/[\u0000-\u0008\u000b-\u001f]/g, (sign) => String.fromCodePoint(0x2400 + sign.codePointAt(0)!))
      .replaceAll('\u007f', '␡')
      .replace(
        /[\u202a-\u202e\u2066-\u2069]/g,
        (sign) => `⟨U+${sign.codePointAt(0)!.toString(16).toUpperCase()}⟩`,
      )
  );
}

type Look = { fg: number | null; bg: number | null; styles: readonly string[] };

const plain: Look = { fg: null, bg: null, styles: [] };

/** Two colours need two elements: each has its colour from one class. */
function spanOf({ fg, bg, styles }: Look, text: string): Span {
  const color = fg === null ? [] : ['ansi-fg', `ansi-${fg}`];
  return { text, classes: [...styles, ...color].join(' '), behind: bg === null ? '' : `ansi-bg ansi-${bg}` };
}

const STYLES = new Map(
  Object.entries({ 1: 'bold', 2: 'faint', 3: 'italic', 4: 'underline', 7: 'inverse' }).map(([code, name]) => [
    Number(code),
    `ansi-${name}`,
  ]),
);

function lookAfter(look: Look, codes: string): Look {
  let { fg, bg, styles } = look;
  const numbers = codes.split(/[;:]/).map(Number);
  for (let code = numbers.shift(); code !== undefined; code = numbers.shift()) {
    const style = STYLES.get(code);
    // 22 ends both bold and faint.
    const ends = code === 22 ? ['ansi-bold', 'ansi-faint'] : [STYLES.get(code - 20)];
    if (code === 0) ({ fg, bg, styles } = plain);
    else if (style !== undefined) styles = [...styles.filter((each) => each !== style), style];
    else if (code >= 22 && code <= 27) styles = styles.filter((each) => !ends.includes(each));
    else if (code === 38) fg = wideColor(numbers) ?? fg;
    else if (code === 48) bg = wideColor(numbers) ?? bg;
    else if (code >= 30 && code <= 39) fg = code === 39 ? null : code - 30;
    else if (code >= 40 && code <= 49) bg = code === 49 ? null : code - 40;
    else if (code >= 90 && code <= 97) fg = code - 82;
    else if (code >= 100 && code <= 107) bg = code - 92;
  }
  return { fg, bg, styles };
}

/** Takes what follows 38 or 48 from the numbers: `5;n`, one of 256 colours, or `2;r;g;b`. */
function wideColor(numbers: number[]): number | null {
  const mode = numbers.shift();
  if (mode === 2) return nearest(numbers.splice(0, 3));
  const index = mode === 5 ? (numbers.shift() ?? NaN) : NaN;
  if (index < 16) return index;
  if (index >= 232) return nearest(Array<number>(3).fill(8 + (index - 232) * 10));
  const cube = index - 16;
  const steps = [Math.floor(cube / 36), Math.floor(cube / 6) % 6, cube % 6];
  return nearest(steps.map((step) => (step === 0 ? 0 : 55 + step * 40)));
}

/** Of the sixteen, by the rule of chalk: which parts are more than half, and bright where one is more than three quarters. */
function nearest(rgb: readonly number[]): number | null {
  if (rgb.length < 3 || !rgb.every((value) => value >= 0 && value <= 255)) return null;
  const hue = rgb.reduce((sum, value, n) => sum + (Math.round(value / 255) << n), 0);
  return hue + (Math.max(...rgb) > 191 ? 8 : 0);
}
