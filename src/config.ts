/** Configuration: environment variables, read and checked here and nowhere else. */
import { resolve } from 'node:path';
import ipaddr from 'ipaddr.js';
import { Duration } from 'luxon';
import { isApiKey } from './domain/api-key.js';

export const roles = ['api', 'projector', 'publisher', 'dispatcher'] as const;
export type Role = (typeof roles)[number];

/** Where the log lies: a folder of ours, or an EventStoreDB or KurrentDB. */
export type EventsStore = { kind: 'file'; folder: string } | { kind: 'esdb'; url: string };

/** Where the read models and the state lie: a folder of ours, or a MongoDB replica set. */
export type ViewsStore = { kind: 'file'; folder: string } | { kind: 'mongodb'; url: string };

/** Where the bytes of artifacts lie: a folder of ours, or a bucket of an S3 store. */
export type BlobsStore = { kind: 'file'; folder: string } | ({ kind: 's3' } & S3Store);

/** What carries messages from the publisher to the dispatcher: a file in `dataDir`, or NATS JetStream. */
export type BusStore = { kind: 'local' } | { kind: 'nats'; url: string };

export type S3Store = {
  bucket: string;
  /** Before every key: empty, or ends in a slash. */
  prefix: string;
  region: string;
  /** Of a store that is not Amazon's. */
  endpoint: string | null;
  /** Where clients reach the store, if that is elsewhere: URLs lead there, and a signature holds for one host only. */
  publicEndpoint: string | null;
  /** `<endpoint>/<bucket>/<key>` instead of `<bucket>.<endpoint>/<key>`. */
  pathStyle: boolean;
};

export type Config = {
  host: string;
  port: number;
  events: EventsStore;
  /** The read models, with the state. */
  views: ViewsStore;
  blobs: BlobsStore;
  bus: BusStore;
  /** CIDRs of one's own network that webhooks may be sent to. */
  webhookAllow: readonly string[];
  /** Milliseconds after which a finished delivery is forgotten. */
  webhookHistoryMs: number;
  /** What signs URLs: null for one that is made and kept in `dataDir`. */
  secretKey: string | null;
  dataDir: string;
  /** Scheme, host and port under which clients reach this server; null: as each request says. */
  publicUrl: string | null;
  artifacts: {
    /** Milliseconds: a result takes artifacts so long, an artifact lives so long, an upload URL is good so long. */
    maxResultAgeMs: number;
    ttlMs: number;
    uploadTtlMs: number;
  };
  roles: readonly Role[];
  bootstrapApiKey: string | null;
  /** Requests per second and key. */
  rateLimit: number | 'off';
  /** Milliseconds after which a run that nobody ended is completed. */
  runIdle: number | 'off';
  validateEvents: boolean;
  logLevel: string;
};

type Env = Readonly<Record<string, string | undefined>>;

/** @throws Error that names every wrong value at once. */
export function readConfig(env: Env): Config {
  const wrong: string[] = [];
  const read = <T>(name: string, fallback: string, parse: (text: string) => T): T => {
    // An empty variable is one that was not set: that is how compose files leave them.
    const text = env[name] || fallback;
    try {
      return parse(text);
    } catch (error) {
      const shown = name.endsWith('KEY') ? '(not shown)' : `"${withoutPassword(text)}"`;
      wrong.push(`${name}=${shown}: ${(error as Error).message}`);
      return undefined as T;
    }
  };
  const dataDir = read('DATA_DIR', './data', (text) => resolve(text));
  const config: Config = {
    host: read('HOST', '127.0.0.1', (text) => text),
    port: read('PORT', '8080', (text) => integer(text, 0, 65_535)),
    events: read('EVENTS_URL', `file:${dataDir}`, eventsUrl),
    views: read('VIEWS_URL', `file:${dataDir}`, viewsUrl),
    blobs: read('BLOBS_URL', `file:${dataDir}`, blobsUrl),
    bus: read('BUS_URL', 'local:', busUrl),
    webhookAllow: read('WEBHOOK_ALLOW', '', cidrs),
    webhookHistoryMs: read('WEBHOOK_HISTORY', 'P30D', duration),
    secretKey: read('SECRET_KEY', '', secretKeyOf),
    dataDir,
    publicUrl: read('PUBLIC_URL', '', publicUrlOf),
    artifacts: {
      maxResultAgeMs: read('ARTIFACT_MAX_RESULT_AGE', 'P7D', duration),
      ttlMs: read('ARTIFACT_TTL', 'P30D', duration),
      uploadTtlMs: read('UPLOAD_TTL', 'PT1H', duration),
    },
    roles: read('ROLES', 'all', rolesOf),
    bootstrapApiKey: read('BOOTSTRAP_API_KEY', '', bootstrapKey),
    rateLimit: read('RATE_LIMIT', '200', (text) => (text === 'off' ? text : integer(text, 1, 1_000_000))),
    runIdle: read('RUN_IDLE', 'PT24H', (text) => (text === 'off' ? text : duration(text, ', or off'))),
    validateEvents: read('VALIDATE_EVENTS', 'off', onOff),
    logLevel: read('LOG_LEVEL', 'info', (text) => oneOf(text, ['debug', 'info', 'warn', 'error', 'silent'])),
  };
  if (config.secretKey === null && needsSecret(config)) {
    wrong.push('SECRET_KEY: must be set where the log, the views or the files are on shared servers');
  }
  if (wrong.length > 0) throw new Error(`the configuration is wrong:\n  ${wrong.join('\n  ')}`);
  return config;
}

