/**
 * Folds events into one build of the views: it loads the documents that a batch touches, applies the events in memory,
 * and commits the changed documents with the checkpoint.
 */
import { ordinalAt, type Position, type RecordedEvent } from '../domain/event.js';
import type { LedgerEvent } from '../domain/events.js';
import { isCurrent, upcast } from '../domain/event-versions.js';
import { isPurged } from '../domain/redaction/purged.js';
import type { Partitions } from '../domain/partition.js';
import type {
  Collection,
  Document,
  DocumentRef,
  Documents,
  Fold,
  OpenCollection,
  Projection,
} from '../domain/projection.js';
import type { Change, FoldedEvent, ViewWriter } from '../ports/views.js';
import { openBuild, type BuildStart, type CommittedMove, type LoadDocuments } from './build-store.js';

/**
 * A batch with more changes is committed in parts: one event may change a thousand documents, and one transaction of many
 * such events would not fit into the cache of a small MongoDB server. A usual batch has fewer.
 */
const CHANGES_PER_COMMIT = 5_000;

/** Events of some partitions, in order: all that these partitions have between two positions. */
export type Move = {
  events: readonly RecordedEvent[];
  partitions: Partitions;
  from: Position;
  to: Position;
};

/** Folds the next events of some partitions into the build, and commits them. @throws the fault of this move */
export type FoldMove = (move: Move) => Promise<void>;

/** Begins to fold into a build. */
export type OpenFold = (start: BuildStart) => FoldMove;

/** The stages that a projection may have around its fold. */
export type Stages<E> = {
  /** Before the fold: the events that it takes for an event of the feed, with what follows from them alone. */
  derive: (event: RecordedEvent) => E[];
  /** After the fold: effects that must happen before the checkpoint. Returns the changes to commit. */
  beforeCommit: (changes: Change[]) => Promise<Change[]>;
  /** After the commit of changes. */
  afterCommit: (changes: readonly Change[], move: CommittedMove) => Promise<void>;
};

/**
 * Folds a projection into a build, with its stages if it has any. The events may be of an older version, as they are
 * stored. @throws AppError `unknown_event` for an event that only a newer program knows, and what the fold throws
 */
export function foldInto<E extends LedgerEvent = LedgerEvent>(
  projection: Projection<E>,
  views: ViewWriter,
  stages?: Stages<E>,
): OpenFold {
  return (start) => {
    const store = openBuild(projection, views, start);

    async function fold(move: Move): Promise<void> {
      const { events: stored, ...checkpoint } = move;
      const events = stored.every(isCurrent) ? stored : stored.map(upcast);
      const derived =
        stages === undefined
          ? (events as E[])
          : events.flatMap((event) => (isPurged(event) ? [] : stages.derive(event)));
      const folded = await foldBatch(projection, store.load, derived);
      if (stages === undefined && folded.length > CHANGES_PER_COMMIT && events.length > 1) {
        for (const half of halves({ ...move, events })) await fold(half);
        return;
      }
      const changes = stages === undefined ? folded : await stages.beforeCommit(folded);
      const committed = { ...checkpoint, lastEvent: lastOf(events) };
      await store.commit(changes, committed);
      await stages?.afterCommit(changes, committed);
    }

    return async (move) => {
      // A projector that has caught up has nothing to commit.
      if (move.from !== move.to) await fold(move);
    };
  };
}

/** The last event that the log has at its position: an item has only its place behind another event. */
function lastOf(events: readonly RecordedEvent[]): FoldedEvent | undefined {
  const event = events.findLast(({ position }) => ordinalAt(position) === null);
  return event && { position: event.position, id: event.id };
}

function halves(move: Move): [Move, Move] {
  const { events } = move;
  const middle = Math.ceil(events.length / 2);
  const at = events[middle - 1]!.position;
  return [
    { ...move, events: events.slice(0, middle), to: at },
    { ...move, events: events.slice(middle), from: at },
  ];
}

/**
 * Loads the documents that the events touch, applies the events in order, and returns the documents that changed. Each
 * document gets the position of the last event that put it.
 */
export async function foldBatch<E extends RecordedEvent = LedgerEvent>(
  projection: Fold<E> & Pick<Projection<E>, 'parts'>,
  load: LoadDocuments,
  events: readonly E[],
): Promise<Change[]> {
  const work: Work = { collections: new Map(), changes: [], added: new Set() };
  const touched: E[] = [];
  const stored: Change[] = [];
  const parts = projection.parts ?? [projection];
  for (const event of events) {
    let isTouched = false;
    for (const part of takersOf(parts, event)) {
      const documents = part.touches(event);
      if (documents.length === 0) continue;
      isTouched = true;
      announce(work, documents, stored);
    }
    if (isTouched) touched.push(event);
  }
  if (touched.length === 0) return [];

  await loadInto(stored, load);
  const { documents, beginWith, opened } = documentsIn(work);
  for (const event of touched) {
    beginWith(event);
    for (const part of takersOf(parts, event)) {
      const steps = part.follows?.(documents, event) ?? null;
      if (steps !== null) {
        for (const following of steps) {
          const more: Change[] = [];
          announce(work, following, more);
          if (more.length > 0) await loadInto(more, load);
        }
      }
      part.apply(documents, event);
    }
  }
  for (const { change, document, position } of opened) {
    if (position !== null) change.after = placed(document, position);
  }
  return work.changes.filter(({ before, after }) => before !== after);
}

