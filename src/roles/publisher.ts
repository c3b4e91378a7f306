/**
 * The role `publisher`, in the thread `webhooks`: folds the log into the history, and tells the
 * fan-out of each commit.
 */
import { history } from '../../projections/history/history.js';
import { openFoldFeed } from '../log/feed.js';
import { runProjector } from '../projecting/projector.js';
import { GATHER_MS, openHistoryFold, type HistoryFoldOptions } from '../webhooks/outbox/history-fold.js';
import type { RoleContext } from './role-context.js';
import type { WebhookStores } from './webhook-stores.js';

/** Runs until the thread is stopped. */
export async function runPublisherRole(
  { loop, logProjection }: RoleContext,
  { log, storedLog, writer, state }: WebhookStores,
  committed: NonNullable<HistoryFoldOptions['committed']>,
): Promise<void> {
  await runProjector({
    ...loop,
    projection: history,
    limit: writer.eventsPerCommit,
    gatherMs: GATHER_MS,
    fold: openHistoryFold({ log, views: writer, state, clock: loop.clock, committed }),
    feed: openFoldFeed(storedLog),
    views: writer,
    state,
    report: logProjection(history.name),
  });
}
