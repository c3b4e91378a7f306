/** The port of the read models. `test/contract/views/contract.ts` tests its promises. */
import type { ProjectionSpec, Document } from '../domain/projection.js';
import type { Position, RecordedEvent } from '../domain/event.js';
import type { Partition, Partitions } from '../domain/partition.js';

/**
 * Read models: documents folded from the log, in builds. A build is one folding of a projection from the beginning of
 * the log. Exactly one build of a projection is live; a rebuild folds a new one beside it.
 *
 * - Every read sees one moment of one build: never two builds, and never a part of a commit.
 * - A reader may be open before a writer has made anything: every projection is then at `START`, without documents.
 * - Documents come back equal as JSON. Texts sort by code point. A missing field counts as null.
 */
export type ViewReader = {
  /**
   * The position of a partition in the live build, or the lowest one of all partitions; `START` where there is none.
   * With `atLeast`, waits until that position is reached, for at most `timeoutMs`, and returns the position then. A
   * commit and a promotion end the wait. The position of a partition in the live build never goes back.
   */
  position(projection: string, wanted?: WantedPosition): Promise<Position>;
  /** The checkpoints of the live build, one for each position; none where there is no live build. */
  checkpoints(projection: string): Promise<Checkpoint[]>;
  /** As `lastEvent` of the live build; null where there is no live build. */
  lastEvent(projection: string): Promise<FoldedEvent | null>;
  /** Documents of the live build, in the order of the ids, null for an id without a document. */
  get(spec: ProjectionSpec, collection: string, ids: readonly string[]): Promise<(Document | null)[]>;
  /**
   * One page of the live build.
   * @throws AppError `internal` when no declared index, or no declared total, serves the query, or when the query
   *   contradicts itself.
   */
  find(spec: ProjectionSpec, collection: string, query: ViewQuery): Promise<Found>;
  /** Ends all waits. */
  close(): Promise<void>;
};

export type WantedPosition = {
  /** Left out: the lowest position of all partitions. */
  partition?: Partition;
  atLeast?: Position;
  timeoutMs?: number;
};

/** These partitions of a build have all events up to the position. `epoch`: that of the last commit to them. */
export type Checkpoint = { partitions: Partitions; position: Position; epoch: number };

/** An event of the log that was folded. Another log, or one that was restored, has another event or none at its position. */
export type FoldedEvent = Pick<RecordedEvent, 'position' | 'id'>;

export type ViewQuery = {
  /** Equality on the fields of one declared index. */
  where: Readonly<Record<string, string | number | boolean | null>>;
  /** The next field of that index: its values decide the order, and equal values are ordered by document id. */
  sort: { field: string; direction: 'ascending' | 'descending' };
  /** A range on the sort field. A range with one bound holds values of the bound's type only. */
  range?: { from?: string | number; to?: string | number; exclusive?: boolean };
  /**
   * The sort field is a text with each of these texts as a part, ignoring case as far as `toUpperCase` does. The field must
   * be declared as `searchable`. The find looks through all entries of the index that match `where`.
   */
  contains?: readonly string[];
  /**
   * Each names a filterable field and a text that is a part of its text, in the same case, or with `not` that is none. The
   * values of the field must be texts or null, which has no part.
   */
  parts?: readonly TextPart[];
  /**
   * A filterable field whose values are whole numbers from 0 on, or null, and the numbers that are wanted: those at which `digits`
   * has a 1, and not a 0. For sets of many numbers, in as many bytes as the highest of them.
   */
  among?: { field: string; digits: string };
  /** Goes on after the document with this sort value and id. */
  after?: Cursor;
  /** Skips this many documents. Not together with `after`. */
  offset?: number;
  limit: number;
  /**
   * Also answers how many documents match `where`. Needs a declared total on exactly those fields; not with `contains`,
   * `parts` or `among`, which are counted too, through the index. `counted`: counts those in the range through the index, and
   * needs no declared total.
   */
  total?: boolean | 'counted';
};

export type TextPart = { field: string; part: string; not?: boolean };

/** `value` is null where the document has none. Such documents come first when ascending. */
export type Cursor = { value: string | number | null; id: string };

export type Found = {
  items: Document[];
  /** The start of the next page; null exactly when nothing follows. */
  next: Cursor | null;
  /** Only where the query asked for it. Kept up to date by commits, and counted only for `contains`. */
  total?: number;
};

export type ViewWriter = {
  /** All builds of a projection. */
  builds(projection: string): Promise<Build[]>;
  /**
   * Makes the tables and indexes of a build. The first build of a projection is live at once. Doing it again changes
   * nothing.
   * @throws AppError `internal` when there is a build with a higher number: no number is used twice.
   */
  prepare(spec: ProjectionSpec, build: number): Promise<void>;
  /** Documents of a build, in the order of the keys, from any of its collections. */
  load(spec: ProjectionSpec, build: number, keys: readonly DocumentKey[]): Promise<(Document | null)[]>;
  /**
   * Writes all documents and the checkpoint, or nothing. The partitions must be exactly at `from`, and no higher epoch
   * may have committed to them. A commit without changes raises the epoch too. A commit with changes must move
   * forwards.
   * @throws AppError `fenced` when the build was dropped, or when one of the partitions is at another position or has
   * seen a higher epoch; `internal` when a document is not as `before` says.
   */
  commit(spec: ProjectionSpec, commit: Commit): Promise<void>;
  /**
   * How many events' changes fit into one commit. A projector that is behind folds up to this many at once: the more
   * events it folds, the fewer times it writes a document that several of them change.
   */
  readonly eventsPerCommit: number;
  /**
   * Makes a build the live one and drops the others, in one step.
   * @throws AppError `fenced` when a higher epoch has committed to any build of the projection, `internal` when the
   *   build is behind the live one in any partition, except those that may be.
   */
  promote(
    spec: ProjectionSpec,
    build: number,
    epoch: number,
    options?: { mayBeBehind?: Partitions },
  ): Promise<void>;
  close(): Promise<void>;
};

export type Build = {
  build: number;
  version: number;
  live: boolean;
  /** Together they have every partition once. No two of them have the same position and epoch. */
  checkpoints: readonly Checkpoint[];
  /** The lowest position of the checkpoints. */
  position: Position;
  /** The highest epoch of the checkpoints. */
  epoch: number;
  /** The furthest event of all commits; null where none of them named one. */
  lastEvent: FoldedEvent | null;
};

export type DocumentKey = { collection: string; id: string };

export type Commit = {
  build: number;
  epoch: number;
  /** The partitions that move. Left out: all. The changes belong to teams of these partitions. */
  partitions?: Partitions;
  from: Position;
  to: Position;
  /** An event of the log that the commit folds, if it folds any. Not an item: the log has none at its position. */
  lastEvent?: FoldedEvent | undefined;
  /** `before` is what `load` gave: totals change by the difference. `after` null deletes the document. */
  changes: readonly Change[];
};

export type Change = DocumentKey & {
  before: Document | null;
  after: Document | null;
  /**
   * The change adds a document under the id of an event. A log may hold an event twice; the second document is left out.
   * Not for collections with totals.
   */
  once?: true;
};

export type { ProjectionSpec, Document };
