/**
 * Read models of another log, or of this one before it was restored. They look fresh, and events that they do not have
 * would never be folded.
 */
import { logPosition } from '../domain/event.js';
import { withTimeout } from '../concurrency/with-timeout.js';
import type { Feed } from '../log/feed.js';
import type { Build, ViewReader } from '../ports/views.js';

/** Read models that cannot be read do not hold up a start. */
const LOOK_WITHIN_MS = 2_000;

type Log = Pick<Feed, 'head' | 'has'>;
type Folded = Pick<Build, 'checkpoints' | 'lastEvent'>;

/**
 * Checks that the log has what a build was folded from: nothing beyond its head, and the last event of the build. The
 * head alone says nothing once the log has grown beyond the build.
 * @throws Error with what to do
 */
export async function refuseOtherLog(log: Log, { checkpoints, lastEvent }: Folded): Promise<void> {
  const head = await log.head();
  const isAhead = checkpoints.some(({ position }) => logPosition(position) > head);
  if (!isAhead && (lastEvent === null || (await log.has(lastEvent)))) return;
  throw new Error(
    'the read models are not of this log, which was restored or replaced. Put the right log back, or delete the read ' +
      'models, which are folded from the log again: records.sqlite and history.sqlite, each with its -wal and -shm, ' +
      'or the database of VIEWS_URL',
  );
}

/** Checks the live builds before a server starts. @throws as `refuseOtherLog` */
export async function refuseViewsOfOtherLog(
  log: Log,
  projections: readonly { views: ViewReader; name: string }[],
): Promise<void> {
  for (const { views, name } of projections) {
    const reading = Promise.all([views.checkpoints(name), views.lastEvent(name)]).catch(() => null);
    const found = await withTimeout(LOOK_WITHIN_MS, reading, () => null);
    if (found === null) continue;
    const [checkpoints, lastEvent] = found;
    await refuseOtherLog(log, { checkpoints, lastEvent });
  }
}
