/** Reads requests from the messages of a client. @throws Error where a message makes no sense. */
import type { UUID } from '@eventstore/db-client/generated/shared_pb.js';
import type { ReadReq } from '@eventstore/db-client/generated/streams_pb.js';
import streams from '@eventstore/db-client/generated/streams_pb.js';
import type { Expected } from './decide.js';
import { matcher, type Matches } from './filter.js';
import type { Proposed } from './messages.js';

export type ReadRequest = {
  of: { kind: 'stream'; name: string } | { kind: 'all' };
  from: 'start' | 'end' | number;
  backwards: boolean;
  /** Null for a subscription. */
  count: number | null;
  filter: Filter | null;
};

export type Filter = {
  matches: Matches;
  /** The number of events that are looked at before an answer. */
  window: number;
  /** The number of windows between two checkpoints. */
  interval: number;
};

/** Used where the client names no window. */
const DEFAULT_WINDOW = 32;

type Named = { getStreamIdentifier(): { getStreamName_asU8(): Uint8Array } | undefined };

type ProposedMessage = {
  getId(): UUID | undefined;
  getMetadataMap(): { get(key: string): string | undefined };
  getData_asU8(): Uint8Array;
  getCustomMetadata_asU8(): Uint8Array;
};

type ExpectedOf = { hasNoStream(): boolean; hasAny(): boolean; hasStreamExists(): boolean };

export function readRequestOf(message: ReadReq): ReadRequest {
  const options = present(message.getOptions(), 'options');
  const stream = options.getStream();
  return {
    of: stream ? { kind: 'stream', name: streamNameOf(stream) } : { kind: 'all' },
    from: stream ? revisionFrom(stream) : positionFrom(present(options.getAll(), 'a stream or all')),
    backwards: options.getReadDirection() === streams.ReadReq.Options.ReadDirection.BACKWARDS,
    count: options.hasSubscription() ? null : Number(options.getCount()),
    filter: filterOf(options.getFilter()),
  };
}

export function streamNameOf(options: Named): string {
  return present(nameOf(options) || undefined, 'the name of a stream');
}

/** Empty where there is none. */
export function nameOf(options: Named): string {
  return Buffer.from(options.getStreamIdentifier()?.getStreamName_asU8() ?? []).toString('utf8');
}

export function expectedOf(options: ExpectedOf, revision: string): Expected {
  if (options.hasAny()) return 'any';
  if (options.hasNoStream()) return 'none';
  if (options.hasStreamExists()) return 'exists';
  return Number(revision);
}

export function proposedOf(message: ProposedMessage): Proposed {
  const type = message.getMetadataMap().get('type');
  const contentType = message.getMetadataMap().get('content-type');
  return {
    id: idOf(message.getId()),
    type: present(type || undefined, 'a type'),
    contentType: contentType ?? 'application/octet-stream',
    data: message.getData_asU8(),
    metadata: message.getCustomMetadata_asU8(),
  };
}

export function bytesOf(events: readonly Proposed[]): number {
  return events.reduce((sum, { data }) => sum + data.length, 0);
}

function idOf(id: UUID | undefined): string {
  const text = id?.getString().toLowerCase() ?? '';
  return present(/^[0-9a-f]{8}(?:-[0-9a-f]{4}){3}-[0-9a-f]{12}$/.exec(text)?.[0], 'a UUID');
}

function revisionFrom(options: ReadReq.Options.StreamOptions): ReadRequest['from'] {
  if (options.hasStart()) return 'start';
  return options.hasEnd() ? 'end' : Number(options.getRevision());
}

function positionFrom(options: ReadReq.Options.AllOptions): ReadRequest['from'] {
  if (options.hasStart()) return 'start';
  if (options.hasEnd()) return 'end';
  const position = present(options.getPosition(), 'a position');
  const commit = Number(position.getCommitPosition());
  const prepare = Number(position.getPreparePosition());
  if (commit < prepare) throw new Error('a commit position before its prepare position');
  return commit;
}

function filterOf(options: ReadReq.Options.FilterOptions | undefined): Filter | null {
  if (!options) return null;
  const byStream = options.getStreamIdentifier();
  const expression = present(byStream ?? options.getEventType(), 'an expression');
  return {
    matches: matcher(byStream ? 'stream' : 'type', expression.getRegex(), expression.getPrefixList()),
    window: options.hasMax() ? options.getMax() : DEFAULT_WINDOW,
    interval: options.getCheckpointintervalmultiplier(),
  };
}

function present<T>(value: T | undefined, what: string): T {
  if (value === undefined) throw new Error(`expected ${what}`);
  return value;
}
