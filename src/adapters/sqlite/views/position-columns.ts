/**
 * Positions in columns and indexes, without their zeros: `00000000000000051012-009999` becomes `f51012-e9999`. A letter
 * says how many digits follow, so the texts sort as the positions do.
 */

const DIGITS = 20;
const ORDINAL_DIGITS = 6;
const WITH_ORDINAL = DIGITS + 1 + ORDINAL_DIGITS;
const LETTERS = 'abcdefghijklmnopqrstu';
const SHORT = /^([a-u]\d*)(?:-([a-g]\d*))?(#\d+)?$/;
const [ZERO, NINE] = [48, 57];

/** Whether `positionColumn` makes this shorter, and `positionOfColumn` gives it back. */
export function isFullPosition(value: unknown): value is string {
  return typeof value === 'string' && lengthOfPosition(value) > 0;
}

/** Another text is kept as it is: a bound of a query, for example. */
export function positionColumn(position: string): string {
  const length = lengthOfPosition(position);
  if (length === 0) return position;
  const number = shortened(position, 0, DIGITS);
  const ordinal = length === DIGITS ? '' : `-${shortened(position, DIGITS + 1, WITH_ORDINAL)}`;
  return number + ordinal + position.slice(length);
}

/** The position of which `positionColumn` made this text. */
export function positionOfColumn(column: string): string {
  const match = SHORT.exec(column);
  if (match === null) return column;
  const [, number = '', ordinal, rest = ''] = match;
  const digits = number.slice(1).padStart(DIGITS, '0');
  return `${digits}${ordinal === undefined ? '' : `-${ordinal.slice(1).padStart(ORDINAL_DIGITS, '0')}`}${rest}`;
}

/**
 * The length of the position without the `#` and number that may follow it; 0 for any other text. Without a regular
 * expression, because each document that is written has a position.
 */
function lengthOfPosition(text: string): number {
  if (!areDigits(text, 0, DIGITS)) return 0;
  const length = text[DIGITS] === '-' && areDigits(text, DIGITS + 1, WITH_ORDINAL) ? WITH_ORDINAL : DIGITS;
  if (text.length === length) return length;
  return text[length] === '#' && text.length > length + 1 && areDigits(text, length + 1, text.length)
    ? length
    : 0;
}

function areDigits(text: string, from: number, to: number): boolean {
  if (text.length < to) return false;
  for (let at = from; at < to; at += 1) {
    const code = text.charCodeAt(at);
    if (code < ZERO || code > NINE) return false;
  }
  return true;
}

function shortened(text: string, from: number, to: number): string {
  let at = from;
  while (at < to && text.charCodeAt(at) === ZERO) at += 1;
  return LETTERS[to - at]! + text.slice(at, to);
}
