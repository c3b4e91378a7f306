/**
 * The role `publisher`, in the thread `webhooks`: folds the log into the outbox and the histories of tests, and puts the
 * messages of the outbox on the bus. Two loops: `runProjector` for the outbox, and `runPublisher`, which every commit of
 * the first wakes.
 */
import { outbox } from '../../projections/outbox.js';
import type { Partitions } from '../domain/partition.js';
import { openFeed } from '../log/feed.js';
import { runProjector } from '../projecting/projector.js';
import { GATHER_MS, openOutboxFold } from '../webhooks/outbox/outbox-projector.js';
import { runPublisher } from '../webhooks/outbox/publisher.js';
import type { RoleContext } from './role-context.js';
import type { WebhookStores } from './webhooks.thread.js';

/** Runs until the thread is stopped. */
export async function runPublisherRole(
  { loop, logFailure, logProjection }: RoleContext,
  { log, storedLog, writer, reader, state, bus }: WebhookStores,
): Promise<void> {
  const publishingFailed = logFailure('publishing');
  const wakeUps = new Set<(partitions: Partitions) => void>();
  const published = (partitions: Partitions) => wakeUps.forEach((wake) => wake(partitions));
  await Promise.all([
    runProjector({
      ...loop,
      projection: outbox,
      limit: writer.eventsPerCommit,
      gatherMs: GATHER_MS,
      fold: openOutboxFold({ log, views: writer, state, clock: loop.clock, published }),
      feed: openFeed(storedLog),
      views: writer,
      state,
      report: logProjection(outbox.name),
    }),
    runPublisher({
      ...loop,
      views: reader,
      state,
      bus,
      report: ({ error }) => publishingFailed(error),
      committed(wake) {
        wakeUps.add(wake);
        return () => wakeUps.delete(wake);
      },
    }),
  ]);
}
