/**
 * The newest events of a team, in a bounded amount of memory, and their text. Each event is rendered once for all
 * live readers of the team, and readers at the same position with the same scope and infix share the same bytes.
 */
import { laterPosition, type Position, type RecordedEvent } from '../domain/event.js';
import { estimateBytes } from '../memory/estimate-bytes.js';

/** Some events as text. `position` is how far the buffer was read for it. */
export type RenderedEvents = { text: Buffer; count: number; position: Position };

export type BufferQuery = {
  after: Position;
  limit: number;
  /** Equal for readers who see the same events. */
  scopeKey: string;
  isVisible: (event: RecordedEvent) => boolean;
  /** The text for the place that the rendered event leaves open. */
  infix: string;
};

/** The text of one event. It leaves one place open for what differs from reader to reader. */
export type SplitText = readonly [before: string, after: string];

export type EventBuffer = {
  /** Sets where the buffer begins. */
  begin(after: Position): void;
  hasBegun(): boolean;
  /** Whether it holds everything after a position. */
  covers(after: Position): boolean;
  /** Adds what follows the last position. Drops the oldest events beyond the bounds. */
  add(batch: { events: readonly RecordedEvent[]; position: Position }): void;
  /** The events after a position, as many as are sent at once. Null where the buffer does not hold all of them. */
  read(query: BufferQuery): RenderedEvents | null;
};

/** The approximate size of the events. */
const MAX_BYTES = 2 * 1024 * 1024;
const MAX_EVENTS = 5_000;
/** Characters that are sent at once: a slow reader holds no more than this. */
const MAX_CHARACTERS = 128 * 1024;
/** Shared texts. They are dropped when the next events come. */
const MAX_TEXTS = 32;

type BufferedEvent = { event: RecordedEvent; text: SplitText | null; size: number };

export function openEventBuffer(render: (event: RecordedEvent) => SplitText): EventBuffer {
  let entries: BufferedEvent[] = [];
  let bytes = 0;
  /** Everything after it is in the buffer. Null before the buffer has begun. */
  let floor: Position | null = null;
  let reached: Position = '';
  const texts = new Map<string, RenderedEvents>();

  /** The index of the first entry after a position. */
  function indexAfter(position: Position): number {
    let [low, high] = [0, entries.length];
    while (low < high) {
      const middle = (low + high) >>> 1;
      if (entries[middle]!.event.position > position) high = middle;
      else low = middle + 1;
    }
    return low;
  }

  function renderAfter({ after, limit, isVisible, infix }: BufferQuery): RenderedEvents {
    const parts: string[] = [];
    let position = laterPosition(reached, after);
    let length = 0;
    for (let index = indexAfter(after); index < entries.length; index += 1) {
      const entry = entries[index]!;
      if (!isVisible(entry.event)) continue;
      entry.text ??= render(entry.event);
      const text = entry.text.join(infix);
      parts.push(text);
      length += text.length;
      if (parts.length < limit && length < MAX_CHARACTERS) continue;
      position = entry.event.position;
      break;
    }
    return { text: Buffer.from(parts.join('')), position, count: parts.length };
  }

  /** A reader who is behind reads the log, which says no more what was forgotten. */
  function forgetBefore(position: Position): void {
    entries = [];
    bytes = 0;
    floor = position;
  }

  const covers = (after: Position): boolean => floor !== null && after >= floor;

  return {
    begin: (after) => void (floor = reached = after),
    hasBegun: () => floor !== null,
    covers,
    add({ events, position }) {
      for (const event of events) {
        if (isForgetting(event)) forgetBefore(event.position);
        const size = estimateBytes(event.data);
        entries.push({ event, text: null, size });
        bytes += size;
      }
      let dropped = 0;
      while (entries.length - dropped > MAX_EVENTS || bytes > MAX_BYTES) {
        const { event, size } = entries[dropped]!;
        bytes -= size;
        floor = event.position;
        dropped += 1;
      }
      if (dropped > 0) entries = entries.slice(dropped);
      reached = position;
      texts.clear();
    },
    read(query) {
      if (!covers(query.after)) return null;
      const key = `${query.after} ${query.limit} ${query.infix} ${query.scopeKey}`;
      const rendered = texts.get(key) ?? renderAfter(query);
      // Readers who fall behind are at different positions, and share nothing.
      if (texts.size >= MAX_TEXTS) texts.clear();
      texts.set(key, rendered);
      return rendered;
    },
  };
}

function isForgetting({ type }: RecordedEvent): boolean {
  return (
    type === 'ResultRedacted' || type === 'RunRedacted' || type === 'TextRedacted' || type === 'ResultDeleted'
  );
}
