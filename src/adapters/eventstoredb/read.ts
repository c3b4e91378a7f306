/** Reads of the EventStoreDB log that end: of one stream, and of the newest events. */
import {
  BACKWARDS,
  END,
  FORWARDS,
  START as FROM_START,
  type AllStreamResolvedEvent,
  type EventStoreDBClient,
  type ResolvedEvent,
  type StreamingRead,
} from '@eventstore/db-client';
import { STREAM_PAGE_BYTES, type ReadStreamOptions, type StreamPage } from '../../ports/event-log.js';
import { estimateBytes } from '../../memory/estimate-bytes.js';
import { START, type Position, type RecordedEvent, type StreamName } from '../../domain/event.js';
import type { Connection } from './connection.js';
import { isException, meaningOf } from './errors.js';
import { toOwnEvent, type OwnEvent } from './event.js';
import type { StreamNames } from './names.js';
import { positionOfCommit, toServerPosition } from './event.js';
import { callEnd, retrying } from './connection.js';

export type EsdbReader = {
  /** `end`: when the call must be over. `bytes`: the data at which the page ends. */
  stream(
    stream: StreamName,
    options: ReadStreamOptions & { end?: number; bytes?: number },
  ): Promise<StreamPage>;
  /**
   * The newest event of ours, and the end of the log. Reads backwards from the end, past the events of others, to an
   * event of ours or to a part of the log that is known already.
   */
  newest(known: KnownEnd): Promise<KnownEnd>;
  /** The same, among this many events at the end. Null if none of them is ours. */
  newestAmong(most: number): Promise<KnownEnd | null>;
  /** The event of ours at a position. */
  at(position: Position): Promise<OwnEvent | null>;
  /** The position of the newest event, of any program. */
  end(): Promise<Position>;
};

/** Up to `covered`, the newest event of ours is the one at `position`. */
export type KnownEnd = { position: Position; covered: Position };

const MOST_PER_READ = 4_096;

/** Long because it holds five reads, each of them short. */
export function esdbReader(connection: Connection, names: StreamNames): EsdbReader {
  async function stream(
    stream: StreamName,
    {
      direction = 'forwards',
      from,
      limit = 1_000,
      end,
      bytes = STREAM_PAGE_BYTES,
    }: ReadStreamOptions & { end?: number; bytes?: number },
  ): Promise<StreamPage> {
    const name = names.toServer(stream);
    if (name === null) return { events: [], isEnd: true };
    const found: RecordedEvent[] = [];
    let room = bytes;
    const isFull = ({ event }: ResolvedEvent) => (room -= estimateBytes(event?.data)) <= 0;
    let fromRevision: bigint | typeof FROM_START | typeof END =
      from === undefined ? (direction === 'forwards' ? FROM_START : END) : BigInt(from);
    // One round, unless other programs wrote into the stream: their events are passed over.
    for (;;) {
      const maxCount = limit - found.length;
      const open = (client: EventStoreDBClient) =>
        client.readStream(name, {
          direction: direction === 'forwards' ? FORWARDS : BACKWARDS,
          fromRevision,
          maxCount,
        });
      const page = await readWithRetries<ResolvedEvent>(connection, `a read of ${stream}`, open, {
        ...(end !== undefined && { end }),
        isFull,
      });
      found.push(...page.flatMap((each) => toOwnEvent(names, each)?.event ?? []));
      const last = page.at(-1)?.event?.revision;
      const isCut = room <= 0;
      if (found.length === limit || (isCut && found.length > 0)) return { events: found, isEnd: false };
      const isFirst = direction === 'backwards' && last === 0n;
      if (last === undefined || isFirst || (page.length < maxCount && !isCut)) {
        return { events: found, isEnd: true };
      }
      room = bytes;
      fromRevision = direction === 'forwards' ? last + 1n : last - 1n;
    }
  }

  const readBackwards = (from: Position | null, maxCount: number): Promise<AllStreamResolvedEvent[]> =>
    readWithRetries(connection, 'a read of the end of the log', (client) =>
      client.readAll({
        direction: BACKWARDS,
        fromPosition: from === null ? END : toServerPosition(from),
        maxCount,
      }),
    );

  async function newest(known: KnownEnd, most: number): Promise<KnownEnd | null> {
    let from: Position | null = null;
    let covered: Position | null = null;
    let looked = 0;
    for (let count = 1; looked < most; count = Math.min(count * 8, MOST_PER_READ)) {
      const page: AllStreamResolvedEvent[] = await readBackwards(from, count);
      for (const each of page) {
        from = positionOf(each);
        covered ??= from;
        if (from <= known.covered) return { position: known.position, covered };
        if (toOwnEvent(names, each) !== null) return { position: from, covered };
      }
      if (page.length < count) return { position: known.position, covered: covered ?? known.covered };
      looked += page.length;
    }
    return null;
  }

  return {
    stream,
    newest: async (known) => (await newest(known, Infinity)) ?? known,
    newestAmong: (most) => newest(NOTHING, most),
    at: async (position) => {
      const found: AllStreamResolvedEvent[] = await readWithRetries(
        connection,
        'a read of one event',
        (client) =>
          client.readAll({ direction: FORWARDS, fromPosition: toServerPosition(position), maxCount: 1 }),
        { meansBadPosition: true },
      );
      const [first] = found;
      return first !== undefined && positionOf(first) === position ? toOwnEvent(names, first) : null;
    },
    end: async () => {
      const [last] = await readBackwards(null, 1);
      return last === undefined ? START : positionOf(last);
    },
  };
}

