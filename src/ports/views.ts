/** The port of the read models. `test/contract/views.ts` holds its promises. */
import type { CollectionSpec, ProjectionSpec, Document } from '../domain/projection.js';
import type { Position } from '../domain/event.js';

/**
 * Read models: documents folded from the log, in builds. A build is one folding of a projection from the
 * beginning; exactly one build of a projection is live, and a new one is folded beside it (a rebuild).
 */
export type ViewReader = {
  /**
   * Where the live build of a projection stands: `START` where there is none. With `atLeast`, waits until it
   * has come that far, `timeoutMs` at the most, and answers where it stands then.
   */
  position(projection: string, wait?: { atLeast: Position; timeoutMs: number }): Promise<Position>;
  /** Documents of the live build, in the order of the ids, null where there is none. */
  get(spec: ProjectionSpec, collection: string, ids: readonly string[]): Promise<(Document | null)[]>;
  /** One page of the live build. @throws LedgerError `internal` when no declared index serves it. */
  find(spec: ProjectionSpec, collection: string, query: Query): Promise<Found>;
  close(): Promise<void>;
};

export type Query = {
  /** Equality, each on a field of one declared index. */
  where: Readonly<Record<string, string | number | boolean | null>>;
  /** The field after the equal ones in the index; its values decide the order, ties by document id. */
  sort: { field: string; direction: 'ascending' | 'descending' };
  /** A range on the sort field. */
  range?: { from?: string | number; to?: string | number; exclusive?: boolean };
  /** Continue after the document that had this sort value and id. */
  after?: Cursor;
  /** Skip so many. Not with `after`. */
  offset?: number;
  limit: number;
  /** Also answer how many documents match `where`: needs a declared total on exactly those fields. */
  total?: boolean;
};

/** `value` is null where the document has none: such documents come first, ascending. */
export type Cursor = { value: string | number | null; id: string };

export type Found = {
  items: Document[];
  /** Continue here; null exactly when nothing follows. */
  next: Cursor | null;
  /** Only where asked for. Maintained on commit, never counted. */
  total?: number;
};

export type ViewWriter = {
  /** All builds of a projection. */
  builds(projection: string): Promise<Build[]>;
  /**
   * Makes the tables and indexes of a build. The first build of a projection is live at once. Idempotent.
   * @throws LedgerError `internal` when a build of a higher number is there: no number is used again.
   */
  prepare(spec: ProjectionSpec, build: number): Promise<void>;
  /** Documents of a build, in the order of the ids. */
  load(spec: ProjectionSpec, build: number, keys: readonly DocumentKey[]): Promise<(Document | null)[]>;
  /**
   * Writes documents and checkpoint, all or none. Compare-and-set: the build must stand exactly at `from`, and
   * no higher epoch may have committed to it. @throws LedgerError `fenced` otherwise.
   */
  commit(spec: ProjectionSpec, commit: Commit): Promise<void>;
  /**
   * Makes a build the live one and drops the others, at once: the live position never goes back.
   * @throws LedgerError `fenced` when a higher epoch has committed to any build of the projection, `internal` when
   *   the build stands behind the live one.
   */
  promote(spec: ProjectionSpec, build: number, epoch: number): Promise<void>;
  close(): Promise<void>;
};

export type Build = { build: number; version: number; position: Position; epoch: number; live: boolean };

export type DocumentKey = { collection: string; id: string };

export type Commit = {
  build: number;
  epoch: number;
  from: Position;
  to: Position;
  /** `before` is what `load` gave (totals are kept by the difference), `after` null deletes. */
  changes: readonly Change[];
};

export type Change = DocumentKey & { before: Document | null; after: Document | null };

export type { CollectionSpec, ProjectionSpec, Document };
