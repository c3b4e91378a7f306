/** The role `api`: both surfaces, and what is done by the clock beside them. */
import { ledgerViews } from '../../projections/index.js';
import { outbox } from '../../projections/publication.js';
import { type OnStop } from '../adapters/open.js';
import { openBulk } from './bulk.js';
import type { Config } from '../config.js';
import { systemClock as clock } from '../clock.js';
import { openArtifacts } from '../commands/artifacts.js';
import { openApiKeys } from '../keys/api-keys.js';
import { openFeed } from '../log/feed.js';
import { openFreshness, type Freshness } from '../projecting/freshness.js';
import { keepHouse } from '../commands/idle-runs.js';
import { openIdempotency } from '../commands/idempotency.js';
import { startJanitor } from '../artifacts/janitor.js';
import { openKeyUse } from '../keys/key-use.js';
import type { Holder } from '../leases/lease.js';
import { openTests } from '../queries/tests.js';
import { type Ledger } from '../commands/ledger.js';
import type { Blobs } from '../ports/blobs.js';
import type { Deliveries } from '../ports/deliveries.js';
import type { EventLog } from '../ports/event-log.js';
import type { State } from '../ports/state.js';
import type { ViewReader } from '../ports/views.js';
import { type AppOptions } from '../http/app.js';
import { loadEventSchemas } from '../replay/event-schemas.js';
import { openRendering } from '../webhooks/outbox/rendering.js';
import { openReplay } from '../replay/replay.js';
import { openSecrets } from '../webhooks/endpoint/secrets.js';
import { openWebhooks } from '../webhooks/endpoint/webhooks.js';
import { bodyReader } from '../http/body.js';
import { type BulkGate } from '../http/bulk/gate.js';
import { bulkReceiver } from '../http/bulk/receive.js';
import { type Metrics } from '../http/metrics.js';
import { rateLimit } from '../http/rate-limit.js';
import { artifactRoutes } from '../http/surface-a/artifacts.js';
import { projectRoutes as projectRoutesA } from '../http/surface-a/projects.js';
import { resultRoutes } from '../http/surface-a/results.js';
import { runRoutes } from '../http/surface-a/runs.js';
import { eventRoutes } from '../http/surface-b/events.js';
import { keyRoutes } from '../http/surface-b/keys.js';
import { projectRoutes as projectRoutesB } from '../http/surface-b/projects.js';
import { testResultRoutes } from '../http/surface-b/test-results.js';
import { testRunReads } from '../http/surface-b/test-run-reads.js';
import { submissionRoutes } from '../http/surface-b/test-runs.js';
import { testHistoryRoutes, testRoutes } from '../http/surface-b/tests.js';
import { deliveryRoutes } from '../http/surface-b/webhook-deliveries.js';
import { webhookRoutes } from '../http/surface-b/webhooks.js';
import type { RouteServices } from '../http/handle-request.js';
import type { Streams } from '../http/streams.js';
import { loadValidation } from '../http/validate.js';
import { openTeamViews } from '../queries/team-views.js';
import { limits } from '../limits.js';

export type Core = {
  config: Config;
  log: EventLog;
  ledger: Ledger;
  views: ViewReader;
  /** With the publication. */
  publicationViews: ViewReader;
  state: State;
  deliveries: Deliveries;
  /** Of this server: webhooks' secrets are encrypted with a key that follows from it. */
  secret: string;
  /** For the routes of artifacts and for what deletes their bytes. */
  blobs: Blobs;
  holder: Holder;
  bulkGate: BulkGate;
  streams: Streams;
  metrics: Metrics;
  report: (error: unknown) => void;
  onStop: OnStop;
};

/** Opens what the role needs, and answers the routes of both surfaces. */
export async function openSurfaces(core: Core): Promise<AppOptions['surfaces']> {
  const { config, log, ledger, views, state, deliveries, blobs, holder } = core;
  const { publicationViews, bulkGate, streams, metrics, report, onStop } = core;
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
  const directory = await openApiKeys(log, report);
  onStop(() => directory.close());
  const keyUse = openKeyUse(state, clock, report);
  onStop(() => keyUse.close());
  const bulk = openBulk(report);
  onStop(() => bulk.close());
  const services: RouteServices = {
    directory,
    limit: rateLimit(config.rateLimit),
    readBody: bodyReader(limits.bodyBytes),
    receiveBulk: bulkReceiver(bulkGate, bulk.read, limits.submissionBytes),
    idempotency: openIdempotency(state, holder, clock, report),
    freshness,
    validate: loadValidation(),
    streams,
    clock,
    publicUrl: config.publicUrl,
    used: keyUse.used,
  };
  const teamViews = openTeamViews(views, ledgerViews);
  const webhooks = openWebhooks({ ledger, state, deliveries, secrets: openSecrets(state, core.secret) });
  const published = openFreshness({ log, views: publicationViews, projection: outbox.name, clock });
  const both: Freshness = async (team) =>
    Math.max(...(await Promise.all([freshness(team), published(team)])));
  const tests = openTests(ledger, publicationViews);
  return [
    {
      base: '/v1/test',
      routes: [
        ...projectRoutesA(teamViews),
        ...runRoutes(ledger, teamViews),
        ...resultRoutes(ledger, teamViews),
        ...artifactRoutes(artifacts, teamViews),
      ],
      services,
    },
    {
      base: '/v1',
      routes: [
        ...projectRoutesB(ledger, teamViews),
        ...testRunReads(teamViews),
        ...testResultRoutes(teamViews),
        ...submissionRoutes(ledger, log),
        ...keyRoutes(ledger, directory, keyUse),
        ...webhookRoutes(webhooks, teamViews, config.webhookAllow),
        ...deliveryRoutes({
          webhooks,
          deliveries,
          views: publicationViews,
          render: openRendering(log),
          historyMs: config.webhookHistoryMs,
          freshness: published,
        }),
        ...eventRoutes(openReplay(log), loadEventSchemas()),
      ],
      services,
    },
    { base: '/v1', routes: testRoutes(tests), services: { ...services, freshness: published } },
    { base: '/v1', routes: testHistoryRoutes(tests, teamViews), services: { ...services, freshness: both } },
  ];
}
