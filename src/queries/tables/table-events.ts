/** The events that tables are made of: those of one team, as they are stored, in the order of the feed. */
import type { Turns } from '../../concurrency/turns.js';
import {
  laterPosition,
  logPosition,
  ordinalAt,
  type Position,
  type RecordedEvent,
} from '../../domain/event.js';
import { upcast } from '../../domain/event-versions.js';
import { isPurged } from '../../domain/redaction/purged.js';
import { isChunk, partOf } from '../../domain/runs/item-chunk.js';
import { openFoldFeed } from '../../log/feed.js';
import type { EventLog } from '../../ports/event-log.js';

/** Of a key, and of a request. Null for all projects. */
export type TableScope = { team: string; projects: readonly string[] | null };

export type Range = {
  after: Position;
  until: Position;
};

/** `log`: with its events as they are stored. */
export type TableSource = { log: EventLog; turns: Turns };

/** A step takes a few milliseconds. */
const STEP_EVENTS = 500;
const CATEGORIES = ['project', 'run', 'items', 'result', 'known'];

/** Each step in a turn of its team. */
export async function* tableEvents(
  { log, turns }: TableSource,
  { team, projects }: TableScope,
  { after, until }: Range,
): AsyncGenerator<RecordedEvent[], void> {
  const feed = openFoldFeed(log);
  const filter = { streams: CATEGORIES.map((category) => `${category}-${team}.`) };
  const isWanted = (event: RecordedEvent) =>
    !isPurged(event) &&
    (projects === null || projects.includes((event.data as { project_id: string }).project_id));
  for (let position = after; position < until;) {
    const pages = feed.pages({ after: position, limit: STEP_EVENTS, filter });
    try {
      for (;;) {
        await turns.next(team);
        const { done, value: page } = await pages.next();
        if (done === true) break;
        const events = page.events.flatMap((event) => (isWanted(event) ? upTo(until, upcast(event)) : []));
        if (events.length > 0) yield events;
        if (page.caughtUp || page.position >= until) return;
        position = laterPosition(position, page.position);
      }
    } finally {
      await pages.return();
    }
  }
}

/** A chunk may go on behind the end. */
function upTo(until: Position, event: RecordedEvent): RecordedEvent[] {
  if (event.position <= until) return [event];
  const last = ordinalAt(until);
  if (!isChunk(event) || last === null || logPosition(event.position) !== logPosition(until)) return [];
  const { first } = event.data;
  return last < first
    ? []
    : [{ ...event, position: until, data: partOf(event.data, first, last - first + 1) }];
}
