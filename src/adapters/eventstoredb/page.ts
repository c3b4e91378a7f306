/**
 * Pages of the whole log, through a filter. Each is read from a subscription. After a page that ends before the newest
 * event, its subscription waits for the next page for two seconds, so that a replay needs only one: opening one costs as
 * much as many events.
 */
import type { AllStreamResolvedEvent, EventStoreDBClient } from '@eventstore/db-client';
import type { Batch } from '../../ports/event-log.js';
import { estimateBytes } from '../../memory/estimate-bytes.js';
import { laterPosition, START, type Position, type RecordedEvent } from '../../domain/event.js';
import type { Connection } from './connection.js';
import { isException } from './errors.js';
import { toOwnEvent } from './event.js';
import type { StreamNames, StreamFilter } from './names.js';
import { openPausedSubscriptions, type PausedSubscriptions } from './paused-subscriptions.js';
import { toServerPosition } from './event.js';
import { readAllOf, positionOf } from './read.js';
import { retrying, TRY_LIMIT_MS } from './connection.js';
import { subscribe, type SubscriptionHandlers } from './subscription.js';

export type PageOptions = {
  after: Position;
  /** The newest event of ours, read before the page. A page that reaches it has caught up. */
  newest: Position;
  limit: number;
  filter: StreamFilter;
  signal?: AbortSignal | undefined;
};

/** @throws AppError `log_unavailable`, or `not_a_position` */
export type ReadPage = (options: PageOptions) => Promise<Batch>;

export type PageReader = { read: ReadPage; close(): Promise<void> };

/** How long one page searches, unless it has found out nothing: a rare event may be behind a million others. */
const SEARCH_MS = 1_000;
/** A smaller page is a look at some position: the caller does not go on from there. */
const LEAST_FOLLOWED = 50;
/** The approximate size of a page. A number of events bounds nothing, because one event may have a megabyte. */
const PAGE_BYTES = 16 * 1024 * 1024;

export function openPages(connection: Connection, names: StreamNames): PageReader {
  const paused = openPausedSubscriptions();
  async function read(options: PageOptions): Promise<Batch> {
    const { after, newest, filter, signal } = options;
    // There is nothing to find. From a position past the end, a server may never answer.
    if (after >= newest) return { events: [], position: after, caughtUp: true };
    const { onServer } = filter;
    if (onServer === null) return { events: [], position: newest, caughtUp: true };
    return retrying(
      'a read of the log',
      (limitMs) =>
        connection.read(limitMs, async (client, limitMs) => {
          try {
            return await readPage({ ...options, client, paused, onServer, names, limitMs });
          } catch (error) {
            throw await explainBadPosition(client, after, error);
          }
        }),
      { signal },
    );
  }
  return { read, close: paused.close };
}

type PageReading = PageOptions & {
  client: EventStoreDBClient;
  paused: PausedSubscriptions;
  onServer: NonNullable<StreamFilter['onServer']>;
  names: StreamNames;
  limitMs: number;
};

function readPage(reading: PageReading): Promise<Batch> {
  const { client, paused, after, newest, limit, filter, onServer, names, limitMs, signal } = reading;
  const began = performance.now();
  const events: RecordedEvent[] = [];
  const place = { client, filter: filter.key };
  let covered = after;
  let newestOwn = START;
  let size = 0;

  return new Promise((resolve, reject) => {
    let ended = false;
    let keepsSubscription = limit >= LEAST_FOLLOWED;
    const handlers: SubscriptionHandlers = {
      event(resolved: AllStreamResolvedEvent) {
        const each = toOwnEvent(names, resolved);
        if (each !== null) {
          newestOwn = each.event.position;
          if (filter.wants(each.own, each.event.type)) {
            events.push(each.event);
            size += estimateBytes(each.event.data);
          }
        }
        advanceTo(positionOf(resolved));
      },
      checkpoint: advanceTo,
      caughtUp() {
        keepsSubscription = false;
        // It may have caught up while it was paused, before the newest event. Another subscription finds out.
        if (resumed === null) advanceTo(newest);
        else end();
      },
      failed(error) {
        keepsSubscription = false;
        // One that waited may have ended meanwhile: the page has what it still held, and the next one opens another.
        end(resumed === null ? error : undefined);
      },
    };
    const resumed = paused.take({ ...place, after });
    const subscription = resumed ?? subscribe(client, after, onServer, handlers);
    const silence = setTimeout(() => end(new Error(`no answer within ${limitMs} ms`)), limitMs);
    const aborted = () => end();
    signal?.addEventListener('abort', aborted);
    if (signal?.aborted === true) aborted();
    else resumed?.resume(handlers);

    function advanceTo(position: Position): void {
      covered = laterPosition(covered, position);
      const full = events.length >= limit || size >= PAGE_BYTES;
      if (full || covered >= newest || performance.now() - began > SEARCH_MS) end();
    }

    function end(error?: unknown): void {
      if (ended) return;
      ended = true;
      clearTimeout(silence);
      signal?.removeEventListener('abort', aborted);
      if (keepsSubscription && error === undefined && covered < newest && signal?.aborted !== true) {
        paused.keep({ ...place, after: covered }, subscription);
        resolve(page());
        return;
      }
      // Settles after the subscription has ended, so that subscriptions do not pile up on the server.
      subscription.stop().then(() => (error === undefined ? resolve(page()) : reject(error)), reject);
    }
  });

  /**
   * Ends at our newest event at the latest: a caller takes a position after the head for a position of another log.
   */
  function page(): Batch {
    const caughtUp = covered >= newest;
    return { events, position: caughtUp ? laterPosition(newest, newestOwn) : covered, caughtUp };
  }
}

/**
 * An older server does not say that the position is wrong, and the read would be retried again and again.
 * @returns the error of a second read from the position, where that fails too; otherwise the error as it is
 */
async function explainBadPosition(
  client: EventStoreDBClient,
  after: Position,
  error: unknown,
): Promise<unknown> {
  if (!isException(error) || after === START) return error;
  try {
    await readAllOf(client.readAll({ fromPosition: toServerPosition(after), maxCount: 1 }), TRY_LIMIT_MS);
    return error;
  } catch (second) {
    return isException(second) ? new Error('invalid position', { cause: second }) : error;
  }
}
