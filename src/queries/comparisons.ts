/** Comparisons of runs with their baselines, from the history. */
import { setImmediate } from 'node:timers/promises';
import { LRUCache } from 'lru-cache';
import type { Admission } from '../admission/admission.js';
import { history } from '../../projections/history/history.js';
import {
  baselineCandidate,
  baselineRef,
  comparedListDocuments,
  completedRunsDocuments,
  completedRunsId,
  defaultBranchOf,
  listId,
  mayBeBaseline,
  projectSettingsDocuments,
  RESULTS_PER_LIST,
  runSummaryDocuments,
  shownComparison,
  type RunSummaryDocument,
} from '../../projections/comparisons/run-summary-documents.js';
import { chunkIdsOf, runChunkDocuments } from '../../projections/comparisons/run-chunks.js';
import {
  compare,
  countsOf,
  countTests,
  resultsEach,
  sizeOf,
  testsIn,
  type Comparison,
  type ComparisonKind,
  type TestsOfRun,
} from '../domain/comparison/compare.js';
import type { PassedOver } from '../domain/comparison/baseline.js';
import { idsInList } from '../domain/comparison/packed-list.js';
import { resultIdIn, type PackedResult } from '../domain/comparison/packed-line.js';
import type { ComparisonSummary } from '../domain/comparison/verdict.js';
import type { GateReason, GateSettings } from '../domain/gate/judge-gate.js';
import { fail } from '../errors.js';
import type { ViewReader } from '../ports/views.js';
import { typedViews, type Stored } from '../projecting/typed-views.js';

export type RunInsight = {
  gate: 'passed' | 'failed' | null;
  gate_reasons: GateReason[];
  /** Those by which the gate was decided. */
  gate_settings: GateSettings | null;
  new_failures: number | null;
};

/** `total`: of results, or of pairs of them, as the kind counts. */
export type ComparedPage = { ids: string[]; total: number };

export type Comparisons = {
  /** What each run shows of its comparison, in the order of the ids. Null values before its first completion. */
  insights(team: string, runIds: readonly string[]): Promise<RunInsight[]>;
  /** The id of the run's baseline; null if it has none. */
  baselineOf(team: string, runId: string): Promise<string | null>;
  /**
   * Compares a run with its baseline, or with another run of its project.
   * @throws AppError `not_found` where `baseline` is no run of the project, `overloaded`
   */
  summary(asked: Asked): Promise<ComparisonSummary>;
  /** The ids of some results of one kind. @throws as `summary` */
  page(asked: Asked, kind: ComparisonKind, part: { offset: number; limit: number }): Promise<ComparedPage>;
};

/** `baseline`: another run than the run's own baseline. */
export type Asked = { team: string; runId: string; baseline: string | undefined };

/** Tests and results of decoded runs, some 300 bytes each. */
const MOST_DECODED = 150_000;
/** Results in comparisons: they are in memory with their runs. */
const MOST_RESULTS = 150_000;
const CHUNKS_AT_ONCE = 100;

type Compared = { comparison: Comparison; summary: ComparisonSummary };

type Chosen = {
  baseline: { id: string; run: Stored<RunSummaryDocument> } | null;
  passed_over: PassedOver | null;
};

type Pair = Chosen & {
  run: Stored<RunSummaryDocument>;
  /** Whether the comparison at the run's completion holds: neither of the two has changed since. */
  isStored: boolean;
};

/** By the past, the run and the position of its last change: a run that changes has another key. */
export type ComparisonCaches = {
  decoded: LRUCache<string, TestsOfRun>;
  compared: LRUCache<string, Compared>;
};

export function comparisonCaches(): ComparisonCaches {
  return {
    decoded: new LRUCache({ maxSize: MOST_DECODED, sizeCalculation: sizeOf }),
    compared: new LRUCache({
      maxSize: MOST_RESULTS,
      sizeCalculation: ({ comparison }) =>
        1 + Object.values(comparison).reduce((sum, results) => sum + results.length, 0),
    }),
  };
}

/**
 * Long because all queries share the caches: each is short. `past`: whose views these are, empty for those of now. The same test
 * may have another key in each.
 */
