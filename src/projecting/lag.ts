/** The lag of a projection behind the log. */
import { logPosition } from '../domain/event.js';
import { ageMs, type Clock } from '../clock.js';
import type { EventLog } from '../ports/event-log.js';
import type { ViewReader } from '../ports/views.js';

/** Returns the seconds since the oldest event that the projection has not applied, or 0 if it has applied all. */
export async function lagSeconds(
  log: EventLog,
  views: ViewReader,
  projection: string,
  clock: Clock,
): Promise<number> {
  const position = await views.position(projection);
  const { events } = await log.readAll({ after: logPosition(position), limit: 1 });
  const [oldest] = events;
  return oldest === undefined ? 0 : ageMs(clock, oldest.meta.at) / 1_000;
}
