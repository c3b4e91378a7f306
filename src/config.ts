/**
 * The configuration of the server. Only this file reads and checks its environment variables; the command line, the client
 * and the demo read their own.
 */
import { resolve } from 'node:path';
import type { Adapter } from './adapters/adapter.js';
import { blobsAdapters, busAdapters, locate, logAdapters, viewsAdapters } from './adapters/registry.js';
import { withoutPassword } from './adapters/shared/urls.js';
import { plainSecrets, textOf } from './config-secrets.js';
import {
  bootstrapKey,
  cidrs,
  contactOf,
  duration,
  integer,
  issuerOf,
  oneOf,
  onOff,
  origins,
  publicUrlOf,
  scopeOf,
  secretKeyOf,
} from './config-values.js';
import { groupRolesOf, type GroupRole } from './people/oidc/roles-by-group.js';
import type { ProviderConfig } from './people/oidc/identity-provider.js';

const roles = ['api', 'projector', 'publisher', 'dispatcher'] as const;
export type Role = (typeof roles)[number];

/** A URL that one of the port's adapters has parsed without a fault. Plain data, so that it crosses to threads. */
export type StoreUrl = string;

export type Config = {
  host: string;
  port: number;
  /** The event log. */
  events: StoreUrl;
  /** The read models, the state and the deliveries. */
  views: StoreUrl;
  /** The files of artifacts. */
  blobs: StoreUrl;
  /** NATS, over which several servers tell each other of messages and of rate limits. Null: there is none. */
  bus: StoreUrl | null;
  /** The CIDRs of private networks that webhooks may be sent to. */
  webhookAllow: readonly string[];
  /** Milliseconds after which a finished delivery is deleted. */
  webhookHistoryMs: number;
  /** Signs URLs, and seals what is in the state. Null: the server makes a key and keeps it in `dataDir`. */
  secretKey: string | null;
  /** What it has sealed and signed is still read. Null: there is none. */
  previousSecretKey: string | null;
  dataDir: string;
  /** The scheme, host and port by which clients reach this server. Null: those of each request. */
  publicUrl: string | null;
  /** The URI to which a finder of a weakness writes (`/.well-known/security.txt`). Null: none is named. */
  securityContact: string | null;
  /** The CIDRs of proxies whose word on the address of a client counts. */
  trustedProxies: readonly string[];
  /** The origins whose pages may use this server from a browser. */
  corsOrigins: readonly string[];
  artifacts: {
    /** The origin at which files may run scripts: it leads to this server too. Null: they are downloads. */
    origin: string | null;
    /** Milliseconds after which a result takes no more artifacts. */
    maxResultAgeMs: number;
    /** Milliseconds after which an artifact is deleted. */
    ttlMs: number;
    /** Milliseconds after which an upload URL expires. */
    uploadTtlMs: number;
  };
  roles: readonly Role[];
  bootstrapApiKey: string | null;
  /** Points per second and key (docs/api.md). */
  rateLimit: number | 'off';
  /** Milliseconds after which an idle run is completed. */
  runIdle: number | 'off';
  /** Milliseconds after the sign-in, by a password or by the provider, at which a session ends, however often it is used. */
  sessionMaxMs: number;
  oidcSessionMaxMs: number;
  /** `/metrics/tests` is there. */
  testMetrics: boolean;
  /** The identity provider by which people may sign in; null without one. */
  oidc: OidcConfig | null;
  validateEvents: boolean;
  logLevel: string;
};

/** `team`: in which the groups of a person give them a role; null for the operator's team. */
export type OidcConfig = ProviderConfig & { name: string; team: string | null; roles: readonly GroupRole[] };

type Env = Readonly<Record<string, string | undefined>>;

