/**
 * Positions in columns and indexes, without their zeros: `00000000000000051012-009999` becomes `f51012-e9999`. A letter
 * says how many digits follow, so the texts sort as the positions do.
 */

const FULL = /^(\d{20})(?:-(\d{6}))?(#\d+)?$/;
const SHORT = /^([a-u]\d*)(?:-([a-g]\d*))?(#\d+)?$/;

/** Another text is kept as it is: a bound of a query, for example. */
export function positionColumn(position: string): string {
  const match = FULL.exec(position);
  if (match === null) return position;
  const [, number = '', ordinal, rest = ''] = match;
  return `${shortened(number)}${ordinal === undefined ? '' : `-${shortened(ordinal)}`}${rest}`;
}

/** The position of which `positionColumn` made this text. */
export function positionOfColumn(column: string): string {
  const match = SHORT.exec(column);
  if (match === null) return column;
  const [, number = '', ordinal, rest = ''] = match;
  const digits = number.slice(1).padStart(20, '0');
  return `${digits}${ordinal === undefined ? '' : `-${ordinal.slice(1).padStart(6, '0')}`}${rest}`;
}

const LETTERS = 'abcdefghijklmnopqrstu';

function shortened(digits: string): string {
  const left = digits.replace(/^0+/, '');
  return `${LETTERS[left.length]}${left}`;
}
