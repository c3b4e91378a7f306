/** Comparisons of runs with their baselines, from the read models of the outbox projector. */
import { setImmediate } from 'node:timers/promises';
import { LRUCache } from 'lru-cache';
import { outbox } from '../../projections/outbox.js';
import {
  baselineRef,
  chunkIdsOf,
  completedRunsDocuments,
  completedRunsId,
  defaultBranchOf,
  newestBefore,
  projectSettingsDocuments,
  runChunkDocuments,
  runSummaryDocuments,
  verdictOf,
  type RunSummaryDocument,
} from '../../projections/run-summaries.js';
import {
  compare,
  countsOf,
  testsIn,
  type Comparison,
  type TestsOfRun,
} from '../domain/comparison/compare.js';
import type { ComparisonSummary, Gate } from '../domain/comparison/verdict.js';
import { fail } from '../errors.js';
import type { ViewReader } from '../ports/views.js';
import { typedViews, type Stored } from '../projecting/typed-views.js';

export type RunInsight = { gate: Gate | null; new_failures: number | null };

export type Comparisons = {
  /** What each run shows of its comparison, in the order of the ids. Null values before its first completion. */
  insights(team: string, runIds: readonly string[]): Promise<RunInsight[]>;
  /** The id of the run's baseline; null if it has none. */
  baselineOf(team: string, runId: string): Promise<string | null>;
  /**
   * Compares a run with its baseline, or with another run of its project.
   * @throws LedgerError `not_found` where `baseline` is no run of the project
   */
  summary(team: string, runId: string, baseline: string | undefined): Promise<ComparisonSummary>;
  /** The ids of the results of each kind. @throws as `summary` */
  results(team: string, runId: string, baseline: string | undefined): Promise<Comparison>;
};

/** Tests of decoded runs, and ids in comparisons, some 200 bytes each. */
const MOST_TESTS = 150_000;
const MOST_IDS = 150_000;
const CHUNKS_AT_ONCE = 100;

type Compared = { comparison: Comparison; summary: ComparisonSummary };

/** Long because all queries share the caches: each is short. */
export function openComparisons(reader: ViewReader): Comparisons {
  const views = typedViews(reader, outbox);
  // By the run and the position of its last change: a run that changes has another key.
  const decoded = new LRUCache<string, TestsOfRun>({
    maxSize: MOST_TESTS,
    sizeCalculation: ({ size }) => size + 1,
  });
  const compared = new LRUCache<string, Compared>({
    maxSize: MOST_IDS,
    sizeCalculation: ({ comparison }) =>
      1 + Object.values(comparison).reduce((sum, ids) => sum + ids.length, 0),
  });

  async function summaryOf(team: string, runId: string): Promise<Stored<RunSummaryDocument> | null> {
    const [found] = await views.get(runSummaryDocuments, [runId]);
    return found?.team_id === team ? found : null;
  }

  async function newestBaseline(run: RunSummaryDocument): Promise<string | null> {
    const { project_id, tool } = run;
    const [settings = null] = await views.get(projectSettingsDocuments, [project_id]);
    const list = completedRunsId(project_id, defaultBranchOf(settings), tool);
    const [completed = null] = await views.get(completedRunsDocuments, [list]);
    return newestBefore(completed, run);
  }

  async function testsOf(id: string, run: Stored<RunSummaryDocument>): Promise<TestsOfRun> {
    const key = keyOf(id, run);
    const known = decoded.get(key);
    if (known !== undefined) return known;
    const tests: Parameters<typeof testsIn>[1] = new Map();
    const ids = chunkIdsOf(id, run);
    for (let from = 0; from < ids.length; from += CHUNKS_AT_ONCE) {
      const chunks = await views.get(runChunkDocuments, ids.slice(from, from + CHUNKS_AT_ONCE));
      testsIn(
        chunks.filter((chunk) => chunk !== null),
        tests,
      );
      // A run may have a million results: other requests go in between.
      await setImmediate();
    }
    decoded.set(key, tests);
    return tests;
  }

  async function compareRuns(team: string, runId: string, wanted: string | undefined): Promise<Compared> {
    const run = await summaryOf(team, runId);
    if (run === null) return noComparison;
    const baselineId = wanted ?? (await newestBaseline(run));
    const baseline = baselineId === null ? null : await summaryOf(team, baselineId);
    if (wanted !== undefined && baseline?.project_id !== run.project_id) noSuchRun();
    const key = `${keyOf(runId, run)} ${baseline === null ? '' : keyOf(baselineId!, baseline)}`;
    const known = compared.get(key);
    if (known !== undefined) return known;
    const comparison = compare(
      await testsOf(runId, run),
      baseline === null ? null : await testsOf(baselineId!, baseline),
    );
    const ref = baseline === null ? null : baselineRef(baselineId!, baseline);
    const found = { comparison, summary: { baseline: ref, counts: countsOf(comparison) } };
    compared.set(key, found);
    return found;
  }

  return {
    async insights(team, runIds) {
      const found = await views.get(runSummaryDocuments, runIds);
      return found.map((summary) => {
        const verdict = summary?.team_id === team ? verdictOf(summary) : null;
        return { gate: verdict?.gate ?? null, new_failures: verdict?.comparison.counts.new_failures ?? null };
      });
    },
    async baselineOf(team, runId) {
      const run = await summaryOf(team, runId);
      return run === null ? null : newestBaseline(run);
    },
    summary: async (...asked) => (await compareRuns(...asked)).summary,
    results: async (...asked) => (await compareRuns(...asked)).comparison,
  };
}

function keyOf(id: string, { position }: Stored<RunSummaryDocument>): string {
  return `${id}@${position}`;
}

function noSuchRun(): never {
  return fail('not_found', 'There is no such baseline in the project of the run.');
}

/** A run that the read models of the outbox do not have yet. */
const noComparison: Compared = (() => {
  const comparison = compare(new Map(), null);
  return { comparison, summary: { baseline: null, counts: countsOf(comparison) } };
})();
