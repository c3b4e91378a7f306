/**
 * The row of failures of a test on one branch: since when it fails without a pass between, and its last pass before
 * that. Only the newest verdicts are kept one by one, because results are corrected and deleted soon or never.
 */
import type { Instant } from '../event.js';

/** When something happened to a test or to a group of failures, in which run, and at which commit. */
export type Moment = { run_id: string | null; commit: string | null; at: Instant };

/** A result that passed or failed. */
export type Verdict = {
  result_id: string;
  passed: boolean;
  moment: Moment;
  /** Another result counts in place of it. It is passed over. */
  superseded?: true;
};

export type FailingRow = {
  /** The first failure of the row; null unless the newest verdict failed. */
  failing_since: Moment | null;
  last_passed: Moment | null;
};

export type Verdicts = {
  /** The newest verdicts, newest first. */
  verdicts: readonly Verdict[];
  /** The row as the verdicts before them left it. It keeps what a later deletion or correction of those would change. */
  before: FailingRow;
};

export function withoutVerdict({ verdicts, before }: Verdicts, resultId: string): Verdicts {
  return { verdicts: verdicts.filter(({ result_id }) => result_id !== resultId), before };
}

/** A result is superseded, or counts again. */
export function withSuperseded(
  { verdicts, before }: Verdicts,
  resultId: string,
  superseded: boolean,
): Verdicts {
  return {
    verdicts: verdicts.map((verdict) => {
      if (verdict.result_id !== resultId) return verdict;
      const { superseded: _, ...bare } = verdict;
      return superseded ? { ...bare, superseded } : bare;
    }),
    before,
  };
}

/** The row after the newest verdict. */
export function failingRow({ verdicts, before }: Verdicts): FailingRow {
  return verdicts.reduceRight(rowAfter, before);
}

/** The newest failure; null unless the newest verdict failed. */
export function newestFailure({ verdicts, before }: Verdicts): Moment | null {
  const newest = verdicts.find(({ superseded }) => superseded !== true);
  if (newest === undefined) return before.failing_since;
  return newest.passed ? null : newest.moment;
}

function rowAfter(row: FailingRow, { passed, superseded, moment }: Verdict): FailingRow {
  if (superseded === true) return row;
  if (passed) return { failing_since: null, last_passed: moment };
  return row.failing_since === null ? { ...row, failing_since: moment } : row;
}
