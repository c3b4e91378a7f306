/**
 * Folds events into one build of the views: it loads the documents that a batch touches, applies the events in memory,
 * and commits the changed documents with the checkpoint. It caches recent documents, so that those of a busy run are
 * not read back.
 */
import { LRUCache } from 'lru-cache';
import type { Position, RecordedEvent } from '../domain/event.js';
import type { LedgerEvent } from '../domain/events.js';
import type {
  Collection,
  CollectionSpec,
  Document,
  Documents,
  Fold,
  Projection,
  ProjectionSpec,
} from '../domain/projection.js';
import type { Batch } from '../ports/event-log.js';
import type { Build, Change, DocumentKey, ViewWriter } from '../ports/views.js';
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

export type LoadDocuments = (keys: readonly DocumentKey[]) => Promise<(Document | null)[]>;

/**
 * Loads the documents that the events touch, applies the events in order, and returns the documents that changed. Each
 * document gets the position of the last event that put it.
 */
export async function foldBatch<E extends RecordedEvent = LedgerEvent>(
  projection: Fold<E>,
  load: LoadDocuments,
  events: readonly E[],
): Promise<Change[]> {
  const touched: E[] = [];
  const work = new Map<string, Map<string, Change>>();
  const changes: Change[] = [];
  const stored: Change[] = [];
  for (const event of events) {
    const documents = projection.touches(event);
    if (documents.length === 0) continue;
    touched.push(event);
    for (const { collection, id, isNew } of documents) {
      let ids = work.get(collection);
      if (ids === undefined) work.set(collection, (ids = new Map()));
      if (ids.has(id)) continue;
      const change: Change = { collection, id, before: null, after: null };
      ids.set(id, change);
      changes.push(change);
      if (isNew !== true) stored.push(change);
    }
  }
  if (touched.length === 0) return [];

  const found = await load(stored);
  stored.forEach((change, index) => (change.before = change.after = found[index] ?? null));
  for (const event of touched) projection.apply(documentsAt(event, work, changes), event);
  return changes.filter(({ before, after }) => before !== after);
}

function documentsAt(
  { position, type }: RecordedEvent,
  work: Map<string, Map<string, Change>>,
  changes: Change[],
): Documents {
  const entry = ({ name: collection }: CollectionSpec, id: string) => {
    const change = work.get(collection)?.get(id);
    // A document that was not announced was not loaded, so the fold would overwrite the stored one.
    if (change === undefined) throw new Error(`${type} touches ${collection} ${id} without announcing it`);
    return change;
  };
  return {
    get: <D extends object>(collection: Collection<D>, id: string) => entry(collection, id).after as D | null,
    put(collection, id, document) {
      const change = entry(collection, id);
      // The document that was read must stay as it was: the change is the difference from it.
      if (document === change.before)
        throw new Error(`${type} puts ${change.collection} ${id} as it was read`);
      const positioned = document as { position: Position };
      positioned.position = position;
      change.after = positioned;
    },
    remove: (collection, id) => void (entry(collection, id).after = null),
    add: ({ name: collection }, id, document) =>
      void changes.push({ collection, id, before: null, after: { ...document, position } }),
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
