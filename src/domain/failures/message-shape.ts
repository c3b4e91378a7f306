/** The shape of a message: one line in which all that differs from run to run is replaced by placeholders. */

/** The longest line whose shape is taken. What follows is no part of the shape. */
const LONGEST = 1_024;

/** For example `expected <text> to have <n> items`. */
export function shapeOf(line: string): string {
  const shape = withoutNumbers(withoutIds(withoutPaths(withoutValues(line.slice(0, LONGEST)))));
  return shape.replace(/\s+/g, ' ').trim();
}

/** Replaces UUIDs, instants, hexadecimal numbers and other ids. */
export function withoutIds(line: string): string {
  return line
    .replace(/[0-9a-f]{8}-[0-9a-f]{4}-[0-9a-f]{4}-[0-9a-f]{4}-[0-9a-f]{12}/gi, '<id>')
    .replace(INSTANT, '<time>')
    .replace(/\b0x[0-9a-f]+/gi, '<id>')
    .replace(/(?<![A-Za-z0-9])[A-Za-z0-9]{8,}(?![A-Za-z0-9])/g, (word) =>
      looksRandom(word) ? '<id>' : word,
    );
}

const DAY = '(?:Mon|Tue|Wed|Thu|Fri|Sat|Sun)';
const MONTH = '(?:Jan|Feb|Mar|Apr|May|Jun|Jul|Aug|Sep|Oct|Nov|Dec)';
const CLOCK = '\\d{1,2}:\\d{2}:\\d{2}(?:[.,]\\d{1,9})?';
const ZONE = '(?: ?(?:Z|UTC|GMT)(?:[+-]\\d{4})?| ?[+-]\\d{2}:?\\d{2})?(?: \\([A-Z][A-Za-z ]{1,50}\\))?';
const INSTANT = new RegExp(
  [
    `\\d{4}-\\d{2}-\\d{2}(?:[T ]\\d{2}:\\d{2}(?::\\d{2}(?:[.,]\\d{1,9})?)?${ZONE})?`,
    `(?:${DAY},? )?(?:\\d{1,2} ${MONTH}|${MONTH} \\d{1,2}),? \\d{4}(?:,? ${CLOCK}${ZONE})?`,
    `\\d{1,4}/\\d{1,2}/\\d{1,4}(?: ${CLOCK}${ZONE})?`,
    CLOCK,
  ].join('|'),
  'g',
);

/** Hexadecimal digits with a digit among them, or a long word with many digits. A number is not an id. */
function looksRandom(word: string): boolean {
  const digits = word.replace(/\D/g, '').length;
  if (digits === 0 || digits === word.length) return false;
  return /^[0-9a-f]+$/i.test(word) || (word.length >= 20 && digits >= 4);
}

/** A number may have a unit of time: what took 950ms once takes 1.2s another time. */
function withoutNumbers(line: string): string {
  return line
    .replace(
      /(?:(?<!\w)[-+])?\d+(?:[.,]\d+)*(?:e[-+]?\d+)?(?:(?:ns|us|µs|ms|s|min|m|h)(?![A-Za-z]))?/gi,
      '<n>',
    )
    .replace(/(?:<n>)+/g, '<n>');
}

/** Replaces URLs and paths. `and/or` and `text/html` are none. Backslashes alone may be a name: `App\Models\Order`. */
function withoutPaths(line: string): string {
  return line
    .replace(/(?<![A-Za-z])[A-Za-z]{2,15}:\/\/[^\s'"<>)\]}]+/g, '<path>')
    .replace(/(?<![\w/\\])(?:[A-Za-z]:[\\/]|~?\/|\.{1,2}[\\/])[\w.@%+~-][^\s'"<>()[\]{},;:]*/g, '<path>')
    .replace(/(?<![\w/\\.@-])[\w@.-]+(?:[\\/][\w@.-]+)+\.[A-Za-z]{1,5}\b/g, '<path>');
}

/**
 * Replaces quoted text, and what stands between square, curly and angle brackets. Text between grave accents stays: it
 * is code, such as the two sides of an assertion. It reads the line once.
 */
function withoutValues(line: string): string {
  const closing = closingBrackets(line);
  /** The quotation marks that do not occur again in the rest of the line as an end. */
  const unclosed = new Set<string>();
  let shape = '';
  for (let at = 0; at < line.length; at += 1) {
    const character = line.charAt(at);
    const bracket = closing.get(at);
    const end = QUOTES[character];
    if (bracket !== undefined) {
      shape += character === '<' ? '<text>' : '<value>';
      at = bracket;
    } else if (end !== undefined && !unclosed.has(character) && !isWord(line, at - 1)) {
      const close = endOfQuote(line, at + 1, end);
      if (close === null) unclosed.add(character);
      shape += close === null ? character : '<text>';
      at = close ?? at;
    } else shape += character;
  }
  return shape;
}

const QUOTES: Record<string, string> = { "'": "'", '"': '"', '“': '”', '‘': '’', '«': '»' };

/** An apostrophe inside a word ends nothing. */
function endOfQuote(line: string, from: number, end: string): number | null {
  for (let at = from; at < line.length; at += 1) {
    if (line.charAt(at) === '\\') at += 1;
    else if (line.charAt(at) === end && !isWord(line, at + 1)) return at;
  }
  return null;
}

function isWord(line: string, at: number): boolean {
  return /^\w$/.test(line.charAt(at));
}

const BRACKETS: Record<string, string> = { '[': ']', '{': '}', '<': '>' };

/** Where each bracket is closed. Brackets that are not closed, signs of comparison and arrows are left out. */
function closingBrackets(line: string): Map<number, number> {
  const closing = new Map<number, number>();
  const open: Record<string, number[]> = { ']': [], '}': [], '>': [] };
  for (let at = 0; at < line.length; at += 1) {
    const character = line.charAt(at);
    const end = BRACKETS[character];
    if (end !== undefined && !(character === '<' && /^[\s=-]?$/.test(line.charAt(at + 1))))
      open[end]?.push(at);
    if (character === '>' && /^[\s=-]$/.test(line.charAt(at - 1))) continue;
    const start = open[character]?.pop();
    if (start !== undefined) closing.set(start, at);
  }
  return closing;
}
