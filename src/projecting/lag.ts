/** The lag of a projection behind the log. */
import { logPosition, START } from '../domain/event.js';
import { ALL_PARTITIONS } from '../domain/partition.js';
import { isAppError } from '../errors.js';
import { ageMs, type Clock } from '../clock.js';
import type { EventLog } from '../ports/event-log.js';
import type { Checkpoint, ViewReader } from '../ports/views.js';

/** Returns the seconds since the oldest event that the projection has not applied, or 0 if it has applied all. */
export async function lagSeconds(
  log: EventLog,
  views: ViewReader,
  projection: string,
  clock: Clock,
): Promise<number> {
  const checkpoints = await views.checkpoints(projection);
  const all = checkpoints.length > 0 ? checkpoints : [{ partitions: ALL_PARTITIONS, position: START }];
  const lags = await Promise.all(all.map((checkpoint) => lagAfter(log, clock, checkpoint)));
  return Math.max(...lags);
}

/** The same for some partitions. */
export async function lagAfter(
  log: EventLog,
  clock: Clock,
  { partitions, position }: Pick<Checkpoint, 'partitions' | 'position'>,
): Promise<number> {
  const filter = partitions === ALL_PARTITIONS ? {} : { filter: { partitions } };
  try {
    for (let after = logPosition(position); ;) {
      const page = await log.readAll({ after, limit: 1, ...filter });
      const [oldest] = page.events;
      if (oldest !== undefined) return ageMs(clock, oldest.meta.at) / 1_000;
      // A page with a filter may be empty before the end of the log.
      if (page.caughtUp) return 0;
      after = page.position;
    }
  } catch (error) {
    if (!isAppError(error, 'unknown_event')) throw error;
    // The projection cannot apply the next event. An alarm must see the lag grow, so it counts from the last applied event.
    if (position === START) return Infinity;
    const [last] = (await log.readAll({ after: logPosition(position), limit: 1, inclusive: true })).events;
    return last === undefined ? Infinity : ageMs(clock, last.meta.at) / 1_000;
  }
}