export function openComparisons(
  reader: ViewReader,
  admission: Admission,
  { decoded, compared }: ComparisonCaches = comparisonCaches(),
  past = '',
): Comparisons {
  const views = typedViews(reader, history);
  const keyOf = (id: string, { position }: Stored<RunSummaryDocument>) => `${past} ${id}@${position}`;

  async function summaryOf(team: string, runId: string): Promise<Stored<RunSummaryDocument> | null> {
    const [found] = await views.get(runSummaryDocuments, [runId]);
    return found?.team_id === team ? found : null;
  }

  async function baselineFor(run: RunSummaryDocument): Promise<Chosen> {
    const [settings = null] = await views.get(projectSettingsDocuments, [run.project_id]);
    const list = completedRunsId(run, defaultBranchOf(settings));
    const [completed = null] = await views.get(completedRunsDocuments, [list]);
    const { id, passed_over, otherwise } = baselineCandidate(completed, run);
    const found = id === null ? null : await summaryOf(run.team_id, id);
    const isOne = id !== null && found !== null && mayBeBaseline(list, found);
    return isOne ? { baseline: { id, run: found }, passed_over } : { baseline: null, passed_over: otherwise };
  }

  /** Null for a run that the history does not have yet. */
  async function pairOf({ team, runId, baseline: wanted }: Asked): Promise<Pair | null> {
    const run = await summaryOf(team, runId);
    if (run === null) return null;
    if (wanted === runId) noSuchRun();
    const { baseline, passed_over } =
      wanted === undefined ? await baselineFor(run) : await namedBaseline(team, wanted, run);
    const { comparison } = run;
    const isStored =
      comparison !== null &&
      comparison.at === run.position &&
      (comparison.baseline?.id ?? null) === (baseline?.id ?? null) &&
      comparison.baseline_position === (baseline?.run.position ?? null);
    return { run, baseline, passed_over, isStored };
  }

  async function namedBaseline(
    team: string,
    id: string,
    { project_id }: RunSummaryDocument,
  ): Promise<Chosen> {
    const found = await summaryOf(team, id);
    if (found?.project_id !== project_id) return noSuchRun();
    return { baseline: { id, run: found }, passed_over: null };
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

  async function compareRuns({ team, runId }: Asked, pair: Pair): Promise<Compared> {
    const { run, baseline } = pair;
    const key = `${keyOf(runId, run)} ${baseline === null ? '' : keyOf(baseline.id, baseline.run)}`;
    const known = compared.get(key);
    if (known !== undefined) return known;
    // The one before may have made the same comparison.
    return admission.run('comparisons', { team }, async () => compared.get(key) ?? make(key, runId, pair));
  }

  async function make(key: string, runId: string, { run, baseline }: Pair): Promise<Compared> {
    const before = baseline === null ? null : await testsOf(baseline.id, baseline.run);
    const here = await testsOf(runId, run);
    const comparison = compare(here, before);
    const ref = baseline === null ? null : baselineRef(baseline.id, baseline.run);
    const counted = { counts: countsOf(comparison), ...countTests(here, before, comparison) };
    const found = { comparison, summary: { baseline: ref, passed_over: null, ...counted } };
    compared.set(key, found);
    return found;
  }

  /** The ids from the lists of the run's completion. */
  async function storedPage(
    runId: string,
    { comparison }: RunSummaryDocument,
    kind: ComparisonKind,
    { offset, limit }: { offset: number; limit: number },
  ): Promise<ComparedPage> {
    const total = comparison!.counts[kind] * resultsEach(kind);
    const end = Math.min(offset + limit, total);
    if (offset >= end) return { ids: [], total };
    const first = Math.floor(offset / RESULTS_PER_LIST);
    const last = Math.floor((end - 1) / RESULTS_PER_LIST);
    const wanted = Array.from({ length: last - first + 1 }, (_, n) => listId(runId, kind, first + n));
    const lists = await views.get(comparedListDocuments, wanted);
    const ids = lists.flatMap((list) => (list === null ? [] : idsInList(list)));
    const skipped = first * RESULTS_PER_LIST;
    return { ids: ids.slice(offset - skipped, end - skipped), total };
  }

  return {
    async insights(team, runIds) {
      const found = await views.get(runSummaryDocuments, runIds);
      return found.map((summary) => {
        const own = summary?.team_id === team ? summary : null;
        return {
          gate: own?.gate?.gate ?? null,
          gate_reasons: own?.gate?.reasons ?? [],
          gate_settings: own?.gate?.settings ?? null,
          new_failures: own?.comparison?.counts.new_failures ?? null,
        };
      });
    },
    async baselineOf(team, runId) {
      const run = await summaryOf(team, runId);
      return run === null ? null : ((await baselineFor(run)).baseline?.id ?? null);
    },
    async summary(asked) {
      const pair = await pairOf(asked);
      if (pair === null) return nothing;
      const { isStored, run, passed_over } = pair;
      const found = isStored ? shownComparison(run.comparison!) : (await compareRuns(asked, pair)).summary;
      // Other runs may have become fit or unfit since.
      return { ...found, passed_over };
    },
    async page(asked, kind, { offset, limit }) {
      const pair = await pairOf(asked);
      if (pair === null) return { ids: [], total: 0 };
      const each = resultsEach(kind);
      const part = { offset: offset * each, limit: limit * each };
      const { ids, total } = pair.isStored
        ? await storedPage(asked.runId, pair.run, kind, part)
        : pageOf((await compareRuns(asked, pair)).comparison[kind], part);
      return { ids, total: total / each };
    },
  };
}

function pageOf(
  results: readonly PackedResult[],
  { offset, limit }: { offset: number; limit: number },
): ComparedPage {
  return { ids: results.slice(offset, offset + limit).map(resultIdIn), total: results.length };
}

function noSuchRun(): never {
  return fail('not_found', 'There is no such other run in the project of the run.');
}

const noTests = compare(new Map(), null);
const nothing: ComparisonSummary = {
  baseline: null,
  passed_over: null,
  counts: countsOf(noTests),
  ...countTests(new Map(), null, noTests),
};
