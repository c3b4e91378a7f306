/**
 * The history of a test: its last results, and the transitions that follow from the next one (docs/api.md,
 * section 5). A plain object of at most 2,000 bytes as JSON, with any results.
 */
import { statusWords, type ResultStatus, type StatusWord } from '../result.js';
import {
  atCommitOf,
  earlierAttempt,
  entriesIn,
  isEntryOf,
  hasFailed,
  isVerdict,
  mayBeEvidence,
  packEntry,
  resultIdInEntry,
  statusOf,
} from './packed-entry.js';

export type FinalStatus = Extract<ResultStatus, 'Passed' | 'Failed' | 'Skipped' | 'KnownFail'>;

/** One result, by the event that set its final status last. */
export type TestEntry = {
  result_id: string;
  run_id: string | null;
  attempt: number;
  branch: string | null;
  commit: string | null;
  status: FinalStatus;
  /** The result had a final status before: this entry replaces its former one. */
  again: boolean;
};

export type TestHistory = {
  state: 'stable' | 'flaky';
  /**
   * While the test is flaky: the number of entries in a row without new evidence. The stored name means clean streak.
   */
  calm: number;
  /** The entries, newest first, as `packEntry` writes them, without separators. */
  packed: string;
};

/** A change of the test that follows from an entry, without the names of the test. */
export type Transition =
  | { type: 'TestRecovered'; failure: string }
  | { type: 'TestBecameFlaky'; rule: FlakyRule; evidence: string[] }
  | { type: 'TestStabilised' };

type FlakyRule = 'same_commit' | 'later_attempt';

/** The number of entries for flakiness and for the failure rate. */
export const WINDOW = 50;
export const OUTCOMES = 20;
/** This number of entries in a row without new evidence makes a flaky test stable. */
const CLEAN_STREAK = 20;

export const noHistory: TestHistory = { state: 'stable', calm: 0, packed: '' };

const MOST_BYTES = 2_000;
/** Packed entries are ASCII that JSON does not escape. */
const ROOM = MOST_BYTES - JSON.stringify({ ...noHistory, calm: CLEAN_STREAK }).length;

/**
 * The history with one more entry, and the transitions of the test's flakiness that follow. It does not change its
 * argument.
 */
export function withEntry(
  history: TestHistory,
  entry: TestEntry,
): { history: TestHistory; transitions: Transition[] } {
  const packed = packEntry(entry);
  const kept = entry.again ? without(history, entry.result_id) : history;
  const others = entriesIn(kept.packed);
  const next = { ...history, packed: fitted(packed + kept.packed, [packed, ...others]) };
  if (entry.again || !isVerdict(packed)) return { history: next, transitions: [] };

  const verdicts = others.filter(isVerdict).slice(0, WINDOW - 1);
  const transitions: Transition[] = [];
  const found = evidenceOf(entry, packed, verdicts);
  if (found !== null) {
    next.calm = 0;
    if (next.state === 'stable') {
      const evidence = [resultIdInEntry(found.earlier), entry.result_id];
      transitions.push({ type: 'TestBecameFlaky', rule: found.rule, evidence });
    }
    next.state = 'flaky';
  } else if (next.state === 'flaky') {
    next.calm += 1;
    if (next.calm === CLEAN_STREAK) {
      transitions.push({ type: 'TestStabilised' });
      next.state = 'stable';
      next.calm = 0;
    }
  }
  return { history: next, transitions };
}

/** The history without the entry of a deleted result. The transitions that followed from it stay. */
export function without(history: TestHistory, resultId: string): TestHistory {
  const isIts = isEntryOf(resultId);
  const left = entriesIn(history.packed).filter((entry) => !isIts(entry));
  return { ...history, packed: left.join('') };
}

/** The last 20 outcomes, newest first. */
export function lastOutcomes({ packed }: TestHistory): StatusWord[] {
  return entriesIn(packed)
    .slice(0, OUTCOMES)
    .map((entry) => statusWords[statusOf(entry)]);
}

/** The share of failures among the last 50 entries, from 0 to 1; 0 without entries. */
export function failureRate({ packed }: TestHistory): number {
  const last = entriesIn(packed).slice(0, WINDOW);
  return rateOf(last.map((entry) => statusWords[statusOf(entry)]));
}

/** The share of failures. */
export function rateOf(outcomes: readonly StatusWord[]): number {
  if (outcomes.length === 0) return 0;
  return outcomes.filter((outcome) => outcome === 'failed').length / outcomes.length;
}

type Evidence = { rule: FlakyRule; earlier: string };

/** The evidence of flakiness in a verdict and the verdicts before it, newest first. */
function evidenceOf(entry: TestEntry, packed: string, verdicts: readonly string[]): Evidence | null {
  const failed = hasFailed(packed);
  const nearest = (fits: (other: string) => boolean) =>
    verdicts.find((other) => fits(other) && mayBeEvidence(other));
  const same = nearest(atCommitOf(packed));
  if (same !== undefined && hasFailed(same) !== failed) return { rule: 'same_commit', earlier: same };
  if (failed || entry.run_id === null || entry.attempt === 1) return null;
  const earlier = nearest(earlierAttempt(entry, entry.run_id));
  return earlier !== undefined && hasFailed(earlier) ? { rule: 'later_attempt', earlier } : null;
}

/**
 * The entries that fit. The 50 newest verdicts and the 50 newest entries of any kind always fit: the others are
 * dropped, the oldest first.
 */
function fitted(text: string, entries: string[]): string {
  let { length } = text;
  if (length <= ROOM) return text;
  let verdicts = entries.filter(isVerdict).length;
  for (let n = entries.length - 1; n >= WINDOW && length > ROOM; n -= 1) {
    const verdict = isVerdict(entries[n]!);
    if (!verdict || verdicts > WINDOW) length -= entries.splice(n, 1)[0]!.length;
    if (verdict) verdicts -= 1;
  }
  return entries.join('');
}
