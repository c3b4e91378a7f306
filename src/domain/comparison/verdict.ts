/** What is said of a completed run: its comparison with a baseline, and whether it passes the gate. */
import type { Instant } from '../event.js';
import type { GateJudgement } from '../gate/judge-gate.js';
import type { ComparisonCounts } from './compare.js';

export type Baseline = { id: string; commit: string | null; created_at: Instant };

/** `tests`: those of the run that ran, each environment by itself; `baseline_tests`: the same, null without a baseline. */
export type Compared = { counts: ComparisonCounts; tests: number; baseline_tests: number | null };

export type ComparisonSummary = { baseline: Baseline | null } & Compared;

export type RunVerdict = GateJudgement & { comparison: ComparisonSummary };
