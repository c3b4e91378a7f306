/** Appending to the EventStoreDB log. */
import { ANY, NO_STREAM, type AppendExpectedRevision, type AppendResult } from '@eventstore/db-client';
import type { Appended, EventLog, ExpectedRevision } from '../../ports/event-log.js';
import type { NewEvent, RecordedEvent, StreamName } from '../../domain/event.js';
import type { Connection } from './connection.js';
import { meaningOf, toAppError, wasNotTaken } from './errors.js';
import { toEventData } from './event.js';
import type { StreamNames } from './names.js';
import { positionOfCommit } from './event.js';
import type { EsdbReader } from './read.js';
import { callEnd, retrying } from './connection.js';

/** One message per call, whatever its size: `toEventData` keeps it small enough for one. */
const batchAppendSize = 64 * 1024 * 1024;

/** How many events of others may follow a batch that is searched for. */
const EVENTS_AFTER_BATCH = 100;
/** About the most data that such a search reads. A batch itself has at most 500 kB. */
const SEARCHED_BYTES = 16 * 1024 * 1024;

/**
 * Makes the `append` of the port. An error of the server leaves open whether the events were stored, so the identical
 * batch is sent again, with the same ids and the same expectation: the server then answers as the first time. At `any`,
 * the server might store the batch twice. There the end of the stream is searched for the batch, and where it is not
 * found, the caller gets an error of unknown outcome.
 */
export function appender(
  connection: Connection,
  names: StreamNames,
  readStream: EsdbReader['stream'],
): EventLog['append'] {
  return async (stream, expected, events) => {
    const name = names.toServer(stream);
    if (name === null) throw new Error(`not the name of a stream of this log: ${JSON.stringify(stream)}`);
    // The client's own deadline stays at 10 s: the server compares it with its own clock, which may differ from ours.
    const options = { expectedRevision: toServerRevision(expected), batchAppendSize };
    const end = callEnd();
    const batch = toEventData(events);
    const send = (limitMs: number): Promise<AppendResult> =>
      connection.append(limitMs, (client) => client.appendToStream(name, batch, options));
    const what = `an append to ${stream}`;
    let unknown: unknown;
    const result = await retrying(what, async (limitMs) => {
      try {
        return await send(limitMs);
      } catch (error) {
        // Tried again only where that cannot store the events twice.
        if (expected !== 'any' || meaningOf(error) !== 'away' || wasNotTaken(error)) throw error;
        unknown = error;
        return null;
      }
    });
    return result === null ? findBatch(stream, events, unknown, end) : resultOf(stream, result);
  };

  /** Older servers do not answer with the position. */
  async function resultOf(stream: StreamName, result: AppendResult): Promise<Appended> {
    const revision = Number(result.nextExpectedRevision);
    if (result.position !== undefined)
      return { revision, position: positionOfCommit(result.position.commit) };
    const [last] = (await readStream(stream, { from: revision, limit: 1 })).events;
    if (last === undefined) throw new Error(`the log lost an event that was just appended: ${stream}`);
    return { revision, position: last.position };
  }

  /** Looks for a batch of unknown outcome. A batch that is not found may still be on its way. */
  async function findBatch(
    stream: StreamName,
    events: readonly NewEvent[],
    cause: unknown,
    end: number,
  ): Promise<Appended> {
    const limit = events.length + EVENTS_AFTER_BATCH;
    const newest = await readStream(stream, { direction: 'backwards', limit, end, bytes: SEARCHED_BYTES });
    const last = lastOfBatch(events, newest.events);
    if (last !== undefined) return { revision: last.revision, position: last.position };
    throw toAppError(cause, `an append to ${stream}, of unknown outcome`);
  }
}

/** The last event of a batch that is complete among these events, newest first. */
function lastOfBatch(
  events: readonly NewEvent[],
  newest: readonly RecordedEvent[],
): RecordedEvent | undefined {
  const at = newest.findIndex(({ id }) => id === events.at(-1)?.id);
  const whole = events.every(({ id }, index) => newest[at + events.length - 1 - index]?.id === id);
  return at >= 0 && whole ? newest[at] : undefined;
}

function toServerRevision(expected: ExpectedRevision): AppendExpectedRevision {
  if (expected === 'none') return NO_STREAM;
  if (expected === 'any') return ANY;
  if (!Number.isSafeInteger(expected) || expected < 0) throw new Error(`not a revision: ${expected}`);
  return BigInt(expected);
}
