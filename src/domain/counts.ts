/** How many results of a run have each status, and the run's outcome. */
import { statusWords as fieldOf, type ResultStatus, type StatusWord } from './result.js';

export type Counts = Record<'total' | StatusWord, number>;

/** The counts of a run now, and at its last completion; null before the first. */
export type RunCounts = { counts: Counts; count_snapshot: (Counts & { at: string }) | null };

export type Outcome = 'failed' | 'passed' | 'skipped' | null;

export const noCounts: Counts = {
  total: 0,
  pending: 0,
  running: 0,
  passed: 0,
  failed: 0,
  skipped: 0,
  known_fail: 0,
};

export function added(counts: Counts, status: ResultStatus): Counts {
  return { ...counts, total: counts.total + 1, [fieldOf[status]]: counts[fieldOf[status]] + 1 };
}

export function removed(counts: Counts, status: ResultStatus): Counts {
  return { ...counts, total: counts.total - 1, [fieldOf[status]]: counts[fieldOf[status]] - 1 };
}

export function moved(counts: Counts, from: ResultStatus, to: ResultStatus): Counts {
  if (from === to) return counts;
  return { ...counts, [fieldOf[from]]: counts[fieldOf[from]] - 1, [fieldOf[to]]: counts[fieldOf[to]] + 1 };
}

/** Over the results that are not superseded (docs/api.md, section 3). */
export function outcomeOf(counts: Counts): Outcome {
  if (counts.failed > 0) return 'failed';
  if (counts.passed + counts.known_fail > 0) return 'passed';
  return counts.skipped > 0 ? 'skipped' : null;
}
