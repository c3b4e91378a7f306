/** The projector's thread: folding and committing take turns with nothing that answers a request. */
import { parentPort, workerData } from 'node:worker_threads';
import { ledgerViews } from '../../projections/index.js';
import { foldInto } from '../projecting/build.js';
import { openForProjector } from '../adapters/open.js';
import { systemClock } from '../clock.js';
import { openFeed } from '../log/feed.js';
import { textOf, type Failed, type ThreadData } from './thread.js';
import { runProjector, type ProjectorReport } from '../projecting/projector.js';

export type ProjectorMessage = Failed | { type: 'rebuilding' | 'rebuilt'; build: number };

const { config, holder } = workerData as ThreadData;
const stop = new AbortController();
// Also keeps the thread alive while it waits for events.
parentPort!.on('message', () => stop.abort());

const { log, views, state } = await openForProjector(config, (error) =>
  parentPort!.postMessage(asMessage({ type: 'failed', error, retryInMs: 0 })),
);
await runProjector({
  projection: ledgerViews,
  fold: foldInto(ledgerViews, views),
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
  return report.type === 'failed' ? { ...report, error: textOf(report.error) } : report;
}
