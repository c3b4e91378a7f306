/**
 * What the MongoDB adapters share: one client a process and url, sessions that never see less than was seen before,
 * and a limit of time on every call, so that a lost server is an error in seconds and not a request that hangs.
 */
import { type ClientSession, type Db, MongoClient, type MongoClientOptions, type Timestamp } from 'mongodb';
import { openSerializeByKey } from '../../concurrency/serialize-by-key.js';
import { withTimeout } from '../../concurrency/with-timeout.js';
import { type ErrorCode, fail } from '../../errors.js';
import { isTurnedAway, isUnsent, notReplicated, storeError, tooLate } from './errors.js';

export type MongoStore = {
  /**
   * Does one piece of work, in a session of its own; those of one `queue` in the order of the calls, one by one.
   * @throws LedgerError of the store's code when MongoDB cannot do it, or not within `limitMs`: the outcome of a write
   *   may then be unknown.
   */
  run<T>(work: Work<T>, options?: RunOptions): Promise<T>;
  /** A session to keep, for transactions. */
  session(): ClientSession;
  /** Waits for what was begun; nothing is begun after it. */
  close(): Promise<void>;
};

type Work<T> = (db: Db, session: ClientSession) => Promise<T>;

export type RunOptions = {
  limitMs?: number;
  queue?: string;
  /** Doing it twice is not the same as doing it once: only the driver may send it again, under the same number. */
  once?: boolean;
};

export type StoreOptions = {
  url: string;
  /** Appended to the name of the database that the url says, `testledger` where it says none. */
  suffix?: string;
  code: ErrorCode & `${string}_unavailable`;
  /** What it is to its users, as in "the read models are closed". */
  what: string;
};

/** For a single read or write. */
const LIMIT_MS = 5_000;

/** Majority and primary, whatever the url says: less would lose what was answered, or answer what is then lost. */
const guarantees: MongoClientOptions = {
  readPreference: 'primary',
  readConcern: { level: 'majority' },
  writeConcern: { w: 'majority', journal: true, wtimeoutMS: LIMIT_MS },
};

/** Those that the url gives itself stay as it says. */
const unlessGiven = {
  appName: 'testledger',
  serverSelectionTimeoutMS: 3_000,
  connectTimeoutMS: 3_000,
  waitQueueTimeoutMS: LIMIT_MS,
  socketTimeoutMS: 15_000,
} satisfies MongoClientOptions;

/** Prepares a store. It connects with the first call, and again whenever it has to. @throws Error for a bad url. */
export function openMongoStore({ url, suffix = '', code, what }: StoreOptions): MongoStore {
  const shared = acquireClient(url);
  const database = shared.client.db(`${databaseOf(url)}${suffix}`);
  const underWay = new Set<Promise<unknown>>();
  const serialize = openSerializeByKey();
  let seen: Timestamp | undefined;
  let closed: Promise<void> | null = null;
  const newSession = () => shared.client.startSession({ causalConsistency: true });

  const inSession = async <T>(work: Work<T>, once: boolean): Promise<T> => {
    const session = newSession();
    // A new primary may not yet have committed all that the last one answered: it waits until it has.
    if (seen !== undefined) session.advanceOperationTime(seen);
    try {
      await shared.connected(code);
      return await (once ? work(database, session) : untilDone(() => work(database, session)));
    } catch (error) {
      throw storeError(code, error);
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
      // A queue waits for what was begun also where nobody else waits any more.
      const begun = queue === undefined ? perform() : serialize(queue, perform);
      // What was begun ends by itself, at the latest by the timeout of its socket.
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
  /** @throws LedgerError of the code where what answers is no replica set. */
  connected(code: StoreOptions['code']): Promise<void>;
  release(): Promise<void>;
};

const clients = new Map<string, { client: MongoClient; users: number; open: boolean }>();

/** One client a url: its connections and its watch over the servers are shared by all stores of the process. */
function acquireClient(url: string): SharedClient {
  const known = clients.get(url) ?? { client: newClient(url), users: 0, open: false };
  clients.set(url, known);
  known.users += 1;
  return {
    client: known.client,
    connected: async (code) => {
      // A client whose first connection failed stays broken until it is told to connect again.
      if (known.open) return;
      await known.client.connect();
      const { setName, msg } = await known.client.db('admin').command({ hello: 1 });
      // Said here, since the first thing to fail would be some expression that a lone server does not know.
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
  return new MongoClient(url, { ...guarantees, ...Object.fromEntries(ours) });
}

/** The path of the url. Not by `URL`, which knows no list of hosts. */
function databaseOf(url: string): string {
  const path = /^mongodb(?:\+srv)?:\/\/[^/?]*\/([^?]*)/.exec(url)?.[1] ?? '';
  return path === '' ? 'testledger' : decodeURIComponent(path);
}

/**
 * Again where the server has done nothing: of the connections that one left behind, each tells only when it is used;
 * and a command that makes an index or a collection is not tried again by the driver. What is slow here is the driver,
 * which waits for a primary, so that few tries are many seconds.
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