function integer(text: string, least: number, most: number): number {
  const value = /^\d+$/.test(text) ? Number(text) : NaN;
  if (!(value >= least && value <= most)) throw new Error(`must be a whole number from ${least} to ${most}`);
  return value;
}

/** What may be shown of a connection string, also of one that is written wrongly. */
export function withoutPassword(url: string): string {
  return url.replace(/^([a-z\d+.-]*:)?(\/*).*@/is, '$1$2***@');
}

function eventsUrl(text: string): EventsStore {
  if (/^esdb(\+discover)?:\/\/[^/]/.test(text)) return { kind: 'esdb', url: text };
  return { kind: 'file', folder: folderOf(text, 'esdb://<server>') };
}

function viewsUrl(text: string): ViewsStore {
  if (/^mongodb(\+srv)?:\/\/[^/]/.test(text)) return { kind: 'mongodb', url: text };
  return { kind: 'file', folder: folderOf(text, 'mongodb://<server>') };
}

/** `s3://<bucket>[/<prefix>]?endpoint=…&public_endpoint=…&region=…&path_style=true`; credentials are the AWS SDK's own variables. */
function blobsUrl(text: string): BlobsStore {
  if (!text.startsWith('s3://')) return { kind: 'file', folder: folderOf(text, 's3://<bucket>') };
  const url = new URL(text);
  const known = new Set(['endpoint', 'public_endpoint', 'region', 'path_style']);
  const strange = [...url.searchParams.keys()].find((name) => !known.has(name));
  if (strange !== undefined) throw new Error(`has an unknown parameter ${strange}`);
  if (!/^[a-z\d][a-z\d.-]{1,61}[a-z\d]$/.test(url.host)) throw new Error('must name a bucket: s3://<bucket>');
  if (url.username !== '')
    throw new Error('must hold no credentials: set AWS_ACCESS_KEY_ID and AWS_SECRET_ACCESS_KEY');
  const endpoint = url.searchParams.get('endpoint');
  const publicEndpoint = url.searchParams.get('public_endpoint');
  for (const each of [endpoint, publicEndpoint]) if (each !== null) originOf(each);
  const folder = url.pathname.replace(/^\/+|\/+$/g, '');
  return {
    kind: 's3',
    bucket: url.host,
    prefix: folder === '' ? '' : `${folder}/`,
    region: url.searchParams.get('region') ?? 'us-east-1',
    endpoint,
    publicEndpoint,
    pathStyle: oneOf(url.searchParams.get('path_style') ?? 'false', ['true', 'false']) === 'true',
  };
}

function busUrl(text: string): BusStore {
  if (text === 'local:') return { kind: 'local' };
  if (/^(nats|tls):\/\/[^/]/.test(text)) return { kind: 'nats', url: text };
  throw new Error('must be local: or nats://<server>');
}

function cidrs(text: string): string[] {
  const all = text
    .split(',')
    .map((each) => each.trim())
    .filter((each) => each !== '');
  const wrong = all.find((each) => !ipaddr.isValidCIDR(each));
  if (wrong !== undefined) throw new Error(`must be CIDRs, such as 10.0.0.0/8; ${wrong} is none`);
  return all;
}

function secretKeyOf(text: string): string | null {
  if (text !== '' && text.length < 32) throw new Error('must have at least 32 characters');
  return text === '' ? null : text;
}

function publicUrlOf(text: string): string | null {
  return text === '' ? null : originOf(text);
}

function originOf(text: string): string {
  const url = URL.canParse(text) ? new URL(text) : null;
  const plain = url !== null && url.pathname === '/' && url.search === '' && url.username === '';
  if (url === null || !plain || !/^https?:$/.test(url.protocol))
    throw new Error('must be http(s)://<host>[:<port>]');
  return url.origin;
}

/** Each process would sign with a key of its own, and refuse what another has signed. */
function needsSecret({ events, views, blobs }: Config): boolean {
  return [events, views, blobs].some((store) => store !== undefined && store.kind !== 'file');
}

function folderOf(text: string, other: string): string {
  if (!text.startsWith('file:')) throw new Error(`must be file:<folder> or ${other}`);
  return resolve(text.slice('file:'.length).replace(/^\/\/(?=\/)/, ''));
}

function rolesOf(text: string): Role[] {
  if (text === 'all') return [...roles];
  return text.split(',').map((role) => oneOf(role.trim(), roles) as Role);
}

function bootstrapKey(text: string): string | null {
  if (text !== '' && !isApiKey(text)) {
    throw new Error('is not an API key; make one with `npm run testledger -- keys generate`');
  }
  return text === '' ? null : text;
}

const LONGEST_MS = 100 * 365.25 * 86_400_000;

function duration(text: string, or = ''): number {
  const parsed = Duration.fromISO(text);
  const ms = parsed.isValid ? parsed.toMillis() : 0;
  if (!(ms > 0)) throw new Error(`must be an ISO 8601 duration, such as PT24H${or}`);
  // Instants are written with four digits of a year: one that lies further ahead would sort before all others.
  if (ms > LONGEST_MS) throw new Error('must not be longer than a hundred years');
  return ms;
}

function onOff(text: string): boolean {
  return oneOf(text, ['on', 'off']) === 'on';
}

function oneOf(text: string, allowed: readonly string[]): string {
  if (!allowed.includes(text)) throw new Error(`must be one of ${allowed.join(', ')}`);
  return text;
}
