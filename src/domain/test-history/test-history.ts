/**
 * The history of a test: its last results, and the transitions that follow from the next one (docs/api.md,
 * section 5). The entries name their origins in a list that many tests share (`packed-entry.ts`).
 */
import { statusWords, type StatusWord } from '../results/result.js';
import { BROKEN_RUNS, failingRuns, withDropped } from './failing-runs.js';
import {
  atCommitOf,
  earlierAttempt,
  entriesIn,
  entryAfter,
  entryAt,
  isEntryOf,
  hasFailed,
  isVerdict,
  mayBeEvidence,
  packEntry,
  resultIdInEntry,
  statusOf,
  withOrigin,
  type EntryTest,
  type Origins,
} from './packed-entry.js';
import type { FinalStatus, TestEntry } from './test-entry.js';

export type TestHistory = {
  state: 'stable' | 'flaky' | 'broken';
  /**
   * While the test is flaky: the number of entries in a row without new evidence. The stored name means clean streak.
   */
  calm: number;
  /** The runs of dropped entries that failed in a row, up to `BROKEN_RUNS`: the row in `packed` goes on with them. */
  dropped: number;
  /** The entries, newest first, as `packEntry` writes them, without separators. */
  packed: string;
  /** Those of the entries, and perhaps others. */
  origins: Origins;
};

/** A change of the test that follows from an entry, without the names of the test. */
export type Transition =
  | { type: 'TestRecovered'; failure: string }
  | { type: 'TestBecameFlaky'; rule: FlakyRule; evidence: string[] }
  | { type: 'TestBecameBroken' }
  | { type: 'TestStabilised' };

type FlakyRule = 'same_commit' | 'later_attempt';

/** The number of entries for flakiness and for the failure rate. */
export const WINDOW = 50;
export const OUTCOMES = 20;
/** Some more fill the gap after deletions and corrections. */
const STORED = WINDOW + 6;
/** This number of entries in a row without new evidence makes a flaky test stable. */
const CLEAN_STREAK = 20;

export const noHistory: TestHistory = { state: 'stable', calm: 0, dropped: 0, packed: '', origins: [] };

/**
 * The history with one more entry, and the transitions of the test's flakiness that follow. It does not change its
 * argument.
 */
export function withEntry(
  history: TestHistory,
  entry: TestEntry,
): { history: TestHistory; transitions: Transition[] } {
  const { origins, origin } = withOrigin(history.origins, entry);
  const packed = packEntry(entry, origin);
  const kept = entry.again ? without(history, entry.result_id) : history;
  // Written out, here and below: made for each result (docs/decisions/033).
  const { dropped, packed: entries } = fitted(origins, packed + kept.packed, kept.dropped);
  const next = { state: history.state, calm: history.calm, dropped, packed: entries, origins };
  if (entry.again || !isVerdict(packed)) return { history: next, transitions: [] };

  const found = evidenceOf(entry, origins, origin, { packed, before: kept.packed });
  const { state, calm } = stateAfter(next, entry.status, found !== null);
  const after = { state, calm, dropped, packed: entries, origins };
  if (state === history.state) return { history: after, transitions: [] };
  return { history: after, transitions: [transitionTo(state, entry, { found, origins })] };
}

/** The state after a verdict at the head of a history that has the state from before it. */
function stateAfter(
  { state, calm, dropped, packed, origins }: TestHistory,
  status: FinalStatus,
  hasEvidence: boolean,
): Pick<TestHistory, 'state' | 'calm'> {
  // Only a failure makes a test broken. A broken test is not taken for flaky, whatever the evidence.
  const mayBeBroken = status === 'Failed' || state === 'broken';
  if (mayBeBroken && failingRuns(origins, packed, dropped) >= BROKEN_RUNS) {
    return { state: 'broken', calm: 0 };
  }
  if (hasEvidence) return { state: 'flaky', calm: 0 };
  const isCalm = state !== 'flaky' || calm + 1 === CLEAN_STREAK;
  return isCalm ? { state: 'stable', calm: 0 } : { state, calm: calm + 1 };
}

