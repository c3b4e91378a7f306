/** Pages of the whole log, through a filter: a subscription each, closed when the page is full. */
import type { AllStreamResolvedEvent, EventStoreDBClient } from '@eventstore/db-client';
import type { Batch } from '../../ports/event-log.js';
import { estimateBytes } from '../../memory/estimate-bytes.js';
import { later, START, type Position, type RecordedEvent } from '../../domain/event.js';
import type { Connection } from './connection.js';
import { isException } from './errors.js';
import { toOwnEvent } from './event.js';
import type { Names, StreamFilter } from './names.js';
import { toServerPosition } from './event.js';
import { allOf, positionOf } from './read.js';
import { retrying, TRY_LIMIT_MS } from './connection.js';
import { subscribe } from './subscription.js';

export type PageOptions = {
  after: Position;
  /** The newest event of ours, as it was read before the page: there the page has caught up. */
  newest: Position;
  limit: number;
  filter: StreamFilter;
  signal?: AbortSignal | undefined;
};

export type ReadPage = (options: PageOptions) => Promise<Batch>;

/** So long a page is looked for, unless nothing was found out: a rare event may lie behind a million others. */
const LOOK_MS = 1_000;
/** Roughly, of one page: a number of events bounds nothing, as one may have a megabyte. */
const MOST_BYTES = 16 * 1024 * 1024;

export function pageReader(connection: Connection, names: Names): ReadPage {
  return async (options) => {
    const { after, newest, filter, signal } = options;
    // Nothing to look for; and from a position past the end, a server may never tell anything.
    if (after >= newest) return { events: [], position: after, caughtUp: true };
    const { onServer } = filter;
    if (onServer === null) return { events: [], position: newest, caughtUp: true };
    return retrying(
      'a read of the log',
      (limitMs) =>
        connection.attempt('read', limitMs, async (client, limitMs) => {
          try {
            return await readPage(client, { ...options, onServer, names, limitMs });
          } catch (error) {
            throw await worsePosition(client, after, error);
          }
        }),
      { signal },
    );
  };
}

type Reading = PageOptions & {
  onServer: NonNullable<StreamFilter['onServer']>;
  names: Names;
  limitMs: number;
};

function readPage(client: EventStoreDBClient, reading: Reading): Promise<Batch> {
  const { after, newest, limit, filter, onServer, names, limitMs, signal } = reading;
  const began = performance.now();
  const events: RecordedEvent[] = [];
  let covered = after;
  let newestOwn = START;
  let size = 0;

  return new Promise((resolve, reject) => {
    let ended = false;
    const stop = subscribe(client, after, onServer, {
      event(resolved: AllStreamResolvedEvent) {
        const each = toOwnEvent(names, resolved);
        if (each !== null) {
          newestOwn = each.event.position;
          if (filter.wants(each.own, each.event.type)) {
            events.push(each.event);
            size += estimateBytes(each.event.data);
          }
        }
        lookedUpTo(positionOf(resolved));
      },
      checkpoint: lookedUpTo,
      caughtUp: () => lookedUpTo(newest),
      failed: end,
    });
    const silence = setTimeout(() => end(new Error(`no answer within ${limitMs} ms`)), limitMs);
    const aborted = () => end();
    signal?.addEventListener('abort', aborted);
    if (signal?.aborted === true) aborted();

    function lookedUpTo(position: Position): void {
      covered = later(covered, position);
      const full = events.length >= limit || size >= MOST_BYTES;
      if (full || covered >= newest || performance.now() - began > LOOK_MS) end();
    }

    function end(error?: unknown): void {
      if (ended) return;
      ended = true;
      clearTimeout(silence);
      signal?.removeEventListener('abort', aborted);
      // Settles when the subscription is ended, so that they do not pile up on the server.
      stop().then(() => (error === undefined ? resolve(page()) : reject(error)), reject);
    }
  });

  /** Up to an event of ours at the most: to those who compare, a position after the head is of another log. */
  function page(): Batch {
    const caughtUp = covered >= newest;
    return { events, position: caughtUp ? later(newest, newestOwn) : covered, caughtUp };
  }
}

/**
 * An older server does not say that it is the position which is wrong, and would be asked again and again.
 * @returns the error of a read from there, where that fails too; else the error as it is
 */
async function worsePosition(client: EventStoreDBClient, after: Position, error: unknown): Promise<unknown> {
  if (!isException(error) || after === START) return error;
  try {
    await allOf(client.readAll({ fromPosition: toServerPosition(after), maxCount: 1 }), TRY_LIMIT_MS);
    return error;
  } catch (worse) {
    return isException(worse) ? new Error('invalid position', { cause: worse }) : error;
  }
}
