/**
 * The role `api`, in the main thread: the routes of both surfaces, and beside them two loops of background work. It
 * appends to the log and reads the views; idempotency keys, key use and leases are in State. Large submissions are read
 * in the thread `bulk`.
 */
import { ledgerViews } from '../../projections/index.js';
import { outbox } from '../../projections/outbox.js';
import { openAdmission } from '../admission/admission.js';
import { secretOf } from '../adapters/files/secret-key.js';
import { openBlobs } from '../adapters/open.js';
import { systemClock as clock } from '../clock.js';
import { openArtifacts, type Artifacts } from '../commands/artifacts.js';
import { openIdempotency } from '../commands/idempotency.js';
import { serializeByStream } from '../commands/serialize-by-stream.js';
import { openDashboard } from '../dashboard/dashboard.js';
import { partitionOf } from '../domain/partition.js';
import type { AppOptions } from '../http/app.js';
import { blobRoutes } from '../http/blobs/routes.js';
import { bodyReader } from '../http/body.js';
import { openReadHere } from '../http/bulk/read-here.js';
import { bulkReceiver } from '../http/bulk/receive.js';
import type { RouteServices } from '../http/handle-request.js';
import { rateLimit } from '../http/rate-limit.js';
import { openStreams } from '../http/backpressure/streams.js';
import { artifactRoutes } from '../http/surface-a/artifacts.js';
import { projectReadRoutes } from '../http/surface-a/projects.js';
import { resultRoutes } from '../http/surface-a/results.js';
import { runRoutes } from '../http/surface-a/runs.js';
import { renderLive } from '../http/surface-b/event-streams.js';
import { eventRoutes } from '../http/surface-b/events.js';
import { historyRoutes } from '../http/surface-b/histories.js';
import { keyRoutes } from '../http/surface-b/keys.js';
import { failureRoutes } from '../http/surface-b/failures.js';
import { comparisonRoutes } from '../http/surface-b/comparisons.js';
import { knownFailureRoutes } from '../http/surface-b/known-failures.js';
import { overviewRoutes } from '../http/surface-b/project-overviews.js';
import { projectRoutes } from '../http/surface-b/projects.js';
import { showingResults } from '../http/surface-b/result-records.js';
import { testResultRoutes } from '../http/surface-b/test-results.js';
import { testRunReads } from '../http/surface-b/test-run-reads.js';
import { submissionRoutes } from '../http/surface-b/test-runs.js';
import { testHistoryRoutes, testRoutes } from '../http/surface-b/tests.js';
import { deliveryRoutes } from '../http/surface-b/webhook-deliveries.js';
import { webhookRoutes } from '../http/surface-b/webhooks.js';
import { openUploadCounts } from '../http/upload-counts.js';
import { loadValidation } from '../http/validate.js';
import { openApiKeys, type ApiKeys } from '../keys/api-keys.js';
import { openKeyUse, type KeyUse } from '../keys/key-use.js';
import { isLedgerError } from '../errors.js';
import { limits } from '../limits.js';
import { openFreshness, type Freshness } from '../projecting/freshness.js';
import { openActorNames } from '../queries/actor-names.js';
import { openFailureFacts } from '../queries/failure-facts.js';
import { openFailureQueries } from '../queries/failure-queries.js';
import { openGroupOutcomes } from '../queries/group-outcomes.js';
import { openSearchRun } from '../queries/search-run.js';
import { openComparisons } from '../queries/comparisons.js';
import { openHistories } from '../queries/histories.js';
import { openTeamViews } from '../queries/team-views.js';
import { openLastRuns } from '../queries/last-runs.js';
import { openTestQueries } from '../queries/test-queries.js';
import type { OidcConfig } from '../config.js';
import { OPERATOR_TEAM } from '../commands/teams.js';
import type { ExternalSignInOptions } from '../people/oidc/external-sign-in.js';
import { openPeople } from '../people/open-people.js';
import type { People } from '../people/people.js';
import { loadEventSchemas } from '../replay/event-schemas.js';
import { openReplay } from '../replay/replay.js';
import { openSecrets } from '../webhooks/endpoint/secrets.js';
import { openWebhooks } from '../webhooks/endpoint/webhooks.js';
import { startBackgroundWork } from './background.js';
import { openBulk } from './bulk.js';
import type { Core } from './core.js';
import { readOperations } from './operations.js';

