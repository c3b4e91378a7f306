/** Folding in memory: between batches, documents are JSON, as in every store. */
import { ledgerViews } from '../../projections/index.js';
import type { ProjectDocument } from '../../projections/projects.js';
import type { ResultDocument, RunDocument } from '../../projections/run-documents.js';
import { foldBatch } from '../../src/projecting/fold.js';
import { totalDeltas } from '../../src/adapters/shared/view-totals.js';
import type { LedgerEvent } from '../../src/domain/events.js';
import type { Document, Projection } from '../../src/domain/projection.js';

export type Folded = {
  /** `<collection>/<id>` → the document as JSON text. */
  texts: ReadonlyMap<string, string>;
  /** `<collection>/<fields>/<values>` → how many. */
  totals: ReadonlyMap<string, number>;
};

/** Folds in batches of these sizes, in turn; without any, one event a batch. */
export async function fold(
  events: readonly LedgerEvent[],
  sizes: readonly number[] = [1],
  projection: Projection = ledgerViews,
): Promise<Folded> {
  const texts = new Map<string, string>();
  const totals = new Map<string, number>();
  for (let from = 0, batch = 0; from < events.length; batch += 1) {
    const size = sizes[batch % sizes.length]!;
    const changes = await foldBatch(
      projection,
      async (keys) =>
        keys.map(({ collection, id }) => {
          const text = texts.get(`${collection}/${id}`);
          return text === undefined ? null : (JSON.parse(text) as Document);
        }),
      events.slice(from, from + size),
    );
    for (const { collection, id, after } of changes) {
      if (after === null) texts.delete(`${collection}/${id}`);
      else texts.set(`${collection}/${id}`, JSON.stringify(after));
    }
    for (const { collection, fields, values, n } of totalDeltas(projection, changes)) {
      const name = `${collection}/${fields.join()}/${values.join()}`;
      totals.set(name, (totals.get(name) ?? 0) + n);
    }
    from += size;
  }
  return { texts, totals };
}

/** One document, or null. */
export async function document<T>(
  events: readonly LedgerEvent[],
  collection: string,
  { id }: { id: string },
): Promise<T | null> {
  const text = (await fold(events)).texts.get(`${collection}/${id}`);
  return text === undefined ? null : (JSON.parse(text) as T);
}

export async function runOf(events: readonly LedgerEvent[], place: { id: string }): Promise<RunDocument> {
  return (await document<RunDocument>(events, 'runs', place)) ?? missing(place.id);
}

export async function resultOf(
  events: readonly LedgerEvent[],
  place: { id: string },
): Promise<ResultDocument> {
  return (await document<ResultDocument>(events, 'results', place)) ?? missing(place.id);
}

export async function projectOf(
  events: readonly LedgerEvent[],
  place: { id: string },
): Promise<ProjectDocument> {
  return (await document<ProjectDocument>(events, 'projects', place)) ?? missing(place.id);
}

function missing(id: string): never {
  throw new Error(`there is no document ${id}`);
}
