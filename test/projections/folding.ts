/** Folding in memory: between batches, documents are JSON, as in every store. */
import { records } from '../../projections/records/records.js';
import type { RunDocument } from '../../projections/records/run-documents.js';
import { foldBatch } from '../../src/projecting/fold.js';
import { asChunks } from '../domain/item-chunks.js';
import { totalDeltas } from '../../src/adapters/shared/view-totals.js';
import type { LedgerEvent } from '../../src/domain/events.js';
import type { Document, Projection } from '../../src/domain/projection.js';

export type Folded = {
  /** `<collection>/<id>` → the document as JSON text. */
  texts: ReadonlyMap<string, string>;
  /** `<collection>/<fields>/<values>` → how many. */
  totals: ReadonlyMap<string, number>;
};

/** Folds in batches of these sizes, in turn; without any, one event a batch. The ledger views take items by chunks. */
export async function fold(
  history: readonly LedgerEvent[],
  sizes: readonly number[] = [1],
  projection: Projection = records,
): Promise<Folded> {
  const events = projection === records ? asChunks(history) : history;
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

export async function runOf(events: readonly LedgerEvent[], { id }: { id: string }): Promise<RunDocument> {
  const text = (await fold(events)).texts.get(`runs/${id}`);
  if (text === undefined) throw new Error(`there is no run ${id}`);
  return JSON.parse(text) as RunDocument;
}
