/** The first line of a summary, of a gate and of an import. */
import type { ComparisonCounts, Run, RunFacts } from './facts.js';
import { stateOf } from '../../domain/runs/run-state.js';
import { number, some } from '../../domain/text/amounts.js';
import { onOneLine } from '../../domain/text/harmless.js';
import { failuresOf, restOf } from '../../domain/text/verdict.js';

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
    ...restOf(run, counts),
    ...(run.duration_ms === null ? [] : [durationOf(run.duration_ms)]),
    ...(run.status === 'completed' ? [] : [missingOf(run)]),
  ];
  return parts.join(' · ');
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

function failedPart(counts: ComparisonCounts, baseline: string | null): string {
  const kinds =
    baseline === null
      ? [...some(counts.new_failures, 'unknown'), ...some(counts.known, 'known'), 'nothing to compare with']
      : [
          ...some(counts.new_failures, 'new'),
          ...some(counts.still_failing, `also on ${baseline}`),
          ...some(counts.known, 'known'),
        ];
  return `${number(failuresOf(counts))} failed: ${kinds.join(', ')}`;
}

function missingOf({ status, shards }: Run): string {
  if (shards === null) return status;
  const received = new Set(shards.received.map(({ index }) => index)).size;
  return `${received} of ${shards.total} shards`;
}

/** Two units at most: `950 ms`, `6.2 s`, `6m 12s`, `1h 4m`. */
export function durationOf(ms: number): string {
  if (ms < 1_000) return `${Math.round(ms)} ms`;
  const seconds = Math.round(ms / 1_000);
  if (seconds < 60) return `${(ms / 1_000).toFixed(1)} s`;
  const minutes = Math.floor(seconds / 60);
  return minutes < 60 ? `${minutes}m ${seconds % 60}s` : `${Math.floor(minutes / 60)}h ${minutes % 60}m`;
}
