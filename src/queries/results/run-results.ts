/** Reads results so that no reader sees a part of a submission: neither its items nor what they supersede. */
import {
  runDocuments,
  type ResultDocument,
  type RunDocument,
} from '../../../projections/records/run-documents.js';
import type { Reader } from '../../domain/teams/access.js';
import { bulkOriginOf } from '../../domain/ids.js';
import { notFound } from '../../domain/life.js';
import type { Cursor } from '../../ports/views.js';
import { resultById, resultsById } from './results-by-id.js';
import { pageOfResults, type ResultsQuery } from './results-page.js';
import type { TeamViews } from '../team-views.js';
import { wholeResults, type WholeResult } from './whole-results.js';

export type ResultsOfRun = {
  run: RunDocument;
  /** The number of all its results, also of those that are replaced and do not count. */
  total: number;
  items: WholeResult[];
  /** Where the next page begins; null where nothing follows. */
  next: Cursor | null;
};

/** A page is read again if a submission has come meanwhile. */
const TRIES = 3;

/** One page of the results of a run, in order of creation. @throws AppError `not_found` */
export async function findResults(
  views: TeamViews,
  reader: Reader,
  runId: string,
  query: ResultsQuery,
): Promise<ResultsOfRun> {
  let run: RunDocument = await views.get(runDocuments, reader, runId);
  for (let tries = 1; ; tries += 1) {
    const before = run;
    const { items, next } = await pageOfResults(views, before, query, async () =>
      totalOf(await views.get(runDocuments, reader, runId)),
    );
    // The same fold keeps the counts: they include each result of the run once.
    run = await views.get(runDocuments, reader, runId);
    const isSame = run.items === before.items && run.arriving?.position === before.arriving?.position;
    if (!isSame && tries < TRIES) continue;
    const shown = items.map((item) => shownIn(item, before));
    return { run, total: totalOf(run), items: await wholeResults(views.contents, shown), next };
  }
}

function totalOf({ counts, replaced = 0 }: RunDocument): number {
  return counts.total + replaced;
}

/**
 * One result, with its run where that was read. `current`: the views show all that the team has written.
 * @throws AppError `not_found`
 */
export async function findResult(
  views: TeamViews,
  reader: Reader,
  id: string,
  current: boolean,
): Promise<{ result: WholeResult; run: RunDocument | null }> {
  let shown = await resultById(views, reader, id);
  let run: RunDocument | null = null;
  if (needsRun(shown, current)) {
    run = await views.get(runDocuments, reader, shown.test_run_id!);
    if (!isThere(shown, run)) notFound('result');
    shown = shownIn(shown, run);
  }
  const [result] = await wholeResults(views.contents, [shown]);
  return { result: result!, run };
}

/** The results that exist, in the order of the ids. */
export async function someResults(
  views: TeamViews,
  reader: Reader,
  ids: readonly string[],
  current: boolean,
): Promise<WholeResult[]> {
  const results = await resultsById(views, reader, ids);
  const needed = results.filter((result) => needsRun(result, current)).map((result) => result.test_run_id!);
  const found = await views.some(runDocuments, reader, [...new Set(needed)]);
  const runs = new Map<string, RunDocument>(found.map((run) => [run.test_run_id, run]));
  const shown = results.flatMap((result) => {
    if (!needsRun(result, current)) return [result];
    const run = runs.get(result.test_run_id!);
    return run !== undefined && isThere(result, run) ? [shownIn(result, run)] : [];
  });
  return wholeResults(views.contents, shown);
}

/** The result that replaces an item, as far as the views show it; null for none. @throws as the views */
export async function replacerOf(views: TeamViews, reader: Reader, id: string): Promise<string | null> {
  if (bulkOriginOf(id) === null) return null;
  const [result] = await someResults(views, reader, [id], true);
  return result?.superseded_by ?? null;
}

/** Views that are behind may have only some results of a submission: a result is complete once its run has it. */
function needsRun({ test_run_id, replaced_by }: ResultDocument, current: boolean): boolean {
  return test_run_id !== null && (!current || replaced_by !== undefined);
}

function isThere({ created_position }: ResultDocument, { arriving }: RunDocument): boolean {
  return arriving === undefined || created_position <= arriving.position;
}

/** The next attempt comes first: within the submission, and then in the shard. */
function shownIn(result: ResultDocument, { arriving }: RunDocument): ResultDocument {
  const { superseded_by, replaced_by = [] } = result;
  if (superseded_by !== null || replaced_by.length === 0) return result;
  const by = replaced_by.find((id) => bulkOriginOf(id)?.submission_id !== arriving?.submission_id);
  return by === undefined ? result : { ...result, superseded_by: by };
}
