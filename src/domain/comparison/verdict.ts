/** What is said of a completed run: its comparison with a baseline, and whether it passes the gate. */
import type { Instant } from '../event.js';
import type { GateJudgement } from '../gate/judge-gate.js';
import type { PassedOver } from './baseline.js';
import type { ComparedTests, ComparisonCounts } from './compare.js';

export type Baseline = { id: string; commit: string | null; created_at: Instant };

export type Compared = { counts: ComparisonCounts } & ComparedTests;

/** `passed_over`: null too where the baseline was named. */
export type ComparisonSummary = { baseline: Baseline | null; passed_over: PassedOver | null } & Compared;

export type RunVerdict = GateJudgement & { comparison: ComparisonSummary };
