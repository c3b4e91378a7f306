/** The projector's thread: folding and committing take turns with nothing that answers a request. */
import { parentPort, workerData } from 'node:worker_threads';
import { ledgerViews } from '../projections/index.js';
import { foldingInto } from './core/build.js';
import { openForProjector } from './adapters/open.js';
import type { Config } from './config.js';
import { systemClock } from './core/clock.js';
import { openFeed } from './core/feed.js';
import type { Holder } from './core/lease.js';
import { reasonOf } from './errors.js';
import { runProjector, type ProjectorReport } from './core/projector.js';

export type ProjectorData = { config: Config; holder: Holder };

/** What the thread tells: an error crosses as its text. */
export type ProjectorMessage =
  { type: 'failed'; error: string; retryInMs: number } | { type: 'rebuilding' | 'rebuilt'; build: number };

const { config, holder } = workerData as ProjectorData;
const stop = new AbortController();
// Also keeps the thread alive while it waits for events.
parentPort!.on('message', () => stop.abort());

const { log, views, state } = await openForProjector(config, (error) =>
  parentPort!.postMessage(asMessage({ type: 'failed', error, retryInMs: 0 })),
);
await runProjector({
  projection: ledgerViews,
  fold: foldingInto(ledgerViews, views),
  feed: openFeed(log),
  views,
  state,
  holder,
  clock: systemClock,
  signal: stop.signal,
  report: (report) => parentPort!.postMessage(asMessage(report)),
});
await state.close();
await views.close();
await log.close();
parentPort!.close();

function asMessage(report: ProjectorReport): ProjectorMessage {
  if (report.type !== 'failed') return report;
  const { error, retryInMs } = report;
  return {
    type: 'failed',
    error: error instanceof Error ? `${reasonOf(error)}\n${error.stack ?? ''}` : String(error),
    retryInMs,
  };
}
