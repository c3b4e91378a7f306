/** The port of the event log. `test/contract/event-log/contract.ts` tests its promises. */
import type { NewEvent, Position, RecordedEvent, StreamName } from '../domain/event.js';
import type { Rule } from '../domain/redaction/mask-event.js';
import type { Partitions } from '../domain/partition.js';

/**
 * The event log: streams of events, and one order of all events.
 *
 * - Every append that was answered survives any crash. No part of a failed append is ever seen.
 * - A position is a text of 20 digits, so positions sort as text. Each event has a higher position than every event
 *   that was appended before it, also where a store numbers events before it commits them. So **no event ever appears
 *   behind a position that the log has given to anyone**: a consumer that goes on after such a position misses nothing.
 * - Every read sees all appends that were answered before the read began, from whatever process.
 * - `data` comes back equal as JSON: any JSON value, and events of up to 900 kB.
 * - A call that breaks these rules by a mistake in the program (a limit of 0, a filter that is not a prefix, an event
 *   id that is not a UUID, data that is not JSON) throws a plain Error and stores nothing.
 * - The log does not check that event ids are unique. Its callers do.
 */
export type EventLog = {
  /**
   * Appends all events or none. `expected` is the revision of the stream's newest event, `none` for an empty stream, or
   * `any`. Of several appends at the same revision that come at once, exactly one succeeds. Calls of one caller take
   * effect in the order of the calls, without waiting for the answers.
   *
   * The same events again (the same ids in the same order) with `none` or the same revision get the first answer, at
   * any later time and after a restart; so does a prefix or a suffix of them at its own place. Only the ids count.
   * `any` promises nothing about repeated events.
   * @throws AppError `wrong_revision` when the stream is at another revision, `payload_too_large` beyond `limits`
   * where the store refuses that, `log_unavailable` when the log cannot write (a full disk, a lost server). After
   * `log_unavailable` the outcome may be unknown, and the caller may repeat the identical call.
   */
  append(stream: StreamName, expected: ExpectedRevision, events: readonly NewEvent[]): Promise<Appended>;
  /**
   * Reads one page of a stream: oldest event first, or newest first. A stream without events is empty. A page ends at
   * its limit, at the end of the stream, or with the event that makes its data larger than about `STREAM_PAGE_BYTES`.
   * `log/streams.ts` reads page after page.
   */
  readStream(stream: StreamName, options?: ReadStreamOptions): Promise<StreamPage>;
  /**
   * Reads one page of the whole log after a position, in log order. A page of large events may be shorter than its
   * limit. The position of every page is a place to go on from, without a gap and without an event twice.
   * @throws AppError `not_a_position` for a text that is not a position of this log, and, with `inclusive`, for one
   * at which the log knows that there is no event.
   */
  readAll(options: ReadAllOptions): Promise<Batch>;
  /**
   * Gives everything after a position, then each event as it is appended, one batch at a time. The next batch is read
   * when the consumer has taken the last one, so a slow consumer loses nothing. The first empty batch says at once that
   * the consumer has caught up. While only events come that the filter leaves out, a batch says about every 100 ms how
   * far the log was read. A consumer may stop at any time and leaves nothing behind.
   * @throws AppError `not_a_position`, as `readAll` does.
   */
  follow(options: FollowOptions): AsyncIterable<Batch>;
  /**
   * The position of the newest event of one team, or of all teams; `START` where there is none.
   * `since`: the caller knows everything up to that position. Where no event of the team comes after it, the answer may
   * be any position up to `since`, so that the log need not search its older events.
   */
  head(team?: string, since?: Position): Promise<Position>;
  /** How many events the log holds. Only where it knows without reading them: where its positions count them. */
  eventCount?(): Promise<number>;
  /**
   * The revision of the last event of a stream, at least that of every append that was answered; -1 for an empty stream.
   * Undefined where only a read can tell. Absent in a log that does not learn of every append.
   */
  lastRevision?(stream: StreamName): number | undefined;
  /**
   * Another number where something was forgotten since: what a caller keeps in memory of earlier reads may still say it, and
   * must go. Absent in a log from which nothing is forgotten.
   */
  forgotten?(): number | Promise<number>;
  /**
   * Masks one part of the log in the stored bytes, from the newest event to the oldest. First all parts that are no bases, then
   * the bases: events are stored by what differs from others. Absent where the store changes no event.
   */
  erase?(part: ErasePart): Promise<ErasedPart>;
  /**
   * The limits of one append. A bulk submission is cut into appends by them. At least 100 events and 500,000
   * bytes.
   */
  readonly limits: AppendLimits;
  /**
   * True: one opened log of one process appends. Other openings only read: their `append` throws, unless they were given
   * one that reaches the writer. False: every opening appends.
   */
  readonly singleWriter: boolean;
  /** Waits for the calls under way. Later calls throw AppError `log_unavailable`. */
  close(): Promise<void>;
};

/** `before`: the number of an event, as the part before it gave it; null for the newest. */
export type ErasePart = { team: string; rule: Rule; before: number | null; bases: boolean };
/** `next`: where the next part begins; null where nothing is left. `changed`: the events that lost something. */
export type ErasedPart = { next: number | null; changed: number };

/** `bytes`: the size of the data of all events, as JSON. */
export type AppendLimits = { events: number; bytes: number };

export type ExpectedRevision = number | 'none' | 'any';

/** The revision and the position of the last event of the call. */
export type Appended = { revision: number; position: Position };

/** A page that does not fit in memory would end the process, and one of a few MiB blocks its thread for too long. */
export const STREAM_PAGE_BYTES = 1024 * 1024;

/** `isEnd`: the stream held nothing more in this direction. A page that is full to its limit may say false there. */
export type StreamPage = { events: RecordedEvent[]; isEnd: boolean };

export type ReadStreamOptions = {
  /** The first revision to read. Default: the first event, or the last one when reading backwards. */
  from?: number;
  direction?: 'forwards' | 'backwards';
  /** The most events per page, default 1,000. */
  limit?: number;
  /**
   * In a stream of items: gives the chunk with the item `from` as one event, where it would give an event for each item
   * (`log/chunked-log.ts`). An adapter gives each event as it is stored.
   */
  chunks?: boolean;
};

/**
 * Selects the events with any of the prefixes, any of the types and any of the partitions. A field that is left out
 * restricts nothing.
 */
export type EventFilter = {
  /** Each is `<category>-` or `<category>-<team>.` */
  streams?: readonly string[];
  types?: readonly string[];
  partitions?: Partitions;
};

export type ReadAllOptions = {
  after: Position;
  /** Also gives the event at `after`, first. */
  inclusive?: boolean;
  limit?: number;
  filter?: EventFilter;
};

export type FollowOptions = {
  after: Position;
  filter?: EventFilter;
  /** The most events per batch, default 2,000. */
  limit?: number;
  /** Ends the iteration, without an error. */
  signal: AbortSignal;
};

export type Batch = {
  events: RecordedEvent[];
  /** How far the log was read, over events that the filter leaves out too. A checkpoint to go on from. */
  position: Position;
  /** The log held nothing more when this batch was read. */
  caughtUp: boolean;
};
