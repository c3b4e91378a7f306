/**
 * The documents of the run summaries: where each run comes from, and the comparison of each completed run with its baseline,
 * as it was at its last completion.
 */
import {
  fitRun,
  type BaselineWord,
  type CompletedRun,
  type PassedOver,
} from '../../src/domain/comparison/baseline.js';
import type { Chunk } from '../../src/domain/comparison/packed-results.js';
import type { PackedList } from '../../src/domain/comparison/packed-list.js';
import type { ComparisonKind } from '../../src/domain/comparison/compare.js';
import type { Baseline, ComparisonSummary, RunVerdict } from '../../src/domain/comparison/verdict.js';
import { environmentKeyIn, type EnvironmentKey } from '../../src/domain/environment.js';
import type { Instant, Position } from '../../src/domain/event.js';
import type { GateDecision, GateSettings } from '../../src/domain/gate/judge-gate.js';
import type { OwnGate } from '../../src/domain/gate/settings.js';
import { collection } from '../../src/domain/projection.js';
import { reportOf, type UnreadReport } from '../../src/domain/runs/unread-reports.js';
import { understoodRun } from '../../src/domain/understood.js';
import type { CountedRun } from '../statistics/counted-run.js';

/** By run id. */
export type RunSummaryDocument = {
  team_id: string;
  project_id: string;
  branch: string | null;
  commit: string | null;
  tool: string | null;
  environment: EnvironmentKey;
  /** What a person said of it as a baseline; absent where the rules decide. */
  baseline?: BaselineWord;
  /** The shards that came, by index. Absent without shards. */
  shards?: { total: number; came: readonly number[] };
  created_at: Instant;
  created_position: Position;
  started_at: Instant | null;
  /** The number of lines that were ever added to its chunks. */
  lines: number;
  /** The calls whose reports were not read as a whole; absent if there are none. */
  unread?: readonly UnreadReport[];
  /** The results of a call are on their way, and what they mean for the gate is decided behind them. */
  arriving: boolean;
  /** The server ended it, because nothing came any more. Absent otherwise. */
  idle?: true;
  /** How often it was completed though shards were missing. Absent for never. */
  found_incomplete?: number;
  /** A run that is running again after its completion is the baseline of none. */
  completed: boolean;
  /** Its tests in each environment that ran, as they are while it is completed. */
  tests: number;
  /** The comparison at the last completion; null before the first. */
  comparison: StoredComparison | null;
  /** As it was decided at the last completion, or at the last change of a result after it; null for a run that is not completed. */
  gate: GateDecision | null;
  /** In a past: what the comparison and the gate of its last completion are made of. Absent once they are made. */
  late?: LateComparison;
  /** Where the statistics count it (`projections/statistics`): while it is completed, and no results are on their way. */
  counted: CountedRun | null;
};

/** As it was at the completion: chunks are changed in place later. */
export type LateComparison = {
  here: readonly Chunk[];
  /** Null without a baseline. */
  before: readonly Chunk[] | null;
  settings: GateSettings;
} & Pick<RunSummaryDocument, 'shards' | 'unread' | 'idle'>;

export type StoredComparison = ComparisonSummary & {
  completion: number;
  /** The position of the last change of the baseline then; null without one. */
  baseline_position: Position | null;
  /** The position of the completion. */
  at: Position;
};

/**
 * By run id, `#`, a kind of results and the number of the list: the results of this kind at the last completion, up to
 * `RESULTS_PER_LIST`. So the first look at a comparison need not read all results of two runs.
 */
export type ComparedListDocument = PackedList & { run_id: string };

/**
 * By project, branch, tool and environment (`completedRunsId`): the runs that were completed there, those that were created
 * last first. They have all that says whether they are fit as baselines, so that no other document is read for it.
 */
export type CompletedRunsDocument = { runs: readonly CompletedRun[] };

/** By project id. */
export type ProjectSettingsDocument = { default_branch: string; gate: OwnGate };

export const runSummaryDocuments = collection<RunSummaryDocument>({
  name: 'run_summaries',
  ids: 'run',
  indexes: [],
});
export const comparedListDocuments = collection<ComparedListDocument>({
  name: 'compared_lists',
  ids: 'run',
  rarelyRead: true,
  indexes: [],
});
export const completedRunsDocuments = collection<CompletedRunsDocument>({
  name: 'completed_runs',
  ids: 'project',
  indexes: [],
});
export const projectSettingsDocuments = collection<ProjectSettingsDocument>({
  name: 'project_settings',
  ids: 'project',
  indexes: [],
});

