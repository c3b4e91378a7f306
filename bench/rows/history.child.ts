/** Folds the outbox over a log, as the publisher's thread does, without a server beside it. */
import { rmSync } from 'node:fs';
import { join } from 'node:path';
import { history } from '../../projections/history/history.js';
import type { Position } from '../../src/domain/event.js';
import { openForApi, openForWebhooks } from '../../src/adapters/open.js';
import { readConfig } from '../../src/config.js';
import { systemClock } from '../../src/clock.js';
import { openFoldFeed } from '../../src/log/feed.js';
import { limitHeapGrowth } from '../../src/memory/limit-heap-growth.js';
import type { ProjectorReport } from '../../src/projecting/leading.js';
import { runProjector } from '../../src/projecting/projector.js';
import { openHistoryFold } from '../../src/webhooks/outbox/history-fold.js';
import { answerRequests } from '../processes/child.js';
import { within } from '../processes/server.js';

/** `after`: the time counts from where this is folded. */
export type OutboxFoldOptions = { folder: string; results: number; after?: Position };

// As the program does.
limitHeapGrowth();

/** Results a second, from the start of the log to its end at that time. The transitions of tests are appended. */
answerRequests(async ({ folder, results, after }: OutboxFoldOptions): Promise<number> => {
  const config = readConfig({ DATA_DIR: folder });
  const closing: (() => Promise<void> | void)[] = [];
  const { log } = await openForApi(config, (close) => void closing.unshift(close));
  const { log: reader, writer, reader: views, state } = await openForWebhooks(config);
  const stop = new AbortController();
  let fault: unknown;
  const report = (event: ProjectorReport) => {
    if (event.type === 'failed') fault ??= event.error;
  };
  const head = await log.head();
  let began = performance.now();
  const both = { ...reader, append: log.append };
  const running = runProjector({
    projection: history,
    limit: writer.eventsPerCommit,
    fold: openHistoryFold({ log: both, views: writer, state, clock: systemClock }),
    feed: openFoldFeed(both),
    views: writer,
    state,
    holder: { boot: 'bench', alone: true },
    clock: systemClock,
    signal: stop.signal,
    report,
  });
  try {
    const end = await within(600_000, 'the fold', async () => {
      if (fault !== undefined) throw fault;
      if (after !== undefined && (await views.position(history.name)) < after) began = performance.now();
      return (await views.position(history.name)) >= head ? performance.now() : null;
    });
    return results / ((end - began) / 1_000);
  } finally {
    stop.abort();
    await running;
    for (const store of [state, views, writer, reader]) await store.close();
    for (const close of closing) await close();
    // The next measurement folds it again.
    for (const suffix of ['', '-wal', '-shm'])
      rmSync(join(folder, `history.sqlite${suffix}`), { force: true });
  }
});
