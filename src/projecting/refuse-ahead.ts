/** Read models of another log: they look fresh, and the events before their position would never be folded. */
import { logPosition } from '../domain/event.js';
import type { EventLog } from '../ports/event-log.js';
import type { Checkpoint, ViewReader } from '../ports/views.js';
import { withTimeout } from '../concurrency/with-timeout.js';

/** Read models that cannot be read do not hold up a start. */
const LOOK_WITHIN_MS = 2_000;

/**
 * For the start of the only server that writes a log: once the log has grown beyond the read models, the program cannot
 * see any more that they are not its own.
 * @throws Error when the read models of one of the projections are ahead of the log.
 */
export async function refuseAhead(
  log: EventLog,
  projections: readonly { views: ViewReader; name: string }[],
): Promise<void> {
  const head = await log.head();
  for (const { views, name } of projections) {
    const reading = views.checkpoints(name).catch((): Checkpoint[] => []);
    const checkpoints = await withTimeout<readonly Checkpoint[], readonly Checkpoint[]>(
      LOOK_WITHIN_MS,
      reading,
      () => [],
    );
    if (checkpoints.some(({ position }) => logPosition(position) > head)) {
      throw new Error(
        'the read models are ahead of the log, which was restored or replaced. Put the right log back, or delete the ' +
          'read models, which are folded from the log again: views.sqlite and publication.sqlite, each with its -wal ' +
          'and -shm, or the database of VIEWS_URL',
      );
    }
  }
}