/** The number of results in one stored list. */
export const RESULTS_PER_LIST = 1_000;

/** The number of completed runs in a list of them: the newest ones. */
export const COMPLETED_KEPT = 100;
const DEFAULT_BRANCH = 'main';

export function defaultBranchOf(stored: ProjectSettingsDocument | null): string {
  return stored?.default_branch ?? DEFAULT_BRANCH;
}

type Origin = Pick<RunSummaryDocument, 'project_id' | 'branch' | 'tool' | 'environment'>;

/** The list of the runs of a branch that another run may be compared with. */
export function completedRunsId(
  { project_id, tool, environment }: Omit<Origin, 'branch'>,
  branch: string,
): string {
  // Of texts that may have any characters: their lengths tell where they end.
  const named = [tool ?? '', environment].map((text) => `${text.length}${text}`);
  return `${project_id}#${tool === null && environment === '' ? '' : named.join('')}=${branch}`;
}

/** The list that a run is in while it is completed. A run without a branch is the baseline of none. */
export function listOf(run: Origin): string | null {
  return run.branch === null ? null : completedRunsId(run, run.branch);
}

/** The same as the list of completed runs shows it. */
export function completedRun(id: string, run: RunSummaryDocument): CompletedRun {
  const { created_position: created, baseline: word, tests } = run;
  return {
    id,
    created,
    tests,
    ...(isIncomplete(run) && { incomplete: true }),
    ...(word !== undefined && { word }),
  };
}

/** A shard is missing, a report was cut, or nobody said that the run is over. */
export function isIncomplete({
  shards,
  unread,
  idle,
}: Pick<RunSummaryDocument, 'shards' | 'unread' | 'idle'>): boolean {
  return missingShards(shards).length > 0 || reportOf(unread).partial || idle === true;
}

/** Their indexes, from 1 on. */
export function missingShards(shards: RunSummaryDocument['shards']): number[] {
  if (shards === undefined || shards.came.length >= shards.total) return [];
  const came = new Set(shards.came);
  return Array.from({ length: shards.total }, (_, n) => n + 1).filter((index) => !came.has(index));
}

/**
 * The run that may be the baseline of another one: the newest fit one of the list that was created before it. If all of them
 * are newer, it is the baseline at the last completion of the run, because the list has only the newest runs. `mayBeBaseline`
 * says whether it is one; if it is none, `otherwise` are the runs that were passed over.
 */
export function baselineCandidate(
  completed: CompletedRunsDocument | null,
  { created_position, comparison }: Pick<RunSummaryDocument, 'created_position' | 'comparison'>,
): { id: string | null; passed_over: PassedOver | null; otherwise: PassedOver | null } {
  const runs = completed?.runs ?? [];
  const found = fitRun(runs, created_position);
  const former = comparison?.baseline?.id ?? null;
  const otherwise = found.passed_over;
  if (found.id !== null || former === null || runs.some(({ id }) => id === former))
    return { ...found, otherwise };
  return { id: former, passed_over: otherwise ?? comparison?.passed_over ?? null, otherwise };
}

/** Whether a run belongs into the list that a baseline is taken from. */
export function mayBeBaseline(list: string, run: RunSummaryDocument): boolean {
  return run.completed && run.baseline !== 'unfit' && listOf(run) === list;
}

export function listId(runId: string, kind: ComparisonKind, n: number): string {
  return `${runId}#${kind}#${n}`;
}

export function baselineRef(id: string, { commit, created_at }: RunSummaryDocument): Baseline {
  return { id, commit, created_at };
}

/** Null for a run that is not completed. */
export function verdictOf(summary: RunSummaryDocument | null): RunVerdict | null {
  if (summary?.comparison == null || summary.gate === null) return null;
  const { gate, reasons } = summary.gate;
  return { gate, reasons, comparison: shownComparison(summary.comparison) };
}

export function shownComparison(stored: ComparisonSummary): ComparisonSummary {
  const { baseline, passed_over, counts, tests, baseline_tests, removed_files } = stored;
  return { baseline, passed_over, counts, tests, baseline_tests, removed_files };
}

export function originOf(metadata: Parameters<typeof understoodRun>[0]) {
  const { branch, commit, tool } = understoodRun(metadata);
  return { branch, commit, tool, environment: environmentKeyIn(metadata) };
}
