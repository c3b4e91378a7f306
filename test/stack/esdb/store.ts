/** The log of the stand-in. It decides, writes one record for each call, and updates the index with the file. */
import { randomUUID } from 'node:crypto';
import { EventEmitter } from 'node:events';
import { decide, type Decision, type Expected } from './decide.js';
import { firstVisible, logIndex, lastRevision, TOMBSTONE, type Entry, type LogIndex } from './log-index.js';
import { dataOf, eventMessage, type Proposed } from './messages.js';
import { recentIds } from './recent-ids.js';
import { openRecordFile } from './record-file.js';
import { limitsOf, SOFT_DELETED, undeleted } from './stream-limits.js';

export type Store = {
  readonly index: LogIndex;
  append(stream: string, expected: Expected, events: readonly Proposed[]): Outcome;
  softDelete(stream: string, expected: Expected): Outcome;
  tombstone(stream: string, expected: Expected): Outcome;
  /** The bytes of a `ReadResp`. */
  message(entry: Entry): Buffer;
  /** The end of the log: each later event is at or after this position. */
  end(): number;
  /** Emits `grown` after each call that wrote. */
  readonly changes: EventEmitter<{ grown: [] }>;
  close(): void;
};

export type Outcome =
  /** The revision of the call's last event, or -1. The position is null where the event is hidden by now. */
  | { kind: 'done'; revision: number; position: number | null }
  | Exclude<Decision, { kind: 'write' } | { kind: 'repeated' }>;

type Draft = { stream: string; revision: number; event: Proposed };
type Listed = [stream: string, revision: number, type: string, id: string, size: number];

/** A record: the size of its messages (32 bits), the messages, and the list of them as JSON. */
const SIZE_BYTES = 4;

/** Opens the log in `file`, and creates the file where there is none. */
export function openStore(file: string): Store {
  const index = logIndex();
  const recent = recentIds();
  const changes = new EventEmitter<{ grown: [] }>().setMaxListeners(0);
  const records = openRecordFile(file, (content, at) => addAll(content, at));
  if (index.entries.length === 0) writeFirstEvent();

  function addAll(content: Buffer, at: number): Entry[] {
    const messages = content.readUInt32LE();
    const listed = JSON.parse(content.toString('utf8', SIZE_BYTES + messages)) as Listed[];
    let offset = SIZE_BYTES;
    return listed.map(([stream, revision, type, id, size]) => {
      const entry = index.add({ revision, id, type, position: at + offset, size }, stream);
      const message = content.subarray(offset, offset + size);
      if (type === '$metadata' && stream.startsWith('$$')) limit(stream.slice(2), message);
      offset += size;
      return entry;
    });
  }

  function limit(name: string, message: Buffer): void {
    index.streamOf(name).limits = limitsOf(dataOf(message));
  }

  /** Writes all of it as one record. Returns where the record begins. */
  function write(drafts: readonly Draft[]): { position: number; entries: Entry[] } {
    const at = records.nextContentAt();
    const size = Buffer.alloc(SIZE_BYTES);
    let position = at + SIZE_BYTES;
    const listed: Listed[] = [];
    const messages = drafts.map(({ stream, revision, event }) => {
      const shown = revision === TOMBSTONE ? String(2n ** 63n - 1n) : String(revision);
      const message = eventMessage({ ...event, stream, revision: shown, position });
      listed.push([stream, revision, event.type, event.id, message.length]);
      position += message.length;
      return message;
    });
    size.writeUInt32LE(position - at - SIZE_BYTES);
    const content = Buffer.concat([size, ...messages, Buffer.from(JSON.stringify(listed))]);
    records.append([content]);
    const entries = addAll(content, at);
    for (const entry of entries) recent.add(entry);
    changes.emit('grown');
    return { position: at + SIZE_BYTES, entries };
  }

  function decideOn(stream: string, expected: Expected, ids: readonly string[]): Decision {
    const metastream = index.stream(`$$${stream}`);
    return decide({ stream: index.stream(stream), metastream, expected, ids, recent });
  }

  function metadataDraft(stream: string, metadata: string): Draft {
    const name = `$$${stream}`;
    return {
      stream: name,
      revision: lastRevision(index.stream(name)) + 1,
      event: systemEvent('$metadata', metadata),
    };
  }

  /** A real server is never empty. A client that takes the newest event of the log for its own must fail here too. */
  function writeFirstEvent(): void {
    write([{ stream: '$users', revision: 0, event: systemEvent('$User', '"admin"') }]);
  }

  return {
    index,
    append: (stream, expected, events) => {
      const decision = decideOn(
        stream,
        expected,
        events.map(({ id }) => id),
      );
      if (decision.kind === 'repeated') {
        const { last } = decision;
        const kept = index.stream(stream)!;
        return {
          kind: 'done',
          revision: last,
          position: last < firstVisible(kept) ? null : kept.events[last]!.position,
        };
      }
      if (decision.kind !== 'write') return decision;
      const first = lastRevision(index.stream(stream)) + 1;
      const drafts = events.map((event, offset) => ({ stream, revision: first + offset, event }));
      if (decision.undelete) drafts.push(metadataDraft(stream, undeleted(metadataOf(stream), first)));
      const { position, entries } = write(drafts);
      return {
        kind: 'done',
        revision: first + events.length - 1,
        position: entries[events.length - 1]?.position ?? position,
      };
    },
    softDelete: (stream, expected) => {
      const decision = decideOn(stream, expected, [randomUUID()]);
      if (decision.kind === 'deleted' || decision.kind === 'wrong version') return decision;
      const known = [stream, `$$${stream}`].some((name) => lastRevision(index.stream(name)) >= 0);
      if (!known) return { kind: 'wrong version', actual: -1 };
      const { position } = write([metadataDraft(stream, SOFT_DELETED)]);
      return { kind: 'done', revision: lastRevision(index.stream(stream)), position };
    },
    tombstone: (stream, expected) => {
      const decision = decideOn(stream, expected, [randomUUID()]);
      if (decision.kind === 'deleted' || decision.kind === 'wrong version') return decision;
      const { position } = write([{ stream, revision: TOMBSTONE, event: systemEvent('$streamDeleted', '') }]);
      return { kind: 'done', revision: TOMBSTONE, position };
    },
    message: ({ position, size }) => records.read(position, size),
    end: () => records.nextContentAt(),
    changes,
    close: () => records.close(),
  };

  function metadataOf(stream: string): string {
    const newest = index.stream(`$$${stream}`)?.events.at(-1);
    return newest ? dataOf(records.read(newest.position, newest.size)) : '{}';
  }
}

function systemEvent(type: string, data: string): Proposed {
  const contentType = data === '' ? 'application/octet-stream' : 'application/json';
  return { id: randomUUID(), type, contentType, data: Buffer.from(data), metadata: new Uint8Array() };
}
