/** The index of the log in memory: each event without its content, in log order and by stream. */
export type LogIndex = {
  /** In log order, with tombstones. */
  readonly entries: readonly Entry[];
  stream(name: string): Stream | undefined;
  /** As above, and creates the stream where there is none: metadata can come before the first event. */
  streamOf(name: string): Stream;
  add(event: Omit<Entry, 'stream'>, stream: string): Entry;
  /** The index in `entries` of the event at a position; -1 where no event has it. */
  at(position: number): number;
};

export type Entry = {
  stream: Stream;
  /** `TOMBSTONE` for the event that ends a stream for good. */
  revision: number;
  id: string;
  type: string;
  /** The position in the log, which is also the place in the file. */
  position: number;
  size: number;
};

export type Stream = {
  readonly name: string;
  /** By revision, without a tombstone. */
  readonly events: Entry[];
  tombstone: Entry | undefined;
  /** The events that the stream's metadata hides. */
  limits: Limits;
};

export type Limits = { truncateBefore: number; maxCount: number };

/** The highest possible revision: 2^63 - 1 on the wire, which a double shows as 2^63. */
export const TOMBSTONE = 2 ** 63;
export const NO_LIMITS: Limits = { truncateBefore: 0, maxCount: Infinity };

/** An index of an empty log. */
export function logIndex(): LogIndex {
  const entries: Entry[] = [];
  const streams = new Map<string, Stream>();
  const types = new Map<string, string>();

  function streamOf(name: string): Stream {
    let stream = streams.get(name);
    if (!stream) {
      // A metadata stream shows only its newest event.
      const limits = name.startsWith('$$') ? { ...NO_LIMITS, maxCount: 1 } : NO_LIMITS;
      stream = { name, events: [], tombstone: undefined, limits };
      streams.set(name, stream);
    }
    return stream;
  }

  return {
    entries,
    stream: (name) => streams.get(name),
    streamOf,
    add: (event, name) => {
      const stream = streamOf(name);
      // One string for each type: half a million copies would take most of the memory.
      const type = types.get(event.type) ?? event.type;
      types.set(type, type);
      const { revision, id, position, size } = event;
      const entry = { stream, revision, id, type, position, size };
      if (revision === TOMBSTONE) stream.tombstone = entry;
      else stream.events.push(entry);
      entries.push(entry);
      return entry;
    },
    at: (position) => {
      let low = 0;
      let high = entries.length - 1;
      while (low <= high) {
        const middle = (low + high) >>> 1;
        const found = entries[middle]!.position;
        if (found === position) return middle;
        if (found < position) low = middle + 1;
        else high = middle - 1;
      }
      return -1;
    },
  };
}

/** The revision of the newest event; -1 where there never was one. */
export function lastRevision(stream: Stream | undefined): number {
  return (stream?.events.length ?? 0) - 1;
}

/** The revision of the first event that the stream's metadata does not hide. */
export function firstVisible({ limits, events }: Stream): number {
  return Math.max(0, limits.truncateBefore, events.length - limits.maxCount);
}

export function isSoftDeleted(stream: Stream | undefined): boolean {
  return stream?.limits.truncateBefore === TOMBSTONE;
}
