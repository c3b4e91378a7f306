/** Folds into one build of the views. It caches recent documents, so that those of a busy run are not read back. */
import { LRUCache } from 'lru-cache';
import type { Position, RecordedEvent } from '../domain/event.js';
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

/** The stages that a projection may have around its fold. */
export type Stages<E> = {
  /** Before the fold: adds to events what they do not carry. */
  enrich: (events: readonly RecordedEvent[]) => Promise<E[]>;
  /** After the fold: effects that must happen before the checkpoint. Returns the changes to commit. */
  beforeCommit: (changes: Change[]) => Promise<Change[]>;
  /** After the commit of changes up to a position. */
  afterCommit: (changes: readonly Change[], to: Position) => Promise<void>;
};

/** Folds a projection into a build, with its stages if it has any. */
export function foldInto<E extends LedgerEvent = LedgerEvent>(
  projection: Projection<E>,
  views: ViewWriter,
  stages?: Stages<E>,
): OpenFold {
  return (start) => {
    const store = openBuild(projection, views, start);
    return async ({ events, position: to }) => {
      if (to === store.position()) return to;
      const enriched = stages === undefined ? (events as E[]) : await stages.enrich(events);
      const folded = await foldBatch(projection, store.load, enriched);
      const changes = stages === undefined ? folded : await stages.beforeCommit(folded);
      const reached = await store.commit(changes, to);
      await stages?.afterCommit(changes, to);
      return reached;
    };
  };
}

type BuildStore = {
  position(): Position;
  load: LoadDocuments;
  /** Writes the documents and the checkpoint together. @throws LedgerError `fenced` */
  commit(changes: readonly Change[], to: Position): Promise<Position>;
};

/** Opens a build to load documents from and to commit to. */
function openBuild(
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