/** The parts that take an event: hardly any takes those of what is purged. */
function takersOf<E extends RecordedEvent>(parts: readonly Fold<E>[], event: E): readonly Fold<E>[] {
  return isPurged(event) ? parts.filter(({ takesPurged }) => takesPurged === true) : parts;
}

/** Takes documents into the work, and adds those that must be loaded to `stored`. */
function announce({ collections, changes }: Work, documents: readonly DocumentRef[], stored: Change[]): void {
  for (const { collection, id, isNew } of documents) {
    let own = collections.get(collection);
    if (own === undefined) collections.set(collection, (own = { changes: new Map(), last: null }));
    if (changeOf(own, id) !== undefined) continue;
    const change: Change = { collection, id, before: null, after: null };
    own.changes.set(id, change);
    own.last = change;
    changes.push(change);
    if (!isNew) stored.push(change);
  }
}

async function loadInto(stored: readonly Change[], load: LoadDocuments): Promise<void> {
  const found = await load(stored);
  stored.forEach((change, index) => (change.before = change.after = found[index] ?? null));
}

/** `added`: the documents that this batch has added. A log may hold an event twice. */
type Work = { collections: Map<string, OfCollection>; changes: Change[]; added: Set<string> };

/** The documents of one collection, by their ids. `last`: the one that was asked for last. */
type OfCollection = { changes: Map<string, Change>; last: Change | null };

/** An event asks for the same document several times, and each search among thousands of ids takes long. */
function changeOf(own: OfCollection, id: string): Change | undefined {
  if (own.last?.id === id) return own.last;
  const change = own.changes.get(id);
  if (change !== undefined) own.last = change;
  return change;
}

/** One for a whole batch: made for each event, it would be most of what a small event leaves to the garbage collector. */
function documentsIn({ collections, changes, added }: Work): {
  documents: Documents;
  /** The event that changes the documents from then on. */
  beginWith(event: RecordedEvent): void;
  opened: Iterable<Opened>;
} {
  let position: Position = '';
  let type = '';
  const entry = (collection: string, id: string): Change => {
    const own = collections.get(collection);
    const change = own === undefined ? undefined : changeOf(own, id);
    // A document that was not announced was not loaded, so the fold would overwrite the stored one.
    if (change === undefined) throw new Error(`${type} touches ${collection} ${id} without announcing it`);
    return change;
  };
  const opened = new Map<Change, Opened>();
  const openedAt = <D extends object, Open extends D>(
    collection: OpenCollection<D, Open>,
    id: string,
  ): Opened => {
    const change = entry(collection.name, id);
    let one = opened.get(change);
    if (one === undefined) {
      const document = collection.open(change.after as D | null);
      opened.set(change, (one = { change, document, position: null }));
    }
    return one;
  };
  const documents: Documents = {
    open: <D extends object, Open extends D>(collection: OpenCollection<D, Open>, id: string) =>
      openedAt(collection, id).document as Open,
    edit: <D extends object, Open extends D>(collection: OpenCollection<D, Open>, id: string) => {
      const one = openedAt(collection, id);
      one.position = position;
      return one.document as Open;
    },
    get: <D extends object>({ name }: Collection<D>, id: string) => entry(name, id).after as D | null,
    put({ name }, id, document) {
      const change = entry(name, id);
      // The document that was read must stay as it was: the change is the difference from it.
      if (document === change.before) throw new Error(`${type} puts ${name} ${id} as it was read`);
      change.after = placed(document, position);
    },
    change({ name }, id, fields) {
      const change = entry(name, id);
      if (change.after === null) throw new Error(`${type} changes ${name} ${id}, which is not there`);
      // The document that was read stays as it was. One that an event of this batch has put is the batch's own.
      if (change.after === change.before) change.after = { ...change.after };
      placed(Object.assign(change.after, fields), position);
    },
    remove: ({ name }, id) => void (entry(name, id).after = null),
    add: ({ name: collection }, id, document) => {
      const key = `${collection} ${id}`;
      if (added.has(key)) return;
      added.add(key);
      changes.push({ collection, id, before: null, after: placed(document, position), once: true });
    },
  };
  const beginWith = (event: RecordedEvent) => void ({ position, type } = event);
  return { documents, beginWith, opened: { [Symbol.iterator]: () => opened.values() } };
}

/** An open document. `position`: that of the last event that changed it; null before any. */
type Opened = { change: Change; document: object; position: Position | null };

/** Sets the position on the object itself: a copy of each document would take as long as all else here. */
function placed(document: object, position: Position): Document {
  const its = document as { position: Position };
  its.position = position;
  return its;
}
