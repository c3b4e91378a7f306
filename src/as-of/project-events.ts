/** The events of one project up to a position, as they are stored, in the order of the feed for folds. */
import { setImmediate } from 'node:timers/promises';
import { logPosition, START, type RecordedEvent } from '../domain/event.js';
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

/** Other folds of the thread, and answers, have their turns between two steps. */
export async function* projectEvents(
  log: Pick<EventLog, 'readAll' | 'readStream'>,
  { team, project, at }: Past,
): AsyncGenerator<RecordedEvent[], void> {
  const filter = { streams: streamsOfTeam(team) };
  for (let after = START; ;) {
    await setImmediate();
    const batch = await log.readAll({ after, limit: STEP_EVENTS, filter });
    let events: RecordedEvent[] = [];
    for (const event of batch.events) {
      if (event.position > at) break;
      if (isPurged(event) || !isOf(event, project)) continue;
      events.push(upcast(event));
      const items = itemCountOf(event);
      for (let from = 0; from < items;) {
        const chunk = await readChunk(log, event, from);
        events.push(upcast(chunk));
        from += chunk.data.count;
        if (from < items) {
          yield events;
          events = [];
          await setImmediate();
        }
      }
    }
    yield events;
    if (batch.caughtUp || logPosition(batch.position) >= at) return;
    after = batch.position;
  }
}

function isOf({ type, data }: RecordedEvent, project: string): boolean {
  return type === 'TeamSettingsChanged' || (data as { project_id?: string }).project_id === project;
}
