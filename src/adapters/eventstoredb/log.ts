/** The event log on EventStoreDB: any number of processes and threads, each of which follows the log for itself. */
import type { EventLog, ReadStreamOptions, StreamPage } from '../../ports/event-log.js';
import type { StreamName } from '../../domain/event.js';
import { appender } from './append.js';
import { callEnd, connectEventStoreDb, type Connection } from './connection.js';
import { closedLog } from './errors.js';
import { follow } from './follow.js';
import { findStart, openHeads } from './head.js';
import { streamNames, type StreamNames } from './names.js';
import { openPages } from './page.js';
import { checkLogPosition } from './event.js';
import { esdbReader } from './read.js';
import { openTail } from './tail.js';
import { parseEsdbUrl } from './url.js';
import { checkLimit } from '../shared/event-checks.js';

export type EsdbLogOptions = {
  /**
   * The connection string, `esdb://…`, as the client takes it. With `namespace=` (lower-case letters, digits and dots),
   * all streams are named `<namespace>~<stream>`, so that installations with different namespaces never see each other.
   */
  url: string;
  /** The most events that are kept in memory for live followers. */
  keep?: number;
  /** Receives the error while the log cannot be followed, from time to time. */
  report?: (error: unknown) => void;
};

/**
 * A server takes 1 MiB of data per append (`MaxAppendSize`) by default. The limit is lower, because the client builds
 * the message on the thread that answers requests: 1,000 events would block it for 50 ms.
 */
const LIMITS = { events: 250, bytes: 500_000 };
const WATCH_EVERY_MS = 10_000;

/**
 * Opens the log of a server or cluster. A process uses one of them, and may open it more than once.
 * @throws Error for a wrong URL; AppError `log_unavailable` when no server answers.
 */
export async function openEsdbLog(options: EsdbLogOptions): Promise<EventLog> {
  const { url, namespace } = parseEsdbUrl(options.url);
  const connection = await connectEventStoreDb(url);
  try {
    return await openLog(connection, streamNames(namespace), options);
  } catch (error) {
    await connection.close();
    throw error;
  }
}

/** Long because it is a port: each method is short, and closing waits for the calls of all. */
async function openLog(
  connection: Connection,
  names: StreamNames,
  { keep = 4_096, report }: EsdbLogOptions,
): Promise<EventLog> {
  const reader = esdbReader(connection, names);
  const pages = openPages(connection, names);
  const readPage = pages.read;
  const start = await findStart(reader, readPage, names);
  const tail = openTail({ connection, names, start, keep, report });
  const heads = openHeads({ reader, readPage, tail, names, mustBeOpen });
  const append = appender(connection, names, reader.stream);
  const calls = new Set<Promise<unknown>>();
  let closing: Promise<void> | undefined;

  function mustBeOpen(): void {
    if (closing !== undefined) throw closedLog();
  }

  /** Runs a call. Closing the log waits for it. */
  async function call<T>(work: () => Promise<T>): Promise<T> {
    mustBeOpen();
    const answer = work();
    calls.add(answer);
    try {
      return await answer;
    } finally {
      calls.delete(answer);
    }
  }

  /**
   * Whether the stream is known to have no event from there on. One read of the log's head serves all callers at that
   * moment.
   */
  async function isPastEnd(stream: StreamName, { from = 0, direction }: ReadStreamOptions): Promise<boolean> {
    if (direction === 'backwards' || tail.streamTails.of(stream) === undefined) return false;
    await tail.reached(await heads.newest(), callEnd());
    const end = tail.streamTails.of(stream);
    return end !== undefined && from > end;
  }

  async function readStream(stream: StreamName, options: ReadStreamOptions): Promise<StreamPage> {
    const { from = 0, direction } = options;
    const began = tail.streamTails.count();
    const page = await reader.stream(stream, options);
    if (direction !== 'backwards' && page.isEnd) {
      tail.streamTails.learn(stream, page.events.at(-1)?.revision ?? from - 1, began);
    }
    return page;
  }

  /** While no caller asks for the head, this alone finds out that the tail hangs. */
  async function watch(): Promise<void> {
    const newest = await heads.newest();
    await tail.reached(newest, callEnd());
  }

  // A failure here is retried, and callers get their own errors.
  const watching = setInterval(() => void watch().catch(() => undefined), WATCH_EVERY_MS).unref();

  async function close(): Promise<void> {
    clearInterval(watching);
    await Promise.allSettled(calls);
    await tail.close();
    await pages.close();
    await connection.close();
  }

  return {
    append: (stream, expected, events) => call(() => append(stream, expected, events)),
    readStream: (stream, options = {}) =>
      call(async () => {
        checkLimit(options.limit);
        return (await isPastEnd(stream, options)) ? { events: [], isEnd: true } : readStream(stream, options);
      }),
    readAll: ({ after, inclusive = false, limit = 1_000, filter }) =>
      call(async () => {
        checkLimit(limit);
        checkLogPosition(after);
        const wanted = names.filter(filter);
        const newest = await heads.newest();
        const first = inclusive ? await reader.at(after) : null;
        const found = first !== null && wanted.wants(first.own, first.event.type) ? [first.event] : [];
        if (found.length === limit) return { events: found, position: after, caughtUp: after >= newest };
        const left = limit - found.length;
        const kept = tail.known().position >= newest ? tail.read(after, left, wanted) : null;
        const page = kept ?? (await readPage({ after, newest, limit: left, filter: wanted }));
        return { ...page, events: [...found, ...page.events] };
      }),
    follow: (options) => {
      checkLimit(options.limit);
      return follow({ tail, heads, readPage }, names.filter(options.filter), options);
    },
    head: (team, since) => call(() => (team === undefined ? heads.newest() : heads.ofTeam(team, since))),
    limits: LIMITS,
    singleWriter: false,
    close: () => (closing ??= close()),
  };
}
