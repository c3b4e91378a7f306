/** Folds into one build of the views. It caches recent documents, so that those of a busy run are not read back. */
import { LRUCache } from 'lru-cache';
import type { Position } from '../domain/event.js';
import type { LedgerEvent } from '../domain/events.js';
import type { Document, Projection, ProjectionSpec } from '../domain/projection.js';
import { foldBatch, type LoadDocuments } from './fold.js';
import type { Batch } from '../ports/event-log.js';
import type { Build, Change, ViewWriter } from '../ports/views.js';
import { estimateBytes } from '../memory/estimate-bytes.js';

/** The cache of one collection. */
const RECENT_BYTES = 8 * 1024 * 1024;

/** The build to fold into, and the position where the fold begins. */
export type BuildStart = Pick<Build, 'build' | 'epoch' | 'position'>;

/** Folds the next batch into the build, and returns the position reached. */
export type FoldBatch = (batch: Pick<Batch, 'events' | 'position'>) => Promise<Position>;

/** Begins to fold into a build. */
export type OpenFold = (start: BuildStart) => FoldBatch;

/** Folds with the projection alone, without a step in between. */
export function foldInto(projection: Projection, views: ViewWriter): OpenFold {
  return (start) => {
    const store = openBuild(projection, views, start);
    return async ({ events, position: to }) => {
      if (to === store.position()) return to;
      return store.commit(await foldBatch(projection, store.load, events as LedgerEvent[]), to);
    };
  };
}

export type BuildStore = {
  position(): Position;
  load: LoadDocuments;
  /** Writes the documents and the checkpoint together. @throws LedgerError `fenced` */
  commit(changes: readonly Change[], to: Position): Promise<Position>;
};

/** Opens a build to load documents from and to commit to. */
export function openBuild(
  projection: ProjectionSpec,
  views: ViewWriter,
  { build, epoch, position }: BuildStart,
): BuildStore {
  const recent = new Map(
    projection.collections
      .filter(({ rarelyRead }) => rarelyRead !== true)
      .map(({ name }) => [
        name,
        new LRUCache<string, Document>({ max: 2_000, maxSize: RECENT_BYTES, sizeCalculation: estimateBytes }),
      ]),
  );
  let from = position;

  return {
    position: () => from,
    async load(keys) {
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
    },
    async commit(changes, to) {
      await views.commit(projection, { build, epoch, from, to, changes });
      for (const { collection, id, after } of changes) {
        if (after === null) recent.get(collection)?.delete(id);
        else recent.get(collection)?.set(id, after);
      }
      from = to;
      return from;
    },
  };
}
