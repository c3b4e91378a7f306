/** One letter for the status of a result: in a pack, upper case where the result has a document of its own. */
import type { ResultStatus } from '../../src/domain/results/result.js';

const letters = {
  Pending: 'n',
  Running: 'r',
  Passed: 'p',
  Failed: 'f',
  Skipped: 's',
  KnownFail: 'k',
} as const satisfies Record<ResultStatus, string>;

/** For a result that was deleted. */
export const GONE = '-';

type Packed = { status: ResultStatus; isChanged: boolean };

const meanings = new Map<string, Packed>(
  Object.entries(letters).flatMap(([name, letter]) => {
    const status = name as ResultStatus;
    const changed: [string, Packed] = [letter.toUpperCase(), { status, isChanged: true }];
    return [[letter, { status, isChanged: false }], changed];
  }),
);

export function letterOf(status: ResultStatus): string {
  return letters[status];
}

export function changedLetterOf(status: ResultStatus): string {
  return letters[status].toUpperCase();
}

/** Null for a result that is not there. */
export function statusOf(letter: string): Packed | null {
  return meanings.get(letter) ?? null;
}
