/** The first line of a summary, of a gate and of an import. */
import type { ComparisonCounts } from '../../domain/comparison/compare.js';
import { shardsThatCame, type Run, type RunFacts } from './facts.js';
import { stateOf } from '../../domain/runs/run-state.js';
import { number } from '../../domain/text/amounts.js';
import { onOneLine } from '../../domain/text/harmless.js';
import { failuresOf, kindsOfFailures, restOf } from '../../domain/text/verdict.js';

const BRANCH_LENGTH = 60;

/**
 * Such as `12 failed: 3 new, 7 also on main, 2 known · 48,211 passed · 6m 12s`. `escape` is applied to the name of the
 * branch, the only text in it that is not ours.
 */
export function verdictOf(
  { run, comparison, project, isCurrent }: Pick<RunFacts, 'run' | 'comparison' | 'project' | 'isCurrent'>,
  escape: (text: string) => string,
): string {
  const { counts } = comparison;
  const kinds = kindsOfFailures(counts, {
    hasBaseline: comparison.baseline !== null,
    isOnDefault: run.branch === project.default_branch,
    branch: escape(onOneLine(project.default_branch, BRANCH_LENGTH)),
  });
  const parts = [
    headOf(run, counts, { kinds, isCurrent }),
    ...restOf(run, counts),
    ...(run.duration_ms === null ? [] : [durationOf(run.duration_ms)]),
    ...missingOf(run),
    ...(isCurrent ? [] : ['the server has not counted all results yet']),
  ];
  return parts.join(' · ');
}

/** The sign before the verdict. A completed run in which nothing ran, or of which a shard never came, is not a success. */
export function signOf({
  run,
  comparison,
  isCurrent,
}: Pick<RunFacts, 'run' | 'comparison' | 'isCurrent'>): string {
  const isFailed = failuresOf(comparison.counts) > 0 || (isCurrent && run.gate === 'failed');
  const state = isFailed ? 'failed' : stateOf(run);
  switch (state) {
    case 'failed':
      return '✗';
    case 'pending':
    case 'running':
      return '…';
    case 'passed':
      if (!isCurrent) return '…';
      return isShardMissing(run) ? '–' : '✓';
    case 'skipped':
    case 'empty':
    case 'unfinished':
      return '–';
  }
}

/** Superseded results say nothing about a run. */
function headOf(
  run: Run,
  counts: ComparisonCounts,
  { kinds, isCurrent }: { kinds: string; isCurrent: boolean },
): string {
  const failures = failuresOf(counts);
  if (failures > 0) return `${number(failures)} failed: ${kinds}`;
  const { total, failed } = run.standing_counts;
  const state = stateOf(run);
  switch (state) {
    case 'failed':
      return `${number(failed)} failed`;
    case 'pending':
    case 'running':
      return total === 0 ? 'Waiting for results' : 'Nothing failed so far';
    case 'passed':
      return isCurrent ? 'Nothing failed' : 'Nothing failed so far';
    case 'skipped':
      return 'Nothing ran';
    case 'empty':
      return 'No results';
    case 'unfinished':
      return 'Nothing finished';
  }
}

/** Of a completed run too: it may have been completed by hand, or because nothing came any more. */
function missingOf(run: Run): string[] {
  const { status, shards } = run;
  const isCompleted = status === 'completed';
  if (shards === null) return isCompleted ? [] : [status];
  return isCompleted && !isShardMissing(run) ? [] : [`${shardsThatCame(shards)} of ${shards.total} shards`];
}

function isShardMissing({ shards }: Run): boolean {
  return shards !== null && shardsThatCame(shards) < shards.total;
}

/** Two units at most: `950 ms`, `6.2 s`, `6m 12s`, `1h 4m`. */
export function durationOf(ms: number): string {
  if (ms < 1_000) return `${Math.round(ms)} ms`;
  const seconds = Math.round(ms / 1_000);
  if (seconds < 60) return `${(ms / 1_000).toFixed(1)} s`;
  const minutes = Math.floor(seconds / 60);
  return minutes < 60 ? `${minutes}m ${seconds % 60}s` : `${Math.floor(minutes / 60)}h ${minutes % 60}m`;
}
