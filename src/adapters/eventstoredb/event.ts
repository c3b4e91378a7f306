/** Events and positions as the client has them, and as the port has them. */
import {
  type AllStreamResolvedEvent,
  type JSONEventData,
  type JSONType,
  type Position as ServerPosition,
  type ResolvedEvent,
  START as FROM_START,
} from '@eventstore/db-client';
import {
  type EventMeta,
  type NewEvent,
  type Position,
  type RecordedEvent,
  START,
  isLogPosition,
} from '../../domain/event.js';
import { fail } from '../../errors.js';
import type { StreamNames, OwnStream } from './names.js';
import { checkEvent, toJson } from '../shared/event-checks.js';

/**
 * What servers take in a call: 24.2 counts the data alone, 24.10 also the metadata and twice the length of the type. Since
 * 25.1 it is a setting, with a higher default. A message of more than 16 MB would end the connection, and with it the
 * appends of others that are under way.
 */
const APPEND_BYTES = 1024 * 1024;

const utf8 = new TextEncoder();

/** An event of this installation, with the parts of its stream's name. */
export type OwnEvent = { event: RecordedEvent; own: OwnStream };

/** Stored beside the data, as JSON. The server keeps it for us and does not read it. */
type EventMetadata = { version: number; meta: EventMeta };

/**
 * The events of one append, as the client takes them.
 * @throws Error for a mistake of the caller: an event that the server refuses for its form breaks the client.
 * @throws AppError `payload_too_large`
 */
export function toEventData(events: readonly NewEvent[]): JSONEventData[] {
  if (events.length === 0) throw new Error('an append without events');
  let bytes = 0;
  const batch = events.map((event): JSONEventData => {
    checkEvent(event);
    const { id, type, version, meta, json } = event;
    const data: unknown = json === undefined ? event.data : JSON.parse(json);
    // `toOwnEvent` recognizes our events by it.
    if (typeof meta !== 'object' || meta === null) throw new Error('the meta of an event must be an object');
    // Before the client does it: an error of JSON.stringify inside the client would leave the append unsettled for
    // ever.
    bytes += Buffer.byteLength(json ?? toJson(data, 'data'));
    // As bytes: the client would make an object into JSON, then into Base64, and then into bytes again.
    const metadata = utf8.encode(toJson({ version, meta } satisfies EventMetadata, 'meta'));
    bytes += metadata.length + 2 * type.length;
    // The client makes JSON of any value, though its type allows fewer.
    return { id, contentType: 'application/json', type, data: data as JSONType, metadata };
  });
  if (bytes > APPEND_BYTES) fail('payload_too_large', 'The events of one request are too large.');
  return batch;
}

/** Null for an event that is not ours: from another stream, or written to our stream by another program. */
export function toOwnEvent(
  names: StreamNames,
  resolved: ResolvedEvent | AllStreamResolvedEvent,
): OwnEvent | null {
  const { event } = resolved;
  if (event?.position === undefined || !event.isJson) return null;
  const own = names.fromServer(event.streamId);
  if (own === null || !isEventMetadata(event.metadata)) return null;
  const { version, meta } = event.metadata;
  const recorded = {
    id: event.id,
    type: event.type,
    version,
    data: event.data,
    meta,
    stream: own.stream,
    revision: Number(event.revision),
    position: positionOfCommit(event.position.commit),
  };
  return { event: recorded, own };
}

function isEventMetadata(metadata: unknown): metadata is EventMetadata {
  if (typeof metadata !== 'object' || metadata === null) return false;
  const { version, meta } = metadata as Partial<EventMetadata>;
  return Number.isSafeInteger(version) && typeof meta === 'object' && meta !== null;
}

/** A commit position as 20 digits of text. The highest one has 19 digits. */
export function positionOfCommit(commit: bigint): Position {
  return String(commit).padStart(20, '0');
}

/**
 * The position after which the server starts. @throws AppError `not_a_position` for a text that is not a position.
 */
export function toServerPosition(position: Position): ServerPosition | typeof FROM_START {
  if (position === START) return FROM_START;
  checkLogPosition(position);
  const commit = BigInt(position);
  return { commit, prepare: commit };
}

/** @throws AppError `not_a_position` for a text that is not a position. */
export function checkLogPosition(position: Position): void {
  if (position !== START && !isLogPosition(position))
    fail('not_a_position', `not a position of this log: ${position}`);
}
