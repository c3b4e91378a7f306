/**
 * The failures of a run at its completion, as messages tell of them. They are read by the results of the run, after all parts
 * of the history have folded it: so what was superseded, deleted or regrouped before counts as a GET shows it.
 */
import {
  hasFailed,
  isSuperseded,
  packedResultsIn,
  resultIdIn,
} from '../../src/domain/comparison/packed-results.js';
import type { ComparisonCounts } from '../../src/domain/comparison/compare.js';
import type { LedgerEvent } from '../../src/domain/events.js';
import { failedGroups, type FailedGroup } from '../../src/domain/messages/failed-groups.js';
import { untold } from '../../src/domain/messages/group-payload.js';
import {
  collection,
  type DocumentRef,
  type Documents,
  type ReadableDocuments,
} from '../../src/domain/projection.js';
import { limits } from '../../src/limits.js';
import { chunksOf, readChunks } from '../comparisons/run-baselines.js';
import { runSummaryDocuments, type RunSummaryDocument } from '../comparisons/run-summary-documents.js';
import { sightingDocuments } from '../history/failure-counts.js';
import { failureDocuments, type FailureDocument } from '../history/failure-documents.js';
import { sightingId } from '../history/failure-scopes.js';

/** By run id: the groups of which its completions told. */
type ToldGroupsDocument = { groups: readonly string[] };

export const toldGroupDocuments = collection<ToldGroupsDocument>({
  name: 'told_groups',
  ids: 'run',
  rarelyRead: true,
  indexes: [],
});

/** What `failuresOf` reads. */
export function* failureRefs(
  documents: ReadableDocuments,
  { data: { run_id } }: LedgerEvent<'RunCompleted'>,
): Generator<readonly DocumentRef[]> {
  const summary = documents.get(runSummaryDocuments, run_id);
  if (summary === null || !hasFailures(summary)) return;
  yield [...chunksOf(run_id, summary), toldGroupDocuments.at(run_id)];
  yield failingIn(documents, run_id, summary).map(failureDocuments.at);
  const baseline = summary.comparison?.baseline ?? null;
  if (baseline === null) return;
  const groups = new Set(failuresIn(documents, run_id, summary).map(({ group }) => group.id));
  yield [...groups].map((group) => sightingDocuments.at(sightingId(baseline.id, group)));
}

/** The largest groups of a run that is completed, and where it ran. */
export function failuresOf(documents: ReadableDocuments, run_id: string): FailedGroup[] {
  const summary = documents.get(runSummaryDocuments, run_id);
  if (summary === null || !hasFailures(summary)) return [];
  const baseline = summary.comparison?.baseline ?? null;
  const isNew = (group: string) =>
    baseline === null || documents.get(sightingDocuments, sightingId(baseline.id, group)) === null;
  const told = new Set(documents.get(toldGroupDocuments, run_id)?.groups);
  return failedGroups(failuresIn(documents, run_id, summary), isNew)
    .slice(0, limits.orderedGroups)
    .map((failed) => (told.has(failed.group.id) ? { ...failed, told: true } : failed));
}

/** Later completions of the run tell of other groups alone. */
export function tell(documents: Documents, run_id: string, failures: readonly FailedGroup[]): void {
  const news = untold(failures).map(({ group }) => group.id);
  if (news.length === 0) return;
  const { groups = [] } = documents.get(toldGroupDocuments, run_id) ?? {};
  documents.put(toldGroupDocuments, run_id, { groups: [...groups, ...news] });
}

/** Each failing test is of one of these kinds, so a green run costs nothing more. */
const failing = [
  'new_failures',
  'still_failing',
  'flaky',
  'known',
] as const satisfies readonly (keyof ComparisonCounts)[];

function hasFailures({ comparison }: RunSummaryDocument): boolean {
  return comparison !== null && failing.some((kind) => comparison.counts[kind] > 0);
}

function failingIn(documents: ReadableDocuments, run_id: string, summary: RunSummaryDocument): string[] {
  return readChunks(documents, run_id, summary).flatMap((chunk) =>
    packedResultsIn(chunk)
      .filter((result) => hasFailed(result) && !isSuperseded(result))
      .map(resultIdIn),
  );
}

function failuresIn(
  documents: ReadableDocuments,
  run_id: string,
  summary: RunSummaryDocument,
): FailureDocument[] {
  return failingIn(documents, run_id, summary)
    .map((id) => documents.get(failureDocuments, id))
    .filter((failure) => failure !== null);
}
