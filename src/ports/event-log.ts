/** The port of the event log. `test/contract/event-log.ts` holds its promises. */
import type { NewEvent, Position, RecordedEvent, StreamName } from '../domain/event.js';

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
