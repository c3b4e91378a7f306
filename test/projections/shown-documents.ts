/** The documents of the ledger views as they are read, for the comparison with the naive model. */
import {
  directoryDocuments,
  bodyDocuments,
  changedDocuments,
  packDocuments,
} from '../../projections/records/result-packs.js';
import type { LedgerEvent } from '../../src/domain/events.js';
import { bulkOriginOf } from '../../src/domain/ids.js';
import { resultsById } from '../../src/queries/results/results-by-id.js';
import { foldedViews } from './folded-views.js';
import { wholeTeam } from '../../src/domain/teams/access.js';
import { modelOf } from './model.js';

const packed = [packDocuments, bodyDocuments, changedDocuments, directoryDocuments];

/** The stored documents, with the results of submissions as a reader gets them by their ids. */
export async function shownDocuments(
  texts: ReadonlyMap<string, string>,
  events: readonly LedgerEvent[],
): Promise<Map<string, object>> {
  const documents = new Map<string, object>();
  for (const [name, text] of texts) {
    if (!packed.some(({ name: collection }) => name.startsWith(`${collection}/`)))
      documents.set(name, JSON.parse(text) as object);
  }
  const items = events.flatMap((event) => (event.type === 'ResultSubmitted' ? [event.data.result_id] : []));
  for (const result of await resultsById(foldedViews(texts), wholeTeam('team'), items))
    documents.set(`results/${result.test_result_id}`, result);
  return withoutPositions(documents);
}

/** The documents that the naive model says. */
export function shownModel(events: readonly LedgerEvent[]): Map<string, object> {
  return withoutPositions(modelOf(events));
}

/** A result of a submission has no position of its own. */
function withoutPositions(documents: ReadonlyMap<string, object>): Map<string, object> {
  const isItem = (name: string) => name.startsWith('results/') && bulkOriginOf(name.slice(8)) !== null;
  return new Map(
    [...documents].map(([name, document]) => {
      const { position: _, ...others } = document as { position?: string };
      return [name, isItem(name) ? others : document];
    }),
  );
}
