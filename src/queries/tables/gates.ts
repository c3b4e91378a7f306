/**
 * The gates of runs. They follow from comparisons, which are a fold over all of a project: so they are those of the history,
 * for runs that have not changed since the position of the export.
 */
import { history } from '../../../projections/history/history.js';
import { runSummaryDocuments } from '../../../projections/comparisons/run-summary-documents.js';
import type { Position } from '../../domain/event.js';
import type { ViewReader } from '../../ports/views.js';
import { typedViews } from '../../projecting/typed-views.js';
import { tableEvents, type TableScope, type TableSource } from './table-events.js';

/** By run; none for a run without a gate, and for one that has changed since. */
export type GatesOf = (runs: readonly string[]) => Promise<ReadonlyMap<string, string>>;

export function openGates(
  source: TableSource,
  scope: TableScope,
  { historyViews, until }: { historyViews: ViewReader; until: Position },
): GatesOf {
  const views = typedViews(historyViews, history);
  const changed = new Set<string>();
  let read = until;
  return async (runs) => {
    const summaries = await views.get(runSummaryDocuments, runs);
    // After the documents, which may be newer than the export.
    const head = await source.log.head();
    for await (const events of tableEvents(source, scope, { after: read, until: head })) {
      for (const { data } of events) changed.add(String((data as { run_id?: string | null }).run_id));
    }
    read = head > read ? head : read;
    return new Map(
      summaries.flatMap((summary, n) => {
        const gate = summary?.gate?.gate;
        return gate === undefined || changed.has(runs[n]!) ? [] : [[runs[n]!, gate]];
      }),
    );
  };
}
