/** The first line of a summary, of a gate and of an import. */
import type { ComparisonCounts, Run, RunFacts } from './facts.js';
import { stateOf } from '../../domain/runs/run-state.js';
import { onOneLine } from '../../domain/text/harmless.js';

const BRANCH_LENGTH = 60;

/**
 * Such as `12 failed: 3 new, 7 also on main, 2 known · 48,211 passed · 6m 12s`. `escape` is applied to the name of the
 * branch, the only text in it that is not ours.
 */
export function verdictOf(
  { run, comparison, project }: Pick<RunFacts, 'run' | 'comparison' | 'project'>,
  escape: (text: string) => string,
): string {
  const { counts } = comparison;
  const baseline =
    comparison.baseline === null ? null : escape(onOneLine(project.default_branch, BRANCH_LENGTH));
  const parts = [
    headOf(run, counts, baseline),
    ...count(counts.flaky, 'flaky'),
    ...count(counts.fixed, 'fixed'),
    ...count(run.counts.passed, 'passed'),
    ...count(run.counts.skipped, 'skipped'),
    ...count(run.counts.known_fail, 'expected to fail'),
    ...count(unfinishedOf(run), run.status === 'completed' ? 'unfinished' : 'still to come'),
    ...(run.duration_ms === null ? [] : [durationOf(run.duration_ms)]),
    ...(run.status === 'completed' ? [] : [missingOf(run)]),
  ];
  return parts.join(' · ');
}

/** The three kinds of failures are apart, so they add up (docs/api.md, section 11). */
export function failuresOf({ new_failures, still_failing, known }: ComparisonCounts): number {
  return new_failures + still_failing + known;
}

/** The sign before the verdict. A completed run in which nothing ran is not a success. */
export function signOf({ run, comparison }: Pick<RunFacts, 'run' | 'comparison'>): string {
  const state = failuresOf(comparison.counts) > 0 ? 'failed' : stateOf(run);
  switch (state) {
    case 'failed':
      return '✗';
    case 'pending':
    case 'running':
      return '…';
    case 'passed':
      return '✓';
    case 'skipped':
    case 'empty':
    case 'unfinished':
      return '–';
  }
}

/** Superseded results say nothing about a run. */
function headOf(run: Run, counts: ComparisonCounts, baseline: string | null): string {
  if (failuresOf(counts) > 0) return failedPart(counts, baseline);
  const { total, failed } = run.standing_counts;
  const state = stateOf(run);
  switch (state) {
    case 'failed':
      return `${number(failed)} failed`;
    case 'pending':
    case 'running':
      return total === 0 ? 'Waiting for results' : 'Nothing failed so far';
    case 'passed':
      return 'Nothing failed';
    case 'skipped':
      return 'Nothing ran';
    case 'empty':
      return 'No results';
    case 'unfinished':
      return 'Nothing finished';
  }
}

function unfinishedOf({ counts }: Run): number {
  return counts.pending + counts.running;
}

function failedPart(counts: ComparisonCounts, baseline: string | null): string {
  const kinds =
    baseline === null
      ? [...count(counts.new_failures, 'unknown'), ...count(counts.known, 'known'), 'nothing to compare with']
      : [
          ...count(counts.new_failures, 'new'),
          ...count(counts.still_failing, `also on ${baseline}`),
          ...count(counts.known, 'known'),
        ];
  return `${number(failuresOf(counts))} failed: ${kinds.join(', ')}`;
}

function missingOf({ status, shards }: Run): string {
  if (shards === null) return status;
  const received = new Set(shards.received.map(({ index }) => index)).size;
  return `${received} of ${shards.total} shards`;
}

function count(n: number, word: string): string[] {
  return n === 0 ? [] : [`${number(n)} ${word}`];
}

export function number(n: number): string {
  return n.toLocaleString('en-US');
}

/** `1` and "test" make "1 test". */
export function several(n: number, word: string): string {
  return `${number(n)} ${word}${n === 1 ? '' : 's'}`;
}

/** Two units at most: `950 ms`, `6.2 s`, `6m 12s`, `1h 4m`. */
export function durationOf(ms: number): string {
  if (ms < 1_000) return `${Math.round(ms)} ms`;
  const seconds = Math.round(ms / 1_000);
  if (seconds < 60) return `${(ms / 1_000).toFixed(1)} s`;
  const minutes = Math.floor(seconds / 60);
  return minutes < 60 ? `${minutes}m ${seconds % 60}s` : `${Math.floor(minutes / 60)}h ${minutes % 60}m`;
}
