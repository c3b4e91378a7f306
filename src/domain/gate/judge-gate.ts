/**
 * The gate: whether a completed run may pass (docs/api.md, section 11). The server stores its word with each run, and the
 * command line asks again with the settings of its flags, so there is one rule.
 */

import type { ComparisonCounts } from '../comparison/compare.js';

export const failOnKinds = ['new', 'any', 'flaky', 'none'] as const;
export type FailOn = (typeof failOnKinds)[number];

/** A number of tests, a share of the tests of the baseline (`10%`), null for any number, or `default`. */
export type MaxRemoved = string | number | null;

/** Whether a text is one: any other limit is no text. */
export function isMaxRemoved(text: string): boolean {
  return /^(default|(100|[0-9]{1,2})%)$/.test(text);
}

export type GateSettings = {
  fail_on: FailOn;
  max_removed: MaxRemoved;
  /** Null: any number will do. */
  min_tests: number | null;
  max_known: number | null;
};

/** Those of a team that has set none. */
export const defaultGate: GateSettings = {
  fail_on: 'new',
  max_removed: 'default',
  min_tests: null,
  max_known: null,
};

/** In the order in which they are named. */
const gateReasons = [
  'new_failures',
  'failures',
  'flaky',
  'removed',
  'min_tests',
  'max_known',
  'empty',
  'incomplete',
  'report_failed',
] as const;
export type GateReason = (typeof gateReasons)[number];

/** `reasons` is empty if the gate passes. */
export type GateJudgement = { gate: 'passed' | 'failed'; reasons: GateReason[] };

/** A judgement with the settings of its time: the three always belong together. */
export type GateDecision = GateJudgement & { settings: GateSettings };

/** What the rule asks of a completed run. A test is a test in one environment. */
export type GateFacts = {
  /** Failing results that the baseline does not have, without known failures: all of them where there is no baseline. */
  new_failures: number;
  /** Failing results that count, without known failures. */
  failing: number;
  /** Known failures. */
  known: number;
  /** Flaky results. */
  flaky: number;
  /** Tests that ran in the baseline and have no result here, without those that may have another name now. */
  removed: number;
  /** Tests that ran in the baseline; null without one. */
  baseline_tests: number | null;
  /** Tests that passed, failed or failed as expected. */
  tests: number;
  /** No result passed, failed or failed as expected. */
  empty: boolean;
  /** A shard is missing, a report is not whole, or the run ended because nothing came any more. */
  incomplete: boolean;
  /** A report that was cut counts failures that were not read. */
  report_failed: boolean;
};

/** The facts of a comparison, with what the run says of itself. */
export function factsOf(
  {
    counts,
    tests,
    baseline_tests,
  }: Pick<GateFacts, 'tests' | 'baseline_tests'> & { counts: ComparisonCounts },
  ofRun: Pick<GateFacts, 'empty' | 'incomplete' | 'report_failed'>,
): GateFacts {
  const { new_failures, still_failing, known, flaky, removed } = counts;
  const failing = new_failures + still_failing;
  return { new_failures, failing, known, flaky, removed, baseline_tests, tests, ...ofRun };
}

export function judgeGate(settings: GateSettings, facts: GateFacts): GateJudgement {
  const reasons = gateReasons.filter((reason) => speaksAgainst(reason, settings, facts));
  return { gate: reasons.length === 0 ? 'passed' : 'failed', reasons };
}

/** The number of tests that may be missing; null for any number. */
export function mostRemoved(max: MaxRemoved, baselineTests: number | null): number | null {
  if (max === null || typeof max === 'number') return max;
  if (max === 'default') return Math.max(LEAST_REMOVED, percent(10, baselineTests));
  return percent(parseInt(max, 10), baselineTests);
}

/** A small project may lose a file of tests without a word. */
const LEAST_REMOVED = 20;

function percent(share: number, tests: number | null): number {
  return Math.floor((share * (tests ?? 0)) / 100);
}

function speaksAgainst(reason: GateReason, settings: GateSettings, facts: GateFacts): boolean {
  const { fail_on, max_removed, min_tests, max_known } = settings;
  switch (reason) {
    case 'new_failures':
      return fail_on === 'new' && facts.new_failures > 0;
    case 'failures':
      return (fail_on === 'any' || fail_on === 'flaky') && facts.failing > 0;
    case 'flaky':
      return fail_on === 'flaky' && facts.flaky > 0;
    case 'removed':
      return facts.removed > (mostRemoved(max_removed, facts.baseline_tests) ?? Infinity);
    case 'min_tests':
      return min_tests !== null && facts.tests < min_tests;
    case 'max_known':
      return max_known !== null && facts.known > max_known;
    case 'empty':
    case 'incomplete':
    case 'report_failed':
      return facts[reason];
  }
}
