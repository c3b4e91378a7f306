/** Positions of the SQLite log: whole numbers without a gap in the file, 20 digits of text outside. */
import { isLogPosition, START, type Position } from '../../../domain/event.js';
import { fail } from '../../../errors.js';

/** The text of a row's number; 0 is `START`. */
export function toPosition(number: number): Position {
  return number === 0 ? START : String(number).padStart(20, '0');
}

/** The row's number. @throws LedgerError `not_a_position` where the text is no position of this log. */
export function toNumber(position: Position): number {
  if (position === START) return 0;
  const number = isLogPosition(position) ? Number(position) : NaN;
  if (!Number.isSafeInteger(number)) fail('not_a_position', `not a position of this log: ${position}`);
  return number;
}
