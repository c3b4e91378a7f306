/** What is said of a completed run: its comparison with a baseline, and whether it passes the gate. */
import type { Instant } from '../event.js';
import type { PassedOver } from './baseline.js';
import type { ComparedTests, ComparisonCounts } from './compare.js';

export type Baseline = { id: string; commit: string | null; created_at: Instant };

/** `passed_over`: null too where the baseline was named. */
export type ComparisonSummary = {
  baseline: Baseline | null;
  passed_over: PassedOver | null;
  counts: ComparisonCounts;
} & ComparedTests;

export type Gate = 'failed' | 'passed';

export type RunVerdict = { gate: Gate; comparison: ComparisonSummary };

/**
 * `failing`: the failing results that no later attempt supersedes; `known`: those of them that failed while a known
 * failure of their test was in force.
 */
export function gateOf({ failing, known }: { failing: number; known: number }): Gate {
  return failing > known ? 'failed' : 'passed';
}
