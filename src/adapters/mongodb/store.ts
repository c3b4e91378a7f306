/**
 * The base of the MongoDB adapters: one client per process and URL, sessions that never see less than an earlier one
 * saw, and a time limit for every call, so that a lost server is an error within seconds and not a request that hangs.
 */
import { type ClientSession, type Db, MongoClient, type MongoClientOptions, type Timestamp } from 'mongodb';
import { openSerializeByKey } from '../../concurrency/serialize-by-key.js';
import { withTimeout } from '../../concurrency/with-timeout.js';
import { type ErrorCode, fail, reasonOf } from '../../errors.js';
import { raiseSchema } from './schema.js';
import { isTurnedAway, isUnsent, notReplicated, mongoError, tooLate } from './errors.js';

export type MongoStore = {
  /**
   * Does one piece of work, in a session of its own. Work of the same `queue` runs one piece at a time, in the order of
   * the calls.
   * @throws AppError of the store's code when MongoDB cannot do it, or not within `limitMs`: then the outcome of a
   * write may be unknown.
   */
  run<T>(work: Work<T>, options?: RunOptions): Promise<T>;
  /** A session that the caller keeps, for transactions. */
  session(): ClientSession;
  /** Waits for the work under way. No work begins after it. */
  close(): Promise<void>;
};

type Work<T> = (db: Db, session: ClientSession) => Promise<T>;

export type RunOptions = {
  limitMs?: number;
  queue?: string;
  /** The work must not run twice. Only the driver may send it again, under the same number. */
  once?: boolean;
};

export type StoreOptions = {
  url: string;
  /** Comes after the database name in the URL. Without a name there, the database is `testledger`. */
  suffix?: string;
  code: ErrorCode & `${string}_unavailable`;
  /** The content of the store, for messages such as "the read models are closed". */
  what: string;
};

/** The limit for a single read or write. */
const LIMIT_MS = 5_000;

/**
 * Majority and primary, whatever the URL says. With less, answered writes could be lost, and reads could show what is
 * then lost.
 */
const guarantees: MongoClientOptions = {
  readPreference: 'primary',
  readConcern: { level: 'majority' },
  writeConcern: { w: 'majority', journal: true, wtimeoutMS: LIMIT_MS },
};

/** Defaults. An option in the URL takes precedence. */
const unlessGiven = {
  appName: 'testledger',
  serverSelectionTimeoutMS: 3_000,
  connectTimeoutMS: 3_000,
  waitQueueTimeoutMS: LIMIT_MS,
  socketTimeoutMS: 15_000,
} satisfies MongoClientOptions;

/**
 * Prepares a store. It connects with the first call, and again whenever that is necessary. @throws Error for a bad URL.
 */
export function openMongoStore({ url, suffix = '', code, what }: StoreOptions): MongoStore {
  const shared = acquireClient(url);
  const database = shared.client.db(`${databaseOf(url)}${suffix}`);
  const underWay = new Set<Promise<unknown>>();
  const serialize = openSerializeByKey();
  let seen: Timestamp | undefined;
  let closed: Promise<void> | null = null;
  let raised: Promise<void> | null = null;
  /** Once in the life of the store, before its first work. */
  const atOurVersion = (): Promise<void> =>
    (raised ??= untilDone(() => raiseSchema(database, code)).catch((error: unknown) => {
      raised = null;
      throw error;
    }));
  const newSession = () => shared.client.startSession({ causalConsistency: true });

  const inSession = async <T>(work: Work<T>, once: boolean): Promise<T> => {
    const session = newSession();
    // A new primary may not yet have committed everything that the last one answered. With this time, it waits until it
    // has.
    if (seen !== undefined) session.advanceOperationTime(seen);
    try {
      await shared.connected(code);
      await atOurVersion();
      return await (once ? work(database, session) : untilDone(() => work(database, session)));
    } catch (error) {
      throw mongoError(code, error);
    } finally {
      const { operationTime } = session;
      if (operationTime !== undefined && (seen === undefined || operationTime.greaterThan(seen))) {
        seen = operationTime;
      }
      await session.endSession();
    }
  };

  return {
    run: async (work, { limitMs = LIMIT_MS, queue, once = false } = {}) => {
      if (closed !== null) fail(code, `${what} are closed`);
      let late = false;
      const perform = () => (late ? Promise.reject(tooLate(code, limitMs)) : inSession(work, once));
      // A queue waits for work that has begun, even after its caller has given up.
      const begun = queue === undefined ? perform() : serialize(queue, perform);
      // Work that has begun ends by itself, at the latest by the timeout of its socket.
      const answer = withTimeout(limitMs, begun, (): never => {
        late = true;
        throw tooLate(code, limitMs);
      });
      underWay.add(answer);
      try {
        return await answer;
      } finally {
        underWay.delete(answer);
      }
    },
    session: newSession,
    close: () =>
      (closed ??= Promise.allSettled(underWay).then(async () => {
        await shared.release();
      })),
  };
}

type SharedClient = {
  client: MongoClient;
  /** @throws AppError of the code where the server is not part of a replica set. */
  connected(code: StoreOptions['code']): Promise<void>;
  release(): Promise<void>;
};

const clients = new Map<string, { client: MongoClient; users: number; open: boolean }>();

/** One client per URL: all stores of the process share its connections and its monitoring of the servers. */
function acquireClient(url: string): SharedClient {
  const known = clients.get(url) ?? { client: newClient(url), users: 0, open: false };
  clients.set(url, known);
  known.users += 1;
  return {
    client: known.client,
    connected: async (code) => {
      // A client whose first connection failed stays broken until `connect` is called again.
      if (known.open) return;
      await known.client.connect();
      const { setName, msg } = await known.client.db('admin').command({ hello: 1 });
      // Checked here, because otherwise the first failure would be an expression that a standalone server does not
      // know.
      if (setName === undefined && msg !== 'isdbgrid') throw notReplicated(code);
      known.open = true;
    },
    release: async () => {
      known.users -= 1;
      if (known.users > 0) return;
      clients.delete(url);
      await known.client.close();
    },
  };
}

function newClient(url: string): MongoClient {
  const given = (option: string) => new RegExp(`[?&]${option}=`, 'i').test(url);
  const ours = Object.entries(unlessGiven).filter(([option]) => !given(option));
  try {
    return new MongoClient(url, { ...guarantees, ...Object.fromEntries(ours) });
  } catch (error) {
    // The driver's words name no variable, and none of the URL: it may hold a password.
    const text = `VIEWS_URL is not valid: ${reasonOf(error)}. A user and a password in it must be percent-encoded`;
    throw new Error(text, { cause: error });
  }
}

/** The path of the URL. `URL` cannot parse it, because it knows no list of hosts. */
function databaseOf(url: string): string {
  const path = /^mongodb(?:\+srv)?:\/\/[^/?]*\/([^?]*)/.exec(url)?.[1] ?? '';
  return path === '' ? 'testledger' : decodeURIComponent(path);
}

/**
 * Tries again where the server has done nothing. Each connection that a lost server left behind fails only when it is
 * used, and the driver does not retry the commands that make an index or a collection. The driver waits for a primary
 * in each try, so a few tries take many seconds.
 */
export async function untilDone<T>(work: () => Promise<T>): Promise<T> {
  for (let tries = 1; ; tries += 1) {
    try {
      return await work();
    } catch (error) {
      if (!(isUnsent(error) || isTurnedAway(error)) || tries === 10) throw error;
    }
  }
}
