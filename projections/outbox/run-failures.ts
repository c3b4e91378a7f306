/**
 * The failures of a run at its completion, as messages tell of them. They are read by the results of the run, after all parts
 * of the history have folded it: so what was superseded, deleted or regrouped before counts as a GET shows it.
 */
import { failingIn } from '../../src/domain/comparison/packed-results.js';
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

type Completion = LedgerEvent<'RunCompleted'>;

/** From `failureRefs` to `failuresOf`: the ids of the failing results. The outbox and the verdicts of branches ask both. */
const failing = new WeakMap<Completion, readonly string[]>();

/** What `failuresOf` reads. */
export function* failureRefs(
  documents: ReadableDocuments,
  event: Completion,
): Generator<readonly DocumentRef[]> {
  const { run_id } = event.data;
  const summary = documents.get(runSummaryDocuments, run_id);
  if (summary === null || !hasFailures(summary)) return;
  yield [...chunksOf(run_id, summary), toldGroupDocuments.at(run_id)];
  const ids = readChunks(documents, run_id, summary).flatMap(failingIn);
  failing.set(event, ids);
  yield ids.map(failureDocuments.at);
  const baseline = summary.comparison?.baseline ?? null;
  if (baseline === null) return;
  const groups = new Set(failuresIn(documents, ids).map(({ group }) => group.id));
  yield [...groups].map((group) => sightingDocuments.at(sightingId(baseline.id, group)));
}

/** The largest groups of a run that is completed, and where it ran. */
export function failuresOf(documents: ReadableDocuments, event: Completion): FailedGroup[] {
  const ids = failing.get(event);
  if (ids === undefined) return [];
  const { run_id } = event.data;
  const baseline = documents.get(runSummaryDocuments, run_id)?.comparison?.baseline ?? null;
  const isNew = (group: string) =>
    baseline === null || documents.get(sightingDocuments, sightingId(baseline.id, group)) === null;
  const told = new Set(documents.get(toldGroupDocuments, run_id)?.groups);
  return failedGroups(failuresIn(documents, ids), isNew)
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
const failingKinds = [
  'new_failures',
  'still_failing',
  'flaky',
  'known',
] as const satisfies readonly (keyof ComparisonCounts)[];

function hasFailures({ comparison }: RunSummaryDocument): boolean {
  return comparison !== null && failingKinds.some((kind) => comparison.counts[kind] > 0);
}

function failuresIn(documents: ReadableDocuments, ids: readonly string[]): FailureDocument[] {
  return ids.map((id) => documents.get(failureDocuments, id)).filter((failure) => failure !== null);
}
