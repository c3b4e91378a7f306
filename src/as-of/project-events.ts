/** The events of one project up to a position, as they are stored, in the order of the feed for folds. */
import { setImmediate } from 'node:timers/promises';
import { logPosition, START, type Position, type RecordedEvent } from '../domain/event.js';
import { upcast } from '../domain/event-versions.js';
import { isPurged } from '../domain/redaction/purged.js';
import { readChunk } from '../log/feed.js';
import { itemCountOf } from '../log/streams.js';
import type { EventLog } from '../ports/event-log.js';
import type { Past } from './past.js';

/** The streams that say what is shown of runs, results and tests. The settings of a team are its own. */
const CATEGORIES = ['team', 'project', 'run', 'result', 'artifact', 'known', 'cause'];

/** A step takes a few milliseconds. */
const STEP_EVENTS = 500;

export function streamsOfTeam(team: string): string[] {
  return CATEGORIES.map((category) => `${category}-${team}.`);
}

/** `next`: where the step behind it begins. */
export type Step = { events: RecordedEvent[]; next: Place };

/** In a page of the log, an event; and of the items behind it, one. An event is before its items. */
type Place = { page: Position; event: number; item: number };

export const BEGINNING: Place = { page: START, event: 0, item: 0 };

/** Other folds of the thread, and answers, have their turns between two steps. */
export async function* projectEvents(
  log: Pick<EventLog, 'readAll' | 'readStream'>,
  { team, project, at }: Past,
  from: Place = BEGINNING,
): AsyncGenerator<Step, void> {
  const filter = { streams: streamsOfTeam(team) };
  for (let { page, event: first, item } = from; ;) {
    await setImmediate();
    const batch = await log.readAll({ after: page, limit: STEP_EVENTS, filter });
    let events: RecordedEvent[] = [];
    for (const [n, event] of batch.events.entries()) {
      if (event.position > at) break;
      if (n < first || isPurged(event) || !isOf(event, project)) continue;
      if (item === 0) events.push(upcast(event));
      const items = itemCountOf(event);
      while (item < items) {
        const chunk = await readChunk(log, event, item);
        events.push(upcast(chunk));
        item += chunk.data.count;
        if (item < items) {
          yield { events, next: { page, event: n, item } };
          events = [];
          await setImmediate();
        }
      }
      item = 0;
    }
    const next = { page: batch.position, event: 0, item: 0 };
    yield { events, next };
    if (batch.caughtUp || logPosition(batch.position) >= at) return;
    ({ page, event: first, item } = next);
  }
}

function isOf({ type, data }: RecordedEvent, project: string): boolean {
  return type === 'TeamSettingsChanged' || (data as { project_id?: string }).project_id === project;
}
