/** Positions of the EventStoreDB log: the commit position of an event, as 20 digits of text outside. */
import { START as FROM_START, type Position as ServerPosition } from '@eventstore/db-client';
import { isLogPosition, START, type Position } from '../../domain/event.js';
import { fail } from '../../errors.js';

/** The highest that the server counts to is 19 digits. */
export function toPosition(commit: bigint): Position {
  return String(commit).padStart(20, '0');
}

/** What the server starts after. @throws LedgerError `not_a_position` where the text is none of a log. */
export function toServerPosition(position: Position): ServerPosition | typeof FROM_START {
  if (position === START) return FROM_START;
  checkPosition(position);
  const commit = BigInt(position);
  return { commit, prepare: commit };
}

/** @throws LedgerError `not_a_position` where the text is none of a log. */
export function checkPosition(position: Position): void {
  if (position !== START && !isLogPosition(position))
    fail('not_a_position', `not a position of this log: ${position}`);
}
