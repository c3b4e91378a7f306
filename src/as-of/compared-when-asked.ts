/** The comparison of a run is made when its summary is first asked for. Its lists are found by the summary, so they are asked for later. */
import { comparedNow } from '../../projections/comparisons/late-comparisons.js';
import {
  comparedListDocuments,
  runSummaryDocuments,
  type RunSummaryDocument,
} from '../../projections/comparisons/run-summary-documents.js';
import type { Document } from '../domain/projection.js';
import type { Change } from '../ports/views.js';
import type { PastDocuments } from './documents.js';

export function comparedWhenAsked(documents: PastDocuments): PastDocuments {
  function compareRun(id: string): void {
    const [stored] = documents.get(runSummaryDocuments.name, [id]);
    const compared = stored == null ? null : comparedNow(id, stored as Document & RunSummaryDocument);
    if (compared === null) return;
    const put = ({ name: collection }: { name: string }, id: string, after: object): Change => ({
      collection,
      id,
      before: null,
      after: after as Document,
    });
    documents.keep([
      put(runSummaryDocuments, id, compared.summary),
      ...compared.lists.map(([id, list]) => put(comparedListDocuments, id, list)),
    ]);
  }

  return {
    ...documents,
    get(collection, ids) {
      if (collection === runSummaryDocuments.name) ids.forEach(compareRun);
      return documents.get(collection, ids);
    },
  };
}