export type Api = {
  surfaces: AppOptions['surfaces'];
  /** Routes without a key. */
  open: AppOptions['open'];
  pages: AppOptions['pages'];
  /**
   * The token of the link that makes the first owner. Null where the operator's team has an owner, and where the state is
   * away: the server then starts without a link, because writes need no state. The next start makes one.
   */
  newFirstStart(): Promise<string | null>;
  /** Ends the work that would outlast a stop: streams, and submissions that wait for a slot. */
  drain(): void;
};

/** Opens what the routes need, starts the background work, and returns the routes. */
export async function openApi(core: Core): Promise<Api> {
  const { config, onStop, points } = core;
  const { blobs, files, filesOrigin } = await openBlobs(config, onStop, clock);
  const freshness = openFreshness({ log: core.log, views: core.views, projection: ledgerViews.name, clock });
  const artifacts = openArtifacts({ ledger: core.ledger, blobs, clock, limits: config.artifacts });
  startBackgroundWork(core, { freshness, artifactLedger: artifacts.ledger, blobs });
  const admission = openAdmission();
  const streams = openStreams();
  const directory = await openApiKeys(core.storedLog, { report: core.report, state: core.state, clock });
  onStop(() => directory.close());
  const secretKey = await secretOf(config);
  const external = config.oidc && (await externalSignIn(config.oidc, core.notice));
  const people = openPeople({
    ...core,
    directory,
    secretKey,
    clock,
    admission,
    external,
    signInPoints: points('sign-in'),
  });
  const keyUse = openKeyUse(core.state, clock, core.report);
  onStop(() => keyUse.close());
  const bulk = openBulk(core.report);
  onStop(() => bulk.close());
  const services: RouteServices = {
    keys: directory,
    rateLimit: rateLimit(config.rateLimit, points('rate-limit')),
    readBody: bodyReader(limits.bodyBytes),
    receiveBulk: bulkReceiver({
      admission,
      read: bulk.read,
      readHere: openReadHere(),
      limit: limits.submissionBytes,
      smallBytes: limits.bodyBytes,
    }),
    admission,
    idempotency: openIdempotency(core.state, core.holder, clock, core.report),
    uploads: openUploadCounts(clock, points('uploads')),
    freshness,
    validate: loadValidation(),
    streams,
    clock,
    publicUrl: config.publicUrl,
    keyUsed: keyUse.used,
  };
  const surfaces = await surfacesOf(core, { services, artifacts, directory, keyUse, people, secretKey });
  const dashboard = openDashboard({
    people,
    server: { operations: () => readOperations(core), uploads: services.uploads.of },
    surfaces,
    admission,
    rateLimit: services.rateLimit,
    publicUrl: config.publicUrl,
    trustedProxies: config.trustedProxies,
    secretKey,
    files: { origin: filesOrigin, untrustedOrigin: files === null ? null : config.artifacts.origin },
    positionOf: (team) => core.outboxViews.position(outbox.name, { partition: partitionOf(team) }),
    report: core.report,
  });
  return {
    surfaces,
    pages: dashboard.routes,
    open: files === null ? [] : blobRoutes({ files, clock, admission, apartAt: config.artifacts.origin }),
    newFirstStart: () => people.newFirstStart().catch(withoutFirstStart),
    drain() {
      admission.close('submissions');
      streams.stop();
      dashboard.close();
    },
  };

  function withoutFirstStart(error: unknown): null {
    if (!isLedgerError(error, 'state_unavailable')) throw error;
    core.report(
      new Error('no link for a first owner was made: start again when the state answers', { cause: error }),
    );
    return null;
  }
}

