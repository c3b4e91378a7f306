/**
 * The role `api`, in the main thread: the routes of both surfaces, the pages, and beside them two loops of background
 * work. It appends to the log and reads the views; idempotency keys, key use and leases are in State. Large submissions
 * are read in the thread `bulk`.
 */
import { records } from '../../projections/records/records.js';
import { history } from '../../projections/history/history.js';
import { secretKeysOf } from '../adapters/files/secret-key.js';
import { openBlobs } from '../adapters/open.js';
import { openAdmission, type Admission } from '../admission/admission.js';
import { systemClock as clock } from '../clock.js';
import { openArtifacts } from '../commands/artifacts.js';
import { openIdempotency } from '../commands/idempotency.js';
import { openDashboard } from '../dashboard/dashboard.js';
import { partitionOf } from '../domain/partition.js';
import { apartOf } from '../http/apart.js';
import type { AppOptions } from '../http/app.js';
import { openStreams } from '../http/backpressure/streams.js';
import { blobRoutes } from '../http/blobs/routes.js';
import { bodyReader } from '../http/bodies/body.js';
import { contentKey, openContentHash } from '../secret-key/content-hash.js';
import type { SecretKeys } from '../secret-key/secret-keys.js';
import { openReadHere } from '../http/bulk/read-here.js';
import { bulkReceiver } from '../http/bulk/receive.js';
import type { RouteServices } from '../http/handle-request.js';
import { rateLimit } from '../http/backpressure/rate-limit.js';
import { openSources } from '../http/sources.js';
import type { OpenRoute } from '../http/route.js';
import { ciTokenRoutes } from '../http/surface-b/trusts.js';
import { surfacesOf } from '../http/surfaces.js';
import { testMetricsSurface } from '../http/statistics/test-metrics.js';
import { openUploadCounts } from '../http/backpressure/upload-counts.js';
import { loadValidation, type Validate } from '../http/bodies/validate.js';
import { openApiKeys, type ApiKeys } from '../keys/api-keys.js';
import { openKeyUse, type KeyUse } from '../keys/key-use.js';
import { limits } from '../limits.js';
import { oneClient } from '../people/client.js';
import { openUnmaskedFiles } from '../redaction/unmasked-files.js';
import { openArtifactText } from '../programs/artifact-text.js';
import { mcpSurface } from '../programs/mcp-surface.js';
import { openFreshness, type FreshnessOf } from '../projecting/freshness.js';
import { openSharing } from '../sharing/sharing.js';
import { openBuildKeys, withBuildKeys, type BuildKeys } from '../trusts/build-keys.js';
import { openIsForgotten } from '../redaction/stored-answers.js';
import { openExchange } from '../trusts/exchange.js';
import { openExchangeLimits } from '../trusts/exchange-limits.js';
import { openFetchJson } from '../trusts/fetch-json.js';
import { openIssuerKeys } from '../trusts/issuer-keys.js';
import { UNKNOWN } from '../domain/audit/actor.js';
import { openAuditOf, type AuditParts } from './audit.js';
import { startBackgroundWork } from './background.js';
import { openBulk } from './bulk.js';
import { openPastsThread } from './pasts.js';
import type { Core } from './core.js';
import { readOperations } from './operations.js';
import { foldAtStart } from './fold-at-start.js';
import { newFirstStart, openPeopleOf } from './people.js';

export type Api = {
  surfaces: AppOptions['surfaces'];
  /** Routes without a key. */
  open: AppOptions['open'];
  pages: AppOptions['pages'];
  missingPage: AppOptions['missingPage'];
  /** The token of the link that makes the first owner, where one is needed. */
  newFirstStart(): Promise<string | null>;
  /** Ends the work that would outlast a stop: streams, and submissions that wait for a slot. */
  drain(): void;
};

/** The keys of teams and of builds, and who used them last. */
async function openKeys({ storedLog, state, commands, report, onStop }: Core) {
  const builds = openBuildKeys({ state, commands, clock });
  const teamKeys = await openApiKeys(storedLog, { report, state, clock });
  onStop(() => teamKeys.close());
  void foldAtStart(commands, teamKeys, report);
  const keyUse = openKeyUse(state, clock, report);
  onStop(() => keyUse.close());
  return { builds, apiKeys: withBuildKeys(teamKeys, builds), keyUse };
}

