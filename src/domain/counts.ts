/** The number of a run's results by status, and the outcome of the run. */
import type { Fact } from './events.js';
import { statusWords, type ResultStatus, type StatusWord } from './results/result.js';

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

/** The events of results that change the counts of their run. */
export type CountedEvent =
  | 'ResultCreated'
  | 'ResultSubmitted'
  | 'ResultStarted'
  | 'ResultFinished'
  | 'ResultUpdated'
  | 'ResultDeleted';

/** Returns the counts of a run after an event of one of its results. */
export function countsAfter(counts: Counts, { type, data }: Fact<CountedEvent>): Counts {
  switch (type) {
    case 'ResultCreated':
    case 'ResultSubmitted':
      return added(counts, data.status);
    case 'ResultStarted':
    case 'ResultFinished':
    case 'ResultUpdated':
      return moved(counts, data.previous_status, data.status);
    case 'ResultDeleted':
      return removed(counts, data.status);
  }
}

export function added(counts: Counts, status: ResultStatus): Counts {
  const next = copyOf(counts);
  next.total += 1;
  next[statusWords[status]] += 1;
  return next;
}

export function removed(counts: Counts, status: ResultStatus): Counts {
  const next = copyOf(counts);
  next.total -= 1;
  next[statusWords[status]] -= 1;
  return next;
}

export function moved(counts: Counts, from: ResultStatus, to: ResultStatus): Counts {
  if (from === to) return counts;
  const next = copyOf(counts);
  next[statusWords[from]] -= 1;
  next[statusWords[to]] += 1;
  return next;
}

/** Written out: made for each result (docs/decisions/033). */
function copyOf({ total, pending, running, passed, failed, skipped, known_fail }: Counts): Counts {
  return { total, pending, running, passed, failed, skipped, known_fail };
}

export function sumOf(one: Counts, other: Counts): Counts {
  const names = Object.keys(one) as (keyof Counts)[];
  return Object.fromEntries(names.map((name) => [name, one[name] + other[name]])) as Counts;
}

/** `counts` must not contain superseded results (docs/api.md, section 3). */
export function outcomeOf(counts: Counts): Outcome {
  if (counts.failed > 0) return 'failed';
  if (counts.passed + counts.known_fail > 0) return 'passed';
  return counts.skipped > 0 ? 'skipped' : null;
}