/** For a log of which nothing is known. */
export const NOTHING: KnownEnd = { position: START, covered: START };

/** The position of any event. */
export function positionOf({ event, commitPosition }: AllStreamResolvedEvent): Position {
  const commit = commitPosition ?? event?.position.commit;
  if (commit === undefined) throw new Error('an event without a position');
  return positionOfCommit(commit);
}

/** Reads everything that a read gives, with retries until `end`. A missing stream gives nothing. */
function readWithRetries<T>(
  connection: Connection,
  what: string,
  open: (client: EventStoreDBClient) => StreamingRead<T>,
  {
    end = callEnd(),
    meansBadPosition = false,
    isFull,
  }: { end?: number; meansBadPosition?: boolean; isFull?: (event: T) => boolean } = {},
): Promise<T[]> {
  return retrying(
    what,
    (limitMs) =>
      connection.read(limitMs, async (client, limitMs) => {
        try {
          return await readAllOf(open(client), limitMs, isFull);
        } catch (error) {
          const meaning = meaningOf(error);
          if (meaning === 'not_found' || meaning === 'gone') return [];
          // The server does not say that the position is wrong, and the read would be retried again and again.
          if (meansBadPosition && isException(error)) throw new Error('invalid position', { cause: error });
          throw error;
        }
      }),
    { end },
  );
}

/** Ends early after an event that makes it full. @throws Error when nothing comes for `silenceMs`. */
export function readAllOf<T>(
  read: StreamingRead<T>,
  silenceMs: number,
  isFull: (event: T) => boolean = () => false,
): Promise<T[]> {
  return new Promise((resolve, reject) => {
    const events: T[] = [];
    const silence = setTimeout(() => {
      // A read that is abandoned instead of cancelled stays open on the server for ever.
      read.cancel().catch(() => undefined);
      reject(new Error(`no answer within ${Math.round(silenceMs)} ms`));
    }, silenceMs);
    let ended = false;
    read.on('data', (event) => {
      if (ended) return;
      events.push(event);
      silence.refresh();
      if (!isFull(event)) return;
      ended = true;
      clearTimeout(silence);
      read.cancel().catch(() => undefined);
      resolve(events);
    });
    read.on('end', () => {
      clearTimeout(silence);
      resolve(events);
    });
    // Stays on: an error without a listener, after the limit, would end the process.
    read.on('error', (error) => {
      clearTimeout(silence);
      reject(error);
    });
  });
}