/** Reads the configuration. Connects to nothing. @throws Error that names every wrong value at once. */
export function readConfig(env: Env): Config {
  const wrong: string[] = [];
  const read = <T>(name: string, fallback: string, parse: (text: string) => T): T => {
    let text = '';
    try {
      text = textOf(env, name) || fallback;
      return parse(text);
    } catch (error) {
      const shown = plainSecrets.has(name) || text === '' ? '(not shown)' : `"${withoutPassword(text)}"`;
      wrong.push(`${name}=${shown}: ${(error as Error).message}`);
      return undefined as T;
    }
  };
  const dataDir = read('DATA_DIR', './data', (text) => resolve(text));
  const config: Config = {
    host: read('HOST', '127.0.0.1', (text) => text),
    port: read('PORT', '8080', (text) => integer(text, 0, 65_535)),
    events: read('EVENTS_URL', `file:${dataDir}`, urlFor(logAdapters)),
    views: read('VIEWS_URL', `file:${dataDir}`, urlFor(viewsAdapters)),
    blobs: read('BLOBS_URL', `file:${dataDir}`, urlFor(blobsAdapters)),
    bus: read('BUS_URL', '', busUrlOf),
    webhookAllow: read('WEBHOOK_ALLOW', '', cidrs),
    webhookHistoryMs: read('WEBHOOK_HISTORY', 'P30D', duration),
    secretKey: read('SECRET_KEY', '', secretKeyOf),
    previousSecretKey: read('SECRET_KEY_PREVIOUS', '', secretKeyOf),
    dataDir,
    publicUrl: read('PUBLIC_URL', '', publicUrlOf),
    securityContact: read('SECURITY_CONTACT', '', contactOf),
    trustedProxies: read('TRUSTED_PROXIES', '', cidrs),
    corsOrigins: read('CORS_ORIGINS', '', origins),
    artifacts: {
      origin: read('ARTIFACTS_ORIGIN', '', publicUrlOf),
      maxResultAgeMs: read('ARTIFACT_MAX_RESULT_AGE', 'P7D', duration),
      ttlMs: read('ARTIFACT_TTL', 'P30D', duration),
      uploadTtlMs: read('UPLOAD_TTL', 'PT1H', duration),
    },
    roles: read('ROLES', 'all', rolesOf),
    bootstrapApiKey: read('BOOTSTRAP_API_KEY', '', bootstrapKey),
    rateLimit: read('RATE_LIMIT', '200', (text) => (text === 'off' ? text : integer(text, 1, 1_000_000))),
    runIdle: read('RUN_IDLE', 'PT24H', (text) => (text === 'off' ? text : duration(text, ', or off'))),
    sessionMaxMs: read('SESSION_MAX', 'P30D', duration),
    oidcSessionMaxMs: read('OIDC_SESSION_MAX', 'PT12H', duration),
    oidc: null,
    testMetrics: read('TEST_METRICS', 'off', onOff),
    validateEvents: read('VALIDATE_EVENTS', 'off', onOff),
    logLevel: read('LOG_LEVEL', 'info', (text) => oneOf(text, ['debug', 'info', 'warn', 'error', 'silent'])),
  };
  const issuer = read('OIDC_ISSUER', '', issuerOf);
  const oidc = {
    issuer,
    clientId: read('OIDC_CLIENT_ID', '', (text) => text),
    clientSecret: read('OIDC_CLIENT_SECRET', '', (text) => text || null),
    scope: read('OIDC_SCOPE', 'openid email profile', scopeOf),
    groupsClaim: read('OIDC_GROUPS_CLAIM', 'groups', (text) => text),
    trustEmail: read('OIDC_TRUST_EMAIL', 'off', onOff),
    name: read('OIDC_NAME', 'single sign-on', (text) => text),
    team: read('OIDC_TEAM', '', (text) => text || null),
    roles: read('OIDC_ROLES', '', groupRolesOf),
  };
  if (issuer !== '') config.oidc = oidc;
  if (issuer !== '' && oidc.clientId === '') wrong.push('OIDC_CLIENT_ID: must be set with OIDC_ISSUER');
  // After a wrong value there is none to look at.
  if (wrong.length === 0 && needsAllRoles(config) && roles.some((role) => !config.roles.includes(role))) {
    wrong.push(
      'ROLES: must be all when the log is in files, because no second process could have the other roles',
    );
  }
  wrong.push(...contradictionsIn(config, env));
  if (wrong.length > 0) throw new Error(`the configuration is not valid:\n  ${wrong.join('\n  ')}`);
  return config;
}

function contradictionsIn(config: Config, env: Env): string[] {
  const wrong: string[] = [];
  if (config.secretKey != null && config.secretKey === config.previousSecretKey) {
    wrong.push('SECRET_KEY_PREVIOUS: is the same as SECRET_KEY');
  }
  if (config.secretKey === null && needsSecret(config)) {
    wrong.push('SECRET_KEY: must be set when the log, the views or the files are on a server');
  }
  if (!env['BLOBS_URL'] && !env['BLOBS_URL_FILE'] && needsBlobs(config)) {
    wrong.push(
      'BLOBS_URL: must be set when the log or the views are on a server: s3://<bucket>, ' +
        'or file:<folder> with a folder that all processes share',
    );
  }
  if (config.artifacts?.origin != null && config.artifacts.origin === config.publicUrl) {
    wrong.push(
      'ARTIFACTS_ORIGIN: must not be PUBLIC_URL, because the files of reports could then act as the pages',
    );
  }
  return wrong;
}

/** Checks a URL with the adapter of its scheme, and leaves it as it is. */
function urlFor(adapters: readonly Adapter<unknown>[]): (text: string) => StoreUrl {
  return (text) => {
    locate(adapters, text);
    return text;
  };
}

function busUrlOf(text: string): StoreUrl | null {
  return text === '' ? null : urlFor(busAdapters)(text);
}

/**
 * Several processes may share a store that is on a server. With a key of its own, each would sign URLs that the others
 * refuse.
 */
function needsSecret({ events, views, blobs }: Config): boolean {
  return (
    isOnServer(logAdapters, events) || isOnServer(viewsAdapters, views) || isOnServer(blobsAdapters, blobs)
  );
}

/** A folder has one server. */
function needsAllRoles({ events }: Config): boolean {
  return !isOnServer(logAdapters, events);
}

/**
 * Several processes may share a log and views that are on a server. With the default, each would keep the files of
 * artifacts on a disk of its own, and a download would fail on every process but one.
 */
function needsBlobs({ events, views }: Config): boolean {
  return isOnServer(logAdapters, events) || isOnServer(viewsAdapters, views);
}

/** False for a URL that is wrong: `read` has noted that already. */
function isOnServer(
  adapters: readonly Adapter<{ folder: string | null }>[],
  url: StoreUrl | undefined,
): boolean {
  return url !== undefined && locate(adapters, url).folder === null;
}

function rolesOf(text: string): Role[] {
  if (text === 'all') return [...roles];
  return text.split(',').map((role) => oneOf(role.trim(), roles) as Role);
}