/** The library is loaded only where a provider is set up. */
async function externalSignIn(
  oidc: OidcConfig,
  notice: (text: string) => void,
): Promise<ExternalSignInOptions> {
  const { openIdentityProvider } = await import('../people/oidc/identity-provider.js');
  const { name, team, roles } = oidc;
  return { provider: openIdentityProvider(oidc, notice), name, team: team ?? OPERATOR_TEAM, roles };
}

type Parts = {
  services: RouteServices;
  artifacts: Artifacts;
  directory: ApiKeys;
  keyUse: KeyUse;
  people: People;
  secretKey: string;
};

/** The routes of both surfaces. */
async function surfacesOf(
  { config, log, ledger, views, outboxViews, state, deliveries }: Core,
  { services, artifacts, directory, keyUse, people, secretKey }: Parts,
): Promise<AppOptions['surfaces']> {
  const teamViews = openTeamViews(views, ledgerViews);
  const inTurn = serializeByStream(ledger);
  const secrets = openSecrets(state, secretKey);
  const webhooks = openWebhooks({ ledger, state, deliveries, secrets });
  const actors = openActorNames(ledger, people.nameOf);
  const tests = openTestQueries({ ledger, actors, results: teamViews }, outboxViews);
  const comparisons = openComparisons(outboxViews, services.admission);
  const histories = openHistories({ actors, log, views: outboxViews, deliveries });
  // The outbox and the histories of tests have a checkpoint of their own.
  const published = openFreshness({ log, views: outboxViews, projection: outbox.name, clock });
  const both: Freshness = async (team) =>
    Math.max(...(await Promise.all([services.freshness(team), published(team)])));
  const facts = openFailureFacts(outboxViews);
  const showResults = showingResults(facts, published);
  const showCurrent = showingResults(facts, null);
  const failures = openFailureQueries(outboxViews, comparisons.baselineOf);
  const outcomes = openGroupOutcomes(teamViews, outboxViews);
  return [
    {
      base: '/v1/test',
      routes: [
        ...projectReadRoutes(teamViews),
        ...runRoutes(inTurn, teamViews),
        ...resultRoutes({ ledger, inTurn }, log, teamViews),
        ...artifactRoutes(artifacts, teamViews),
      ],
      services,
    },
    {
      base: '/v1',
      routes: [
        ...projectRoutes(inTurn, teamViews),
        ...testResultRoutes({ views: teamViews, search: openSearchRun(outboxViews), published }, showResults),
        ...submissionRoutes({ ledger, inTurn }, log, teamViews),
        ...keyRoutes(ledger, directory, keyUse),
        ...webhookRoutes(webhooks, teamViews, config.webhookAllow),
        ...deliveryRoutes({
          webhooks,
          deliveries,
          views: outboxViews,
          historyMs: config.webhookHistoryMs,
          freshness: published,
        }),
        ...historyRoutes(histories, services.admission),
        ...eventRoutes({
          replay: openReplay(log, renderLive),
          admission: services.admission,
          schemas: loadEventSchemas(),
        }),
      ],
      services,
    },
    {
      base: '/v1',
      routes: [
        ...testHistoryRoutes(tests, teamViews, showCurrent),
        ...overviewRoutes(teamViews, tests),
        ...testRunReads(teamViews, comparisons),
        ...comparisonRoutes(comparisons, teamViews, showCurrent),
        ...failureRoutes({ failures, outcomes, views: teamViews, showResults: showCurrent }),
      ],
      services: { ...services, freshness: both },
    },
    {
      base: '/v1',
      routes: [...testRoutes(tests, openLastRuns(outboxViews)), ...knownFailureRoutes(ledger, tests)],
      services: { ...services, freshness: published },
    },
  ];
}
