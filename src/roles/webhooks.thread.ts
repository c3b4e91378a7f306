/** The thread of the publisher and the dispatcher: folding, and waiting for strangers' servers, hold up no request. */
import { setPriority } from 'node:os';
import { parentPort, workerData } from 'node:worker_threads';
import { outbox } from '../../projections/publication.js';
import { openBus, openDeliveries, openForWebhooks } from '../adapters/open.js';
import { remoteAppends, type AppendAnswer } from './remote-append.js';
import { systemClock as clock } from '../clock.js';
import { openFeed } from '../log/feed.js';
import type { EventLog } from '../ports/event-log.js';
import { runProjector } from '../projecting/projector.js';
import { openRendering } from '../webhooks/outbox/rendering.js';
import { GATHER_MS, openOutboxFold } from '../webhooks/outbox/outbox-projector.js';
import { textOf, type ThreadData } from './thread.js';
import type { WebhooksMessage } from './webhooks.js';
import { openSecrets } from '../webhooks/endpoint/secrets.js';
import { openLedger } from '../commands/ledger.js';
import { secretOf } from '../adapters/files/secret-key.js';
import { runDispatcher } from '../webhooks/delivery/dispatcher.js';
import { openPost } from '../webhooks/delivery/post.js';
import { runFanOut } from '../webhooks/fan-out/fan-out.js';
import { runPublisher } from '../webhooks/outbox/publisher.js';

/** A third of what another thread gets that wants the same processor. */
const NICE = 5;
// Where the processors are all busy, results are taken first, and told of a little later. Elsewhere than on Linux this is
// not of a thread, but of the whole process.
if (process.platform === 'linux') setPriority(NICE);

const { config, holder } = workerData as ThreadData;
const stop = new AbortController();
const { signal } = stop;
const post = (message: WebhooksMessage) => parentPort!.postMessage(message);
const failed = (what: string) => (error: unknown) => post({ type: 'failed', what, error: textOf(error) });
const fault =
  (what: string) =>
  ({ error }: { error: unknown }) =>
    failed(what)(error);

const appends = remoteAppends(post);
parentPort!.on('message', (message: 'stop' | AppendAnswer) => {
  if (message === 'stop') stop.abort();
  else appends.answered(message);
});

const { log: opened, writer, reader, state } = await openForWebhooks(config, failed('a store'));
const log: EventLog = opened.singleWriter ? { ...opened, append: appends.append } : opened;
const deliveries = await openDeliveries(config, { thread: true });
const closing: (() => Promise<void> | void)[] = [];
const bus = await openBus(config, (close) => void closing.push(close), failed('the bus'));
const running: Promise<void>[] = [];
const render = openRendering(log);

if (config.roles.includes('publisher')) {
  const published = new Set<() => void>();
  const fold = openOutboxFold({
    log,
    views: writer,
    state,
    clock,
    published: () => published.forEach((wake) => wake()),
  });
  running.push(
    runProjector({
      projection: outbox,
      limit: writer.eventsPerCommit,
      gatherMs: GATHER_MS,
      fold,
      feed: openFeed(log),
      views: writer,
      state,
      holder,
      clock,
      signal,
      report: (report) =>
        post({
          type: 'publishing',
          message: report.type === 'failed' ? { ...report, error: textOf(report.error) } : report,
        }),
    }),
    runPublisher({
      views: reader,
      render,
      state,
      bus,
      holder,
      clock,
      signal,
      report: fault('publishing'),
      committed(wake) {
        published.add(wake);
        return () => published.delete(wake);
      },
    }),
  );
}

if (config.roles.includes('dispatcher')) {
  const poster = openPost({
    allow: config.webhookAllow,
    refused: (address, name) => post({ type: 'refused', address, name }),
  });
  closing.push(() => poster.close());
  const dispatcher = runDispatcher({
    deliveries,
    state,
    ledger: openLedger(log),
    secrets: openSecrets(state, await secretOf(config)).secretsOf,
    post: poster.post,
    holder,
    clock,
    signal,
    historyMs: config.webhookHistoryMs,
    report: failed('delivering'),
    metrics: {
      attempt: (outcome, ms) => post({ type: 'attempt', outcome, ms }),
      disabled: (reason, webhook) => post({ type: 'disabled', reason, webhook }),
    },
  });
  running.push(
    dispatcher.done,
    runFanOut({
      head: () => log.head(),
      views: reader,
      render,
      state,
      deliveries,
      bus,
      holder,
      clock,
      signal,
      report: fault('the fan-out'),
      added: dispatcher.wake,
    }),
  );
}

await Promise.all(running);
for (const close of closing.toReversed()) await close();
await deliveries.close();
await state.close();
await reader.close();
await writer.close();
await opened.close();
parentPort!.close();
