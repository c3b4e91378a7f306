/** The program put together: adapters, core, HTTP. What was opened last is closed first. */
import { randomUUID } from 'node:crypto';
import { pino, type Logger } from 'pino';
import { ledgerViews } from '../projections/index.js';
import { openBlobs, openForApi, type OnStop } from './adapters/open.js';
import { openBulk } from './bulk.js';
import type { Config } from './config.js';
import { systemClock as clock } from './core/clock.js';
import { openArtifacts } from './core/artifacts.js';
import { openDirectory } from './core/directory.js';
import { openFeed } from './core/feed.js';
import { openFreshness } from './core/freshness.js';
import { keepHouse } from './core/housekeeping.js';
import { openIdempotency } from './core/idempotency.js';
import { startJanitor } from './core/janitor.js';
import { openKeyUse } from './core/key-use.js';
import { lagSeconds } from './core/lag.js';
import type { Holder } from './core/lease.js';
import { openLedger, type Ledger } from './core/ledger.js';
import { measuredLog } from './core/measured-log.js';
import type { Blobs, EventLog, State, ViewReader } from './core/ports.js';
import { loadEventSchemas } from './core/replay/event-schemas.js';
import { openReplay } from './core/replay/replay.js';
import { firstStart } from './core/teams.js';
import { validatedLog } from './core/validated-log.js';
import { createApp, type AppOptions } from './http/app.js';
import { blobRoutes } from './http/blobs.js';
import { bodyReader } from './http/body.js';
import { openGate, type Gate } from './http/bulk/gate.js';
import { bulkReceiver } from './http/bulk/receive.js';
import { healthRoutes } from './http/health.js';
import { createMetrics, type Metrics } from './http/metrics.js';
import { rateLimit } from './http/rate-limit.js';
import { listen } from './http/server.js';
import { artifactRoutes } from './http/surface-a/artifacts.js';
import { projectRoutes as projectRoutesA } from './http/surface-a/projects.js';
import { resultRoutes } from './http/surface-a/results.js';
import { runRoutes } from './http/surface-a/runs.js';
import { keyRoutes } from './http/surface-b/keys.js';
import { projectRoutes as projectRoutesB } from './http/surface-b/projects.js';
import { eventRoutes } from './http/surface-b/events.js';
import { testResultRoutes } from './http/surface-b/test-results.js';
import { testRunReads } from './http/surface-b/test-run-reads.js';
import { submissionRoutes } from './http/surface-b/test-runs.js';
import type { Serving as RouteServing } from './http/serve.js';
import { openStreams, type Streams } from './http/streams.js';
import { loadValidation } from './http/validate.js';
import { openTeamViews } from './http/views.js';
import { startProjector } from './projector.js';
import { version } from './version.js';

export type Serving = {
  url: string;
  /** Every route, as `METHOD /path`. */
  routes: readonly string[];
  stop(): Promise<void>;
};

const BODY_LIMIT = 1024 * 1024;
const BULK_LIMIT = 32 * 1024 * 1024;
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
  const { log: opened, views, state, alone } = await openForApi(config, onStop, report);

  const metrics = createMetrics({
    lag: async () => ({ [ledgerViews.name]: await lagSeconds(opened, views, ledgerViews.name, clock) }),
  });
  const log = measuredLog(config.validateEvents ? validatedLog(opened) : opened, metrics.append);
  const ledger = openLedger(log);
  const first = await firstStart(log, ledger, clock, config.bootstrapApiKey);
  if (first.made && first.key !== null) showFirstKey(first.key);
  if (!first.made && config.bootstrapApiKey !== null) {
    logger.warn('BOOTSTRAP_API_KEY is ignored: the log is not empty');
  }

  const holder = { boot: randomUUID(), alone };
  if (config.roles.includes('projector')) onStop(startProjector({ config, holder }, logger));
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
  const bulkGate = openGate(BULK_GATE);
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
            state,
            blobs: api.blobs,
            holder,
            bulkGate,
            streams,
            metrics,
            report,
            onStop,
          }),
    open: [...health, ...(api?.files ? blobRoutes({ files: api.files, clock }) : [])],
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

type Core = {
  config: Config;
  log: EventLog;
  ledger: Ledger;
  views: ViewReader;
  state: State;
  /** For the routes of artifacts and for what deletes their bytes. */
  blobs: Blobs;
  holder: Holder;
  bulkGate: Gate;
  streams: Streams;
  metrics: Metrics;
  report: (error: unknown) => void;
  onStop: OnStop;
};

/** The role `api`. */
async function openSurfaces(core: Core): Promise<AppOptions['surfaces']> {
  const { config, log, ledger, views, state, blobs, holder, bulkGate, streams, metrics, report, onStop } =
    core;
  const freshness = openFreshness({ log, views, projection: ledgerViews.name, clock });
  onStop(
    keepHouse({ ledger, views, spec: ledgerViews, state, freshness, clock, runIdle: config.runIdle, report }),
  );
  const artifacts = openArtifacts({ ledger, blobs, clock, limits: config.artifacts });
  onStop(
    startJanitor({
      ledger: artifacts.ledger,
      blobs,
      state,
      feed: openFeed(log),
      holder,
      clock,
      report,
      metrics,
    }),
  );
  const directory = await openDirectory(log, report);
  onStop(() => directory.close());
  const keyUse = openKeyUse(state, clock, report);
  onStop(() => keyUse.close());
  const bulk = openBulk(report);
  onStop(() => bulk.close());
  const serving: RouteServing = {
    directory,
    limit: rateLimit(config.rateLimit),
    readBody: bodyReader(BODY_LIMIT),
    receiveBulk: bulkReceiver(bulkGate, bulk.read, BULK_LIMIT),
    idempotency: openIdempotency(state, holder, clock, report),
    freshness,
    validate: loadValidation(),
    streams,
    clock,
    publicUrl: config.publicUrl,
    used: keyUse.used,
  };
  const teamViews = openTeamViews(views, ledgerViews);
  return [
    {
      base: '/v1/test',
      routes: [
        ...projectRoutesA(teamViews),
        ...runRoutes(ledger, teamViews),
        ...resultRoutes(ledger, teamViews),
        ...artifactRoutes(artifacts, teamViews),
      ],
      serving,
    },
    {
      base: '/v1',
      routes: [
        ...projectRoutesB(ledger, teamViews),
        ...testRunReads(teamViews),
        ...testResultRoutes(teamViews),
        ...submissionRoutes(ledger, log),
        ...keyRoutes(ledger, directory, keyUse),
        ...eventRoutes(openReplay(log), loadEventSchemas()),
      ],
      serving,
    },
  ];
}

/** One JSON line for each event of the log; buffered, since a line a request must not cost a system call each. */
export function createLogger(level: string): { logger: Logger; flush: () => void } {
  const destination = pino.destination({ sync: false, minLength: 16_000 });
  const timer = setInterval(() => destination.flush(), 500).unref();
  const logger = pino({ level, serializers: { err: loggable } }, destination);
  return {
    logger,
    flush() {
      clearInterval(timer);
      destination.flushSync();
    },
  };
}

/** Without what libraries hang on their errors: one of them is the connection string, with its password. */
function loggable(error: unknown): unknown {
  if (!(error instanceof Error)) return error;
  // The cause's message and stack are in these already.
  const { type, message, stack } = pino.stdSerializers.err(error);
  const { code } = error as { code?: unknown };
  const errors = error instanceof AggregateError ? error.errors.map(loggable) : undefined;
  return { type, message, stack, code, errors };
}
