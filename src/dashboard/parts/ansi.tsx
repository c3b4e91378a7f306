/**
 * Text of a terminal: its colours as classes, and nothing else of its escape codes. The policy of pages forbids inline
 * styles, so the 256 and the 16 million colours become the nearest of the sixteen that the stylesheet names. Preact
 * escapes the text: nothing here makes HTML.
 */

export type Span = { text: string; classes: string };

/** Text that a terminal would show with one look. */
export function ansiSpans(text: string): Span[] {
  const spans: Span[] = [];
  let look: Look = plain;
  let from = 0;
  const add = (piece: string) => {
    if (piece === '') return;
    const shown = withMarks(piece);
    const last = spans.at(-1);
    const isFull = spans.length >= MOST_SPANS;
    const classes = isFull ? last!.classes : classesOf(look);
    if (last?.classes === classes) last.text += shown;
    else spans.push({ text: shown, classes });
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
      {ansiSpans(text).map((span) =>
        span.classes === '' ? span.text : <span class={span.classes}>{span.text}</span>,
      )}
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

type Look = {
  fg: number | null;
  bg: number | null;
  bold: boolean;
  faint: boolean;
  italic: boolean;
  underline: boolean;
  inverse: boolean;
};

const plain: Look = {
  fg: null,
  bg: null,
  bold: false,
  faint: false,
  italic: false,
  underline: false,
  inverse: false,
};

function classesOf({ fg, bg, ...rest }: Look): string {
  const names = Object.entries(rest).flatMap(([name, on]) => (on ? `ansi-${name}` : []));
  if (fg !== null) names.push(`ansi-fg-${fg}`);
  if (bg !== null) names.push(`ansi-bg-${bg}`);
  return names.join(' ');
}

function lookAfter(look: Look, codes: string): Look {
  const numbers = codes.split(/[;:]/).map(Number);
  let next = look;
  for (let at = 0; at < numbers.length; at += 1) {
    const code = numbers[at]!;
    if (code !== 38 && code !== 48) {
      next = { ...(code === 0 ? plain : next), ...changeOf(code) };
      continue;
    }
    const { color, used } = wideColor(numbers.slice(at + 1));
    if (color !== null) next = { ...next, [code === 38 ? 'fg' : 'bg']: color };
    at += used;
  }
  return next;
}

function changeOf(code: number): Partial<Look> {
  if (code >= 30 && code <= 37) return { fg: code - 30 };
  if (code >= 90 && code <= 97) return { fg: code - 82 };
  if (code >= 40 && code <= 47) return { bg: code - 40 };
  if (code >= 100 && code <= 107) return { bg: code - 92 };
  return changes[code] ?? {};
}

const changes: Readonly<Record<number, Partial<Look>>> = {
  1: { bold: true },
  2: { faint: true },
  3: { italic: true },
  4: { underline: true },
  7: { inverse: true },
  22: { bold: false, faint: false },
  23: { italic: false },
  24: { underline: false },
  27: { inverse: false },
  39: { fg: null },
  49: { bg: null },
};

/** What follows 38 or 48: `5;n`, one of 256 colours, or `2;r;g;b`. */
function wideColor([mode, ...rest]: number[]): { color: number | null; used: number } {
  if (mode === 5) return { color: of256(rest[0] ?? NaN), used: 2 };
  if (mode === 2) return { color: nearest(rest.slice(0, 3)), used: 4 };
  return { color: null, used: 1 };
}

const LEVELS = [0, 95, 135, 175, 215, 255];

function of256(index: number): number | null {
  if (!(index >= 0 && index <= 255)) return null;
  if (index < 16) return index;
  if (index >= 232) {
    const grey = 8 + (index - 232) * 10;
    return nearest([grey, grey, grey]);
  }
  const cube = index - 16;
  return nearest([Math.floor(cube / 36), Math.floor(cube / 6) % 6, cube % 6].map((step) => LEVELS[step]!));
}

/** Those of xterm. */
const SIXTEEN: readonly (readonly number[])[] = [
  [0, 0, 0],
  [205, 0, 0],
  [0, 205, 0],
  [205, 205, 0],
  [0, 0, 238],
  [205, 0, 205],
  [0, 205, 205],
  [229, 229, 229],
  [127, 127, 127],
  [255, 0, 0],
  [0, 255, 0],
  [255, 255, 0],
  [92, 92, 255],
  [255, 0, 255],
  [0, 255, 255],
  [255, 255, 255],
];

function nearest(rgb: readonly number[]): number | null {
  if (rgb.length < 3 || !rgb.every((value) => value >= 0 && value <= 255)) return null;
  const distances = SIXTEEN.map((color) => color.reduce((sum, value, n) => sum + (value - rgb[n]!) ** 2, 0));
  return distances.indexOf(Math.min(...distances));
}
