/** Copies a log into another one, and compares the two. The events come as they are stored, in their own versions. */
import { isDeepStrictEqual } from 'node:util';
import { START, type Position, type RecordedEvent } from '../domain/event.js';
import type { EventLog } from '../ports/event-log.js';
import type { LogTarget } from '../ports/log-target.js';

type Readable = Pick<EventLog, 'readAll' | 'head'>;

export type CopyPhase = 'comparing' | 'copying' | 'verifying';

/** `position` is how far the source was read, of `end`; `events` counts the events of this phase. */
export type CopyProgress = (
  phase: CopyPhase,
  at: { position: Position; end: Position; events: number },
) => void;

export type CopyEnd =
  /** `copied` of the `events` were copied by this call; the others were there, and equal. */
  | { status: 'equal'; events: number; copied: number; end: Position }
  | { status: 'differs'; difference: Difference };

export type Difference = {
  /** How many events before it are equal. */
  equal: number;
  /** Null where the target has no event, or the source has none. */
  source: RecordedEvent | null;
  target: RecordedEvent | null;
  /** The first field that differs; null where one of the events is missing. */
  field: (typeof kept)[number] | null;
};

/** The fields that a copy keeps. The position is left out: each log gives its own, in the same order. */
const kept = ['id', 'stream', 'revision', 'type', 'version', 'meta', 'data'] as const;

/**
 * Copies all events that the source has at this moment. A target that holds a beginning of the source is completed, so a
 * copy that was killed goes on; one that holds anything else is left as it is. At the end both logs are read again and
 * compared, unless nothing was copied after they were.
 */
export async function copyLog(source: Readable, target: LogTarget, progress: CopyProgress): Promise<CopyEnd> {
  const end = await source.head();
  const before = await compare(source, target.log, end, (at) => progress('comparing', { ...at, end }));
  if (before.difference !== null) return { status: 'differs', difference: before.difference };
  if (before.position === end) return { status: 'equal', events: before.events, copied: 0, end };

  let copied = 0;
  for await (const page of pagesOf(source, before.position, end)) {
    await target.take(page.events);
    copied += page.events.length;
    progress('copying', { position: page.position, end, events: copied });
  }

  const after = await compare(source, target.log, end, (at) => progress('verifying', { ...at, end }));
  if (after.difference !== null) return { status: 'differs', difference: after.difference };
  if (after.position !== end) {
    const [missing] = (await source.readAll({ after: after.position, limit: 1 })).events;
    const difference = { equal: after.events, source: missing ?? null, target: null, field: null };
    return { status: 'differs', difference };
  }
  return { status: 'equal', events: after.events, copied, end };
}

/** How far the logs are equal. The target may end earlier than the source: then `difference` is null. */
type Compared = { position: Position; events: number; difference: Difference | null };

const REPORT_EVERY = 1_000;

async function compare(
  source: Readable,
  target: Readable,
  end: Position,
  report: (at: { position: Position; events: number }) => void,
): Promise<Compared> {
  const copies = eventsOf(target, await target.head());
  let position = START;
  let equal = 0;
  try {
    for await (const original of eventsOf(source, end)) {
      const next = await copies.next();
      if (next.done) return { position, events: equal, difference: null };
      const field = kept.find((name) => !isDeepStrictEqual(original[name], next.value[name]));
      if (field !== undefined) {
        return {
          position,
          events: equal,
          difference: { equal, source: original, target: next.value, field },
        };
      }
      position = original.position;
      equal += 1;
      if (equal % REPORT_EVERY === 0) report({ position, events: equal });
    }
    const more = await copies.next();
    const difference = more.done ? null : { equal, source: null, target: more.value, field: null };
    // The newest event of the source may be one that its log does not show: `end` counts as reached.
    return { position: end, events: equal, difference };
  } finally {
    await copies.return();
  }
}

async function* eventsOf(log: Readable, end: Position): AsyncGenerator<RecordedEvent, void> {
  for await (const { events } of pagesOf(log, START, end)) yield* events;
}

/** The events after a position, up to `end`. */
async function* pagesOf(
  log: Readable,
  after: Position,
  end: Position,
): AsyncGenerator<{ events: RecordedEvent[]; position: Position }, void> {
  for (let position = after; position < end;) {
    const page = await log.readAll({ after: position, limit: 1_000 });
    yield { events: page.events.filter((event) => event.position <= end), position: page.position };
    if (page.caughtUp) return;
    position = page.position;
  }
}