function transitionTo(
  state: TestHistory['state'],
  entry: TestEntry,
  { found, origins }: { found: Evidence | null; origins: Origins },
): Transition {
  switch (state) {
    case 'stable':
      return { type: 'TestStabilised' };
    case 'broken':
      return { type: 'TestBecameBroken' };
    case 'flaky': {
      const { rule, earlier } = found!;
      return {
        type: 'TestBecameFlaky',
        rule,
        evidence: [resultIdInEntry(origins, earlier), entry.result_id],
      };
    }
  }
}

/** The history without the entry of a deleted result. The transitions that followed from it stay. */
export function without(history: TestHistory, resultId: string): TestHistory {
  const isIts = isEntryOf(history.origins, resultId);
  const left = entriesIn(history.packed).filter((entry) => !isIts(entry));
  return { ...history, packed: left.join('') };
}

/** The last 20 outcomes, newest first. */
export function lastOutcomes(history: TestHistory): StatusWord[] {
  return outcomesInWindow(history).slice(0, OUTCOMES);
}

/** The last 50 outcomes, newest first. */
export function outcomesInWindow({ packed }: TestHistory): StatusWord[] {
  return entriesIn(packed)
    .slice(0, WINDOW)
    .map((entry) => statusWords[statusOf(entry)]);
}

/** The last outcome; undefined without entries. */
export function newestOutcome({ packed }: TestHistory): StatusWord | undefined {
  return packed === '' ? undefined : statusWords[statusOf(packed)];
}

/** The share of failures among the last 50 entries, from 0 to 1; 0 without entries. */
export function failureRate(history: TestHistory): number {
  return rateOf(outcomesInWindow(history));
}

/** The share of failures. */
export function rateOf(outcomes: readonly StatusWord[]): number {
  if (outcomes.length === 0) return 0;
  return outcomes.filter((outcome) => outcome === 'failed').length / outcomes.length;
}

type Evidence = { rule: FlakyRule; earlier: string };

/**
 * The evidence of flakiness in a verdict and the last verdicts before it. `origin`: the number of its own. `before`: the
 * entries, newest first.
 */
function evidenceOf(
  entry: TestEntry,
  origins: Origins,
  origin: number,
  { packed, before }: { packed: string; before: string },
): Evidence | null {
  const failed = hasFailed(packed);
  const same = nearest(before, atCommitOf(origins, origin));
  if (same !== null && hasFailed(same) !== failed) return { rule: 'same_commit', earlier: same };
  if (failed || entry.run_id === null || entry.attempt === 1) return null;
  const earlier = nearest(before, earlierAttempt(origins, entry.attempt, entry.run_id));
  return earlier !== null && hasFailed(earlier) ? { rule: 'later_attempt', earlier } : null;
}

/** The newest verdict that fits and may be evidence. The new verdict and the 49 before it are the window. */
function nearest(packed: string, fits: EntryTest): string | null {
  let verdicts = 0;
  for (let at = 0; at < packed.length && verdicts < WINDOW - 1; at = entryAfter(packed, at)) {
    if (!isVerdict(packed, at)) continue;
    verdicts += 1;
    if (fits(packed, at) && mayBeEvidence(packed, at)) return entryAt(packed, at);
  }
  return null;
}

/** The newest verdicts and the newest entries of any kind. */
function fitted(origins: Origins, packed: string, dropped: number): Pick<TestHistory, 'dropped' | 'packed'> {
  for (let at = oldestToDrop(packed); at !== null; at = oldestToDrop(packed)) {
    const entry = entryAt(packed, at);
    packed = packed.slice(0, at) + packed.slice(at + entry.length);
    if (isVerdict(entry)) dropped = withDropped(origins, { verdict: entry, remaining: packed }, dropped);
  }
  return { dropped, packed };
}

/** Where the oldest entry begins that does not have to stay; null where all have to. */
function oldestToDrop(packed: string): number | null {
  let found: number | null = null;
  let [entries, verdicts] = [0, 0];
  for (let at = 0; at < packed.length; at = entryAfter(packed, at)) {
    entries += 1;
    const verdict = isVerdict(packed, at);
    if (verdict) verdicts += 1;
    if (entries > STORED && (!verdict || verdicts > STORED)) found = at;
  }
  return found;
}
