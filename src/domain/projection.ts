/** A projection: data and a pure fold. The projector (`src/projecting/projector.ts`) does the rest. */
import type { LedgerEvent } from './events.js';
import type { Position } from './event.js';
import type { IdPrefix } from './ids.js';

/** A JSON object. `position` is that of the last event that was applied to it. The projector sets it. */
export type Document = { readonly position: Position; readonly [field: string]: unknown };

export type CollectionSpec = {
  name: string;
  /**
   * Each index is a list of top-level fields. It serves a find whose `where` names all of them but the last (and any
   * `filterable`), and that sorts by the last. A longer index does not serve.
   */
  indexes: readonly (readonly string[])[];
  /** Sets of fields. The number of documents is maintained for each combination of their values. */
  totals?: readonly (readonly string[])[];
  /** A text field of which finds that sort by it can ask for a part (`contains`). */
  searchable?: string;
  /**
   * Fields by which finds on any index can filter besides: each index ends with them, so that such a find reads entries of
   * the index and no documents. It reads all entries that match the rest, so an index of its own is quicker to read; but
   * every document more would have to be written into that index too.
   */
  filterable?: readonly string[];
  /** Fields whose null is in no index that begins with them: for lists of the few documents that have the field. */
  sparse?: readonly string[];
  /** The fold seldom reads a document of its own again, so none is kept in memory. */
  rarelyRead?: boolean;
};

/**
 * A collection with the type of its documents. Folds and readers name a collection by this handle, so that the type of
 * a document is declared once, beside its indexes.
 */
export type Collection<D extends object> = CollectionSpec & {
  /** The kind of the documents' ids, or of the ids with which they begin. */
  ids: IdPrefix;
  /** The document with this id, for `touches`. */
  at(id: string): DocumentRef;
  /** The same, where this event makes the document: it is not loaded. */
  atNew(id: string): DocumentRef;
  /** Never set: it carries the type of the documents. */
  readonly document?: D;
};

/**
 * A collection whose documents each hold so much that a copy for each event would be most of what an event costs. The fold
 * opens one once in a batch, and changes it in place.
 */
export type OpenCollection<D extends object, Open extends D> = Collection<D> & {
  /** A copy that may be changed. Null: there is no document yet. */
  open(stored: D | null): Open;
};

/** Declares a collection. `D` is the type of its documents. */
export function collection<D extends object>(spec: CollectionSpec & { ids: IdPrefix }): Collection<D> {
  const { name } = spec;
  return {
    ...spec,
    at: (id) => ({ collection: name, id, isNew: false }),
    atNew: (id) => ({ collection: name, id, isNew: true }),
  };
}

export type ProjectionSpec = {
  name: string;
  /**
   * Raise it with every change of the fold or of the collections: the projector then folds a new build. Never lower it: what a
   * removed part counted goes to another part of its projection, because builds of a higher version are those of a newer
   * program.
   */
  version: number;
  collections: readonly CollectionSpec[];
};

/** The documents that an event touches, as the fold sees them. */
export type Documents = {
  get<D extends object>(collection: Collection<D>, id: string): D | null;
  /** Keeps the object itself: put an object that was made for this call, never one that `get` answered. */
  put(collection: CollectionSpec, id: string, document: object): void;
  /**
   * Gives a document new values in some of its fields, in place: what `get` answered before may show them too. For a
   * document that most events of a batch change, because only the first change of a batch copies it. A cache must not take
   * it for unchanged because it is the same object: its position tells.
   * @throws Error where there is no document
   */
  change<D extends object>(collection: Collection<D>, id: string, fields: Partial<D>): void;
  remove(collection: CollectionSpec, id: string): void;
  /** An open document, to read. */
  open<D extends object, Open extends D>(collection: OpenCollection<D, Open>, id: string): Open;
  /** An open document, to change in place. A document that is ever opened is not to be asked for by `get` or `put`. */
  edit<D extends object, Open extends D>(collection: OpenCollection<D, Open>, id: string): Open;
  /**
   * Puts a document under the id of its event: `touches` need not announce it. If the log holds the event twice, the
   * first document stays. Keeps the object itself, as `put` does.
   */
  add(collection: CollectionSpec, id: string, document: object): void;
};

export type ReadableDocuments = Pick<Documents, 'get' | 'open'>;

export type DocumentRef = {
  collection: string;
  id: string;
  /** The document does not exist yet, so it is not loaded. */
  isNew: boolean;
};

export type Fold<E> = {
  /** Takes events of purged runs and projects, too, without their texts. For all others these never happened. */
  takesPurged?: boolean;
  /**
   * Every document that `apply` may get, put, change or remove for this event, except those of `follows`; empty for an
   * event that changes nothing.
   */
  touches(event: E): readonly DocumentRef[];
  /**
   * More documents for `apply`, whose ids only other documents say, step by step: the documents of a step are
   * there when the next step begins. Called with the documents as the events before have left them. Null: there are none,
   * as for nearly all events: a generator for each would be garbage.
   */
  follows?(documents: ReadableDocuments, event: E): Iterable<readonly DocumentRef[]> | null;
  /** Pure. A fact that it does not know changes nothing. */
  apply(documents: Documents, event: E): void;
};

export type Projection<E = LedgerEvent> = ProjectionSpec &
  Fold<E> & {
    /** The parts of a projection that is joined of several: each sees an event after the parts before it. */
    parts?: readonly Fold<E>[];
  };
