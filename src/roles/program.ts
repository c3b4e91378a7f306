/** The program put together: adapters, core, HTTP. What was opened last is closed first. */
import { randomUUID } from 'node:crypto';
import type { Logger } from 'pino';
import { ledgerViews } from '../../projections/index.js';
import { outbox } from '../../projections/publication.js';
import { openBlobs, openDeliveries, openForApi, type OnStop } from '../adapters/open.js';
import { secretOf } from '../adapters/files/secret-key.js';
import { openSurfaces } from './api.js';
import type { Config } from '../config.js';
import { systemClock as clock } from '../clock.js';
import { lagSeconds } from '../projecting/lag.js';
import { openLedger } from '../commands/ledger.js';
import { measuredLog } from '../log/measured-log.js';
import { firstStart } from '../commands/teams.js';
import { validatedLog } from '../log/validated-log.js';
import { outboxLag } from '../webhooks/fan-out/checkpoint.js';
import { createApp } from '../http/app.js';
import { problemRoutes } from '../http/problems/pages.js';
import { blobRoutes } from '../http/blobs/routes.js';
import { openBulkGate } from '../http/bulk/gate.js';
import { healthRoutes } from '../http/health.js';
import { createMetrics } from '../http/metrics.js';
import { listen } from '../http/server.js';
import { openStreams } from '../http/streams.js';
import { startProjector } from './projector.js';
import { startWebhooks } from './webhooks.js';
import { version } from '../version.js';

export type Serving = {
  url: string;
  /** Every route, as `METHOD /path`. */
  routes: readonly string[];
  stop(): Promise<void>;
};

/** Of bulk submissions at a time: two, each of which may be 32 MiB. */
const BULK_GATE = { places: 2, waitMs: 30_000 };
const DRAIN_MS = 5_000;

/**
 * Starts the roles that are configured; `stop` ends them, last first, within 10 s. A first key is shown as soon as it
 * is recorded, since a start that fails after that has made it all the same. @throws Error why it cannot start.
 */
export async function serve(
  config: Config,
  logger: Logger,
  showFirstKey: (key: string) => void = () => undefined,
): Promise<Serving> {
  const closing: (() => Promise<void> | void)[] = [];
  const onStop: OnStop = (close) => void closing.unshift(close);
  const stop = async () => {
    const faults: unknown[] = [];
    for (const close of closing.splice(0)) {
      // One that fails must not keep those below it open: the lock of the folder is the last.
      await Promise.resolve()
        .then(close)
        .catch((error: unknown) => void faults.push(error));
    }
    if (faults.length > 0) throw new AggregateError(faults, 'not everything could be closed');
  };
  try {
    return { ...(await start(config, logger, showFirstKey, onStop)), stop };
  } catch (error) {
    await stop().catch((err: unknown) => logger.error({ err }, 'closing after a failed start failed'));
    throw error;
  }
}

async function start(
  config: Config,
  logger: Logger,
  showFirstKey: (key: string) => void,
  onStop: OnStop,
): Promise<Omit<Serving, 'stop'>> {
  const report = (err: unknown) => logger.error({ err }, 'a store failed');
  const { log: opened, views, publicationViews, state } = await openForApi(config, onStop, report);
  const deliveries = await openDeliveries(config, { thread: true });
  onStop(() => deliveries.close());

  const metrics = createMetrics({
    lag: async () => ({
      [ledgerViews.name]: await lagSeconds(opened, views, ledgerViews.name, clock),
      [outbox.name]: await lagSeconds(opened, publicationViews, outbox.name, clock),
    }),
    backlog: {
      publication: () => outboxLag(state, publicationViews, clock),
      deliveries: () => deliveries.pending(),
    },
  });
  const log = measuredLog(config.validateEvents ? validatedLog(opened) : opened, metrics.append);
  const ledger = openLedger(log);
  const first = await firstStart(log, ledger, clock, config.bootstrapApiKey);
  if (first.made && first.key !== null) showFirstKey(first.key);
  if (!first.made && config.bootstrapApiKey !== null) {
    logger.warn('BOOTSTRAP_API_KEY is ignored: the log is not empty');
  }

  const holder = { boot: randomUUID(), alone: state.singleServer };
  if (config.roles.includes('projector')) onStop(startProjector({ config, holder }, logger));
  if (config.roles.some((role) => role === 'publisher' || role === 'dispatcher')) {
    onStop(startWebhooks({ config, holder }, { log, metrics }, logger));
  }
  let stopping = false;
  const api = config.roles.includes('api') ? await openBlobs(config, onStop, clock) : null;
  const health = healthRoutes({
    log,
    views,
    projection: ledgerViews.name,
    version,
    metrics,
    stopping: () => stopping,
  });
  const bulkGate = openBulkGate(BULK_GATE);
  const streams = openStreams();
  const { koa, routes } = createApp({
    surfaces:
      api === null
        ? []
        : await openSurfaces({
            config,
            log,
            ledger,
            views,
            publicationViews,
            state,
            deliveries,
            secret: await secretOf(config),
            blobs: api.blobs,
            holder,
            bulkGate,
            streams,
            metrics,
            report,
            onStop,
          }),
    open: [...health, ...problemRoutes(), ...(api?.files ? blobRoutes({ files: api.files, clock }) : [])],
    metrics,
    logger,
  });
  const listening = await listen(koa, config);
  onStop(async () => {
    stopping = true;
    // Rather told at once than cut off when the time of those in flight is over.
    bulkGate.close();
    streams.stop();
    await listening.stop(DRAIN_MS);
  });
  return { url: listening.url, routes };
}
