/**
 * The program under test: `startProgram` in this process, on a free port and in a folder of its own. Only this file knows how
 * the program is started. `TEST_EVENTS_URL` and `TEST_VIEWS_URL` put the suites on other stores; those may contain data
 * of earlier suites, so each test uses a team of its own (`newTeam`).
 */
import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { pino, type Logger } from 'pino';
import { openDeliveries, openForApi } from '../../src/adapters/open.js';
import { readConfig, type Config, type Role } from '../../src/config.js';
import type { Contents } from '../../src/ports/contents.js';
import type { Deliveries } from '../../src/ports/deliveries.js';
import type { EventLog } from '../../src/ports/event-log.js';
import type { State } from '../../src/ports/state.js';
import type { ViewReader } from '../../src/ports/views.js';
import { startProgram, type Program } from '../../src/main.js';
import type { Show } from '../../src/process.js';
import { OWNER_KEY, SECRET_KEY, serverEnv, type Env } from './environment.js';
import { emptyStoresOf, serversOfTheRun, type StoreUrls } from './store-urls.js';
import { api, type Api } from './client.js';

export type TestServer = {
  readonly url: string;
  readonly program: Program;
  /** A client with a key of an owner in the team of the operator. */
  readonly operator: Api;
  /** A client with this key, or without a key. */
  as(key: string | null): Api;
  newTeam(): Promise<Team>;
};

/** A server that its suite may stop, start again and look into. */
export type OwnServer = TestServer & {
  readonly config: Config;
  stop(): Promise<void>;
  /** Starts the server again on the same stores. */
  start(env?: Env): Promise<void>;
  /** Opens the stores themselves. Only while the server is stopped. */
  stores<T>(work: (stores: Kept) => Promise<T>): Promise<T>;
};

type Kept = {
  log: EventLog;
  views: ViewReader;
  state: State;
  contents: Contents;
  deliveries: Deliveries;
};

const OPEN = [
  'GET /v1/test/status',
  'GET /livez',
  'GET /readyz',
  'GET /metrics',
  'GET /problems',
  'GET /problems/:code',
  'GET /openapi.json',
  'GET /asyncapi.json',
  'GET /docs',
  'GET /docs/viewer.js',
  'GET /docs/viewer.css',
  'GET /docs/start.js',
  'GET /clients',
  'GET /clients/:name',
  'POST /v1/ci-token',
];

/** The routes without a key, which belong to no team. To be called in a test. */
export function openRoutes(): string[] {
  return [...OPEN, ...blobRoutesMounted()];
}

/** The routes of files, if files are in a folder. To be called in a test: the setup of the run decides it. */
export function blobRoutesMounted(): string[] {
  const path = '/v1/blobs/:team/:artifact/:name';
  return serversOfTheRun().blobs === undefined ? [`PUT ${path}`, `GET ${path}`] : [];
}

/** A team with its first key, which is that of an owner. */
export type Team = { id: string; owner: Api };

/**
 * The server of all blocks of this process that need no other one. It is started once, because a start takes a second of
 * processor time, longer than most tests. Each test uses a team of its own (`newTeam`), and none stops it.
 */
export function testServer(): TestServer {
  before(() => (sharedServer ??= open()));
  return allOfThem;
}

/** Declares a server of its own for the tests of the block around it: one that they configure, stop or break. */
export function ownServer(env: Env = {}, logger: Logger = pino({ level: 'silent' })): OwnServer {
  const { server, open, close } = serverWith(env, logger);
  before(() => open());
  after(close);
  return server;
}

const { server: allOfThem, open, close } = serverWith({}, pino({ level: 'silent' }));
let sharedServer: Promise<void> | null = null;
// Outside of all blocks: after the last test of the process.
after(async () => {
  if (sharedServer !== null) await close();
});

export type Lifetime = { server: OwnServer; open(env?: Env): Promise<void>; close(): Promise<void> };

/** A server that the caller opens and closes. `show` gets what a first start shows. */
export function serverWith(env: Env, logger: Logger, show?: Show): Lifetime {
  let folder = '';
  let stores: Partial<StoreUrls> = {};
  let program: Program | null = null;
  const running = () => program ?? fault('the server is not running');
  const url = () => running().url;
  // The roles are set apart: with files, a configuration takes all of them only. A server without some is one that is behind.
  const config = ({ ROLES, ...more }: Env): Config => {
    const read = readConfig({
      ...serverEnv,
      DATA_DIR: folder,
      BLOBS_URL: `file:${folder}`,
      ...stores,
      SECRET_KEY,
      VALIDATE_EVENTS: 'on',
      ...env,
      ...more,
    });
    return ROLES === undefined ? read : { ...read, roles: ROLES.split(',') as Role[] };
  };

  const server: OwnServer = {
    get url() {
      return url();
    },
    get program() {
      return running();
    },
    get config() {
      return config({});
    },
    get operator() {
      return api(url, OWNER_KEY);
    },
    as: (key) => api(url, key),
    async newTeam() {
      const { status, body } = await server.operator.post('/v1/teams', { name: 'A team' });
      if (status !== 201) fault(`no team was made: ${JSON.stringify(body)}`);
      return { id: body.data.id, owner: api(url, body.data.key) };
    },
    async stop() {
      await program?.stop();
      program = null;
    },
    async start(more = {}) {
      program = await startProgram(config(more), logger, show);
    },
    async stores(work) {
      const closing: (() => Promise<void> | void)[] = [];
      try {
        const stores = await openForApi(config({}), (close) => void closing.unshift(close));
        const deliveries = await openDeliveries(config({}));
        closing.unshift(() => deliveries.close());
        return await work({ ...stores, deliveries });
      } finally {
        for (const close of closing) await close();
      }
    },
  };

  return {
    server,
    async open(more) {
      folder = await mkdtemp(join(tmpdir(), 'testledger-http-'));
      // Its own: the projector of another server would fold for one that is meant to be behind.
      stores = emptyStoresOf(serversOfTheRun());
      await server.start(more);
    },
    async close() {
      await server.stop();
      await rm(folder, { recursive: true });
    },
  };
}

function fault(message: string): never {
  throw new Error(message);
}
