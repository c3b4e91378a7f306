/** Folding into one build of the views: what was folded lately is kept, so that a busy run is not read back. */
import { LRUCache } from 'lru-cache';
import type { Position } from '../domain/event.js';
import type { Document, Projection } from '../domain/projection.js';
import { foldBatch, type LoadDocuments } from './fold.js';
import type { Batch, Build, ViewWriter } from './ports.js';
import { roughSize } from './rough-size.js';

/** Of one collection. */
const RECENT_BYTES = 8 * 1024 * 1024;

/** A function that folds batch after batch, from where the build stands, and answers the position reached. */
export function buildFolder(
  projection: Projection,
  views: ViewWriter,
  { build, epoch, position }: Pick<Build, 'build' | 'epoch' | 'position'>,
): (batch: Pick<Batch, 'events' | 'position'>) => Promise<Position> {
  const recent = new Map(
    projection.collections.map(({ name }) => [
      name,
      new LRUCache<string, Document>({ max: 2_000, maxSize: RECENT_BYTES, sizeCalculation: roughSize }),
    ]),
  );
  let from = position;

  const load: LoadDocuments = async (keys) => {
    const documents = keys.map(({ collection, id }) => recent.get(collection)?.get(id) ?? null);
    const missing = keys.flatMap((key, index) => (documents[index] === null ? [{ key, index }] : []));
    if (missing.length === 0) return documents;
    const loaded = await views.load(
      projection,
      build,
      missing.map(({ key }) => key),
    );
    missing.forEach(({ index }, n) => (documents[index] = loaded[n] ?? null));
    return documents;
  };

  return async ({ events, position: to }) => {
    if (to === from) return from;
    const changes = await foldBatch(projection, load, events);
    await views.commit(projection, { build, epoch, from, to, changes });
    for (const { collection, id, after } of changes) {
      if (after === null) recent.get(collection)?.delete(id);
      else recent.get(collection)?.set(id, after);
    }
    from = to;
    return from;
  };
}