/** Opens what the routes need, starts the background work, and returns the routes. */
export async function openApi(core: Core): Promise<Api> {
  const { config, log, commands, views, historyViews, state, report, onStop } = core;
  const { blobs, files, filesOrigin } = await openBlobs(config, onStop, clock);
  const mayGive = openUnmaskedFiles(core.masks, blobs);
  const apart = apartOf(config, files !== null);
  const freshness = {
    records: openFreshness({ log, views, projection: records.name, clock }),
    history: openFreshness({ log, views: historyViews, projection: history.name, clock }),
  };
  const { marked } = core.contents;
  const artifacts = openArtifacts({ commands, blobs, clock, limits: config.artifacts, marked });
  const secretKeys = await secretKeysOf(config);
  const sharing = openSharing({ state, commands, clock });
  const work = { freshness: freshness.records, artifactCommands: artifacts.commands, blobs, secretKeys };
  startBackgroundWork(core, { ...work, sharing });
  const admission = openAdmission();
  const { builds, apiKeys, keyUse } = await openKeys(core);
  const told = openAuditOf(core, { apiKeys, secretKeys });
  const people = await openPeopleOf(core, { directory: apiKeys, secretKeys, admission, told });
  const services = openServices(core, { admission, apiKeys, keyUse, freshness, secretKeys, told });
  const { webhookAllow, webhookHistoryMs, publicUrl } = config;
  const settings = { secretKeys, webhookAllow, webhookHistoryMs, publicUrl };
  const pasts = openPastsThread(config, report);
  onStop(() => pasts.close());
  const sources = openSources({
    ...core,
    ...settings,
    artifacts,
    mayGive,
    apiKeys,
    builds,
    sharing,
    pasts,
    audit: told.audit,
    keyUse,
    freshness,
    admission,
    personName: people.nameOf,
    clientIn: told.clients.open,
  });
  const surfaces = surfacesOf(sources, services);
  if (config.testMetrics) surfaces.push(testMetricsSurface(sources, services));
  const positionOf = (team: string) => historyViews.position(history.name, { partition: partitionOf(team) });
  const artifactText = openArtifactText(sources.views, blobs);
  surfaces.push(mcpSurface(surfaces, { positionOf, artifactText }));
  const { close: closePages, ...dashboard } = openDashboard({
    people,
    directory: apiKeys,
    server: { operations: () => readOperations(core), uploads: services.uploads.of },
    surfaces,
    admission,
    rateLimit: services.rateLimit,
    publicUrl: config.publicUrl,
    trustedProxies: config.trustedProxies,
    secretKeys,
    sharing,
    linkUsed: ({ team_id: team, id }, client) =>
      told.firstUses.used(
        { act: 'link_used', subject: { type: 'link', id }, team, actor: UNKNOWN, person: null, daily: true },
        client,
      ),
    files: { origin: filesOrigin, untrustedOrigin: apart.origin, onLoopback: apart.onLoopback },
    positionOf,
    report,
  });
  return {
    surfaces,
    ...dashboard,
    open: [
      ...openTrusts(core, builds, services.validate, told),
      ...(files === null ? [] : blobRoutes({ files, clock, admission, apart, mayGive })),
    ],
    newFirstStart: () => newFirstStart(people, report),
    drain() {
      admission.close('submissions');
      services.streams.stop();
      closePages();
    },
  };
}

/** The exchange of tokens, whose issuers are asked through the address filter of webhooks. */
function openTrusts(
  { config, commands, views, points, onStop }: Core,
  builds: BuildKeys,
  validate: Validate,
  { tallies }: AuditParts,
): OpenRoute[] {
  const { fetchJson, close } = openFetchJson({ allow: config.webhookAllow });
  onStop(async () => close());
  const exchange = openExchange({
    commands,
    views,
    builds,
    keys: openIssuerKeys(fetchJson),
    allowance: openExchangeLimits(oneClient, points('ci-token')),
    count: tallies.count,
    clock,
  });
  return ciTokenRoutes(exchange, { validate, trustedProxies: config.trustedProxies });
}

type Parts = {
  admission: Admission;
  apiKeys: ApiKeys;
  keyUse: KeyUse;
  freshness: FreshnessOf;
  secretKeys: SecretKeys;
  told: AuditParts;
};

/** What every request passes. */
function openServices(
  { config, state, contents, masks, holder, report, points, onStop }: Core,
  { admission, apiKeys, keyUse, freshness, secretKeys, told }: Parts,
): RouteServices {
  const bulk = openBulk(report, { contentKey: contentKey(secretKeys) });
  onStop(() => bulk.close());
  return {
    keys: apiKeys,
    rateLimit: rateLimit(config.rateLimit, points('rate-limit')),
    readBody: bodyReader(limits.bodyBytes),
    receiveBulk: bulkReceiver({
      admission,
      read: bulk.read,
      readHere: openReadHere(openContentHash(secretKeys)),
      limit: limits.submissionBytes,
      smallBytes: limits.bodyBytes,
    }),
    readSubmission: bulk.read,
    admission,
    idempotency: openIdempotency(state, holder, clock, report, openIsForgotten(contents, masks)),
    uploads: openUploadCounts(clock, points('uploads')),
    freshness,
    validate: loadValidation(),
    streams: openStreams(),
    clock,
    publicUrl: config.publicUrl,
    keyUsed(key, client) {
      // The keys of builds are too many, and live too short, to be followed.
      if (key.build !== undefined) return;
      const { key_id, team_id: team, person_id: person } = key;
      keyUse.used(key_id);
      const subject = { type: 'key', id: key_id };
      told.firstUses.used({ act: 'key_first_used', subject, team, actor: key_id, person }, client);
    },
    sealClient: told.clients.seal,
  };
}
