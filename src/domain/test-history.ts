/**
 * The history of a test: what it remembers of its last results, and what follows from the next (docs/api.md,
 * section 5). A plain object of at most 2,000 bytes as JSON, whatever is told of the results.
 */
import { statusWords, type ResultStatus, type StatusWord } from './result.js';
import {
  atCommitOf,
  earlierAttempt,
  entriesIn,
  entryOf,
  hasFailed,
  isVerdict,
  mayBeEvidence,
  packEntry,
  resultIdOf,
  statusOf,
} from './packed-entry.js';

export type FinalStatus = Extract<ResultStatus, 'Passed' | 'Failed' | 'Skipped' | 'KnownFail'>;

/** One result, at the place where its final status was set last. */
export type TestEntry = {
  result_id: string;
  run_id: string | null;
  attempt: number;
  branch: string | null;
  commit: string | null;
  status: FinalStatus;
  /** The result had a final status before: it took the place of an entry of its own. */
  again: boolean;
};

export type TestHistory = {
  state: 'stable' | 'flaky';
  /** While it is flaky: entries in a row that gave no new evidence. */
  calm: number;
  /** Entries, newest first, one after the other as `packEntry` writes them. */
  packed: string;
};

/** What follows from an entry, without what names the test. */
export type Transition =
  | { type: 'TestRecovered'; failure: string }
  | { type: 'TestBecameFlaky'; rule: FlakyRule; evidence: string[] }
  | { type: 'TestStabilised' };

type FlakyRule = 'same_commit' | 'later_attempt';

/** Entries that flakiness looks at, and that the failure rate is of. */
export const WINDOW = 50;
export const OUTCOMES = 20;
/** So many entries in a row without new evidence make a flaky test stable. */
const CALM = 20;

export const noHistory: TestHistory = { state: 'stable', calm: 0, packed: '' };

const MOST_BYTES = 2_000;
/** All of it is ASCII that JSON writes as it is. */
const ROOM = MOST_BYTES - JSON.stringify({ ...noHistory, calm: CALM }).length;

/**
 * The history with one entry more, and what follows from that for the test's flakiness. The one given is left as it is.
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
      const evidence = [resultIdOf(found.earlier), entry.result_id];
      transitions.push({ type: 'TestBecameFlaky', rule: found.rule, evidence });
    }
    next.state = 'flaky';
  } else if (next.state === 'flaky') {
    next.calm += 1;
    if (next.calm === CALM) {
      transitions.push({ type: 'TestStabilised' });
      next.state = 'stable';
      next.calm = 0;
    }
  }
  return { history: next, transitions };
}

/** The history without the entry of a result that was deleted. What followed from it stands. */
export function without(history: TestHistory, resultId: string): TestHistory {
  const isIts = entryOf(resultId);
  const left = entriesIn(history.packed).filter((entry) => !isIts(entry));
  return { ...history, packed: left.join('') };
}

/** The last 20, newest first. */
export function lastOutcomes({ packed }: TestHistory): StatusWord[] {
  return entriesIn(packed)
    .slice(0, OUTCOMES)
    .map((entry) => statusWords[statusOf(entry)]);
}

/** Of the last 50 entries, 0 to 1; 0 where there is none. */
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

/** What a verdict, together with those before it, newest first, says of the test's flakiness. */
function evidenceOf(entry: TestEntry, packed: string, verdicts: readonly string[]): Evidence | null {
  const failed = hasFailed(packed);
  const nearest = (fits: (other: string) => boolean) =>
    verdicts.find((other) => fits(other) && mayBeEvidence(other));
  const same = nearest(atCommitOf(packed));
  if (same !== undefined && hasFailed(same) !== failed) return { rule: 'same_commit', earlier: same };
  if (failed || entry.run_id === null || entry.attempt === 1) return null;
  const earlier = nearest(earlierAttempt(entry.run_id, entry.attempt));
  return earlier !== undefined && hasFailed(earlier) ? { rule: 'later_attempt', earlier } : null;
}

/**
 * As much as there is room for. There is for the 50 newest verdicts, and for the 50 newest entries of any kind: what is
 * neither goes, the oldest first.
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
