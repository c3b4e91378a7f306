/**
 * The ports: what the core needs of the world, each a plain type that an adapter answers with an object
 * literal. `test/contract/` holds one suite a port; every adapter runs it.
 */
import type { CollectionSpec, ProjectionSpec, Document } from '../domain/projection.js';
import type { Instant, NewEvent, Position, RecordedEvent, StreamName } from '../domain/event.js';

// ---------------------------------------------------------------- the log

/**
 * The log. What `append` has answered survives any crash; nothing of an append that failed is ever seen.
 * The log does not enforce unique event ids: callers do.
 */
export type EventLog = {
  /**
   * Appends all or none. `expected` is the revision of the stream's newest event, `none` for an empty stream,
   * or `any`, which promises nothing about repeats. The same events again (by id, in order) with `none` or the
   * same exact revision answer as the first time, for ever; a prefix or a suffix of them does too.
   * @throws LedgerError `wrong_revision` when the stream is elsewhere, `log_unavailable` when the log cannot
   *   write (a full disk, a lost server): then the outcome may be unknown and the identical call may be repeated.
   */
  append(stream: StreamName, expected: ExpectedRevision, events: readonly NewEvent[]): Promise<Appended>;
  /** One page of a stream, oldest first (or newest first). A stream that is not there is empty. */
  readStream(stream: StreamName, options?: ReadStreamOptions): Promise<RecordedEvent[]>;
  /**
   * One page of the whole log after a position, in log order; cut short where its events are large. `position` covers
   * what was looked at. @throws LedgerError `not_a_position` for a text that no position of this log looks like, and
   * where `inclusive` for one that the log can tell to be no event's.
   */
  readAll(options: ReadAllOptions): Promise<Batch>;
  /** Everything after a position, then live: one batch at a time; the next is read when the last was taken. */
  follow(options: FollowOptions): AsyncIterable<Batch>;
  /**
   * Position of the newest event, of one team or of all; `START` where there is none. Read after the call. A caller
   * that knows everything up to `since` says so: where the newest event is not after it, any position up to `since`
   * may be the answer, and the log need not look further back.
   */
  head(team?: string, since?: Position): Promise<Position>;
  /** What one append takes at the most: the events of a bulk submission are cut into appends by this. */
  readonly limits: AppendLimits;
  close(): Promise<void>;
};

/** `bytes` of the data of all its events, as JSON. */
export type AppendLimits = { events: number; bytes: number };

export type ExpectedRevision = number | 'none' | 'any';

/** Of the last event of the call: its revision in the stream and its position in the log. */
export type Appended = { revision: number; position: Position };

export type ReadStreamOptions = {
  /** Inclusive. Default: the first event, or the last one when reading backwards. */
  from?: number;
  direction?: 'forwards' | 'backwards';
  /** Events a page, default 1,000. Fewer come back only at the end of the stream. */
  limit?: number;
};

/** Which events: those of any of the prefixes and of any of the types. Left out: no restriction. */
export type EventFilter = {
  /** Each `<category>-` or `<category>-<team>.` */
  streams?: readonly string[];
  types?: readonly string[];
};

export type ReadAllOptions = {
  after: Position;
  /** The event at `after`, which is that of one, comes too. */
  inclusive?: boolean;
  limit?: number;
  filter?: EventFilter;
};

export type FollowOptions = {
  after: Position;
  filter?: EventFilter;
  /** Events a batch at the most, default 2,000. */
  limit?: number;
  /** Ends the iteration, without an error. */
  signal: AbortSignal;
};

export type Batch = {
  events: RecordedEvent[];
  /** The log was looked at up to here: a checkpoint, also over events that the filter left out. */
  position: Position;
  /** Nothing more lay in the log when this batch was read. */
  caughtUp: boolean;
};

// ---------------------------------------------------------------- the views

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

// ---------------------------------------------------------------- the state

/**
 * What is not derived from the log (idempotency records, leases, use of keys, requests for a rebuild), and what follows
 * from it but is done once: what the janitor still has to do (`blob-due`), which is noted anew where it was lost.
 * As durable as the log: what `put` and `remove` have answered survives any crash.
 */
export type State = {
  get<T>(kind: string, key: string): Promise<Entry<T> | null>;
  /**
   * Writes one entry if it is as `expected`: at that version, `absent`, or `any`. Answers its new version, which
   * is higher than any before it under this key, or null when it was not as expected. An entry past `expiresAt`
   * is absent, though its version still counts.
   */
  put<T>(
    kind: string,
    key: string,
    value: T,
    options: { expected: number | 'absent' | 'any'; expiresAt?: string },
  ): Promise<number | null>;
  /** Removes one entry if it is as expected; answers whether it did. */
  remove(kind: string, key: string, expected: number | 'any'): Promise<boolean>;
  /** Entries of a kind in key order (by code point), after a key. */
  list<T>(kind: string, options: { after?: string; limit: number }): Promise<Entry<T>[]>;
  /** Forgets at most `limit` entries that expired before `now`; answers how many. */
  purge(now: string, limit: number): Promise<number>;
  close(): Promise<void>;
};

export type Entry<T> = { key: string; value: T; version: number };

// ---------------------------------------------------------------- the blobs

/**
 * The bytes of artifacts. All that belongs to one artifact lies at its place: what was uploaded last, and the version
 * of it that was kept. Names are made of our ids only: nothing that a client says becomes part of one.
 */
export type Blobs = {
  /**
   * A URL to which whoever has it may PUT exactly `size` bytes until an instant, as often as he likes, with no header
   * and no key. Signed only: storage is not asked.
   */
  uploadUrl(place: BlobPlace, upload: { size: number; expiresAt: Instant; origin: string }): Promise<string>;
  /**
   * Keeps what was uploaded last as a version that no upload changes any more, if it has exactly `size` bytes. Bytes
   * that are kept already are kept as the same version. Else answers how many bytes there are, null for no upload.
   * @throws LedgerError `blobs_unavailable`
   */
  keep(place: BlobPlace, file: { size: number; contentType: string }): Promise<Kept>;
  /** A URL from which whoever has it may GET a version until an instant. Signed only. */
  downloadUrl(place: BlobPlace, version: string, download: Download): Promise<string>;
  /**
   * Deletes all that lies at a place, but for one version; answers the bytes that became free. What is under way may
   * still put bytes there, up to `settlesInMs` after it began: a `keep`, failed ones too. So may an upload, up to
   * `settlesInMs` after the end of its URL.
   * @throws LedgerError `blobs_unavailable`
   */
  clear(place: BlobPlace, but: string | null): Promise<number>;
  readonly settlesInMs: number;
  close(): Promise<void>;
};

/** Ids, as the log has them. */
export type BlobPlace = { team: string; artifact: string };

export type Kept = { version: string } | { version: null; found: number | null };

export type Download = {
  /** With what the file is served, whatever was said at its upload. */
  contentType: string;
  /** The whole header, ready to be sent. */
  disposition: string;
  expiresAt: Instant;
  /** Scheme and host by which the client reached us, for URLs that lead back here. */
  origin: string;
};

// ---------------------------------------------------------------- webhooks

export type { Deliveries, Held } from './ports.deliveries.js';
export type { Bus, BusBatch } from './ports.bus.js';
