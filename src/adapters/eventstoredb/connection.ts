/** The one client of a process, shared by all who open the same URL. It is replaced when it no longer answers. */
import { EventStoreDBClient, type AppendResult } from '@eventstore/db-client';
import { setTimeout as pause } from 'node:timers/promises';
import { clientRenewsItself, closedLog, isAnswer, meaningOf, notSent, toAppError } from './errors.js';
import { askForPlainAnswers } from './plain-answers.js';
import { withPingLimit } from './url.js';
import { backOffMs } from '../../concurrency/back-off.js';
import { openSemaphore, type Semaphore } from '../../concurrency/semaphore.js';
import { withTimeout } from '../../concurrency/with-timeout.js';
import { isAppError } from '../../errors.js';

export type Connection = {
  /**
   * One try of a read, on the current client; the read keeps its own limit. A client that leaves calls unanswered is
   * replaced before the next try.
   * @throws what the client throws, or an error when no permit came within the limit, or when the client was replaced
   * meanwhile.
   */
  read<T>(limitMs: number, call: (client: EventStoreDBClient, limitMs: number) => Promise<T>): Promise<T>;
  /** One try of an append, likewise. @throws also an error when there was no answer within the limit. */
  append(limitMs: number, call: (client: EventStoreDBClient) => Promise<AppendResult>): Promise<AppendResult>;
  /** The current client, for calls that last. Such a call ends when the client is replaced. */
  client(): Promise<EventStoreDBClient>;
  /** Gives up one use. The last one ends the client. */
  close(): Promise<void>;
};

/**
 * The most reads at once. Each read opens a stream, a server takes 100 streams on a connection, and with more they all
 * hang. The other streams are for appends, for the tail, for paused subscriptions (`paused-subscriptions.ts`), and for
 * streams that are being closed.
 */
const READS_AT_ONCE = 48;
/**
 * The most appends at once. The client sends all of them on one stream, which takes 16 messages before a writer has to
 * wait. When the stream ends, the client rejects each message that waits there. No code handles that rejection, so the
 * process would end.
 */
const APPENDS_AT_ONCE = 15;
/** Pings go out every 10 s, the least that the client allows. Its own limit for the answer is another 10 s. */
const PING_LIMIT_MS = 3_000;
const ENDING_MS = 1_000;
/**
 * A call that waited for its permit keeps at least this long. With less it would fail, and a healthy client would be
 * replaced.
 */
const LEAST_CALL_MS = 250;
/** A client is replaced no earlier than this after the last replacement. */
const LEAST_LIFE_MS = 1_000;

let shared: { url: string; users: number; open: OpenConnection; ending?: Promise<void> } | null = null;

type OpenConnection = Omit<Connection, 'close'> & { end(): Promise<void> };

/**
 * Opens the connection of a URL, or shares it.
 * @throws Error when the process has another server open: the client keeps the appends of all servers in one map, so
 * the end of one server would end the appends of the other, and then the process.
 */
export async function connectEventStoreDb(url: string): Promise<Connection> {
  while (shared?.ending !== undefined) await shared.ending;
  if (shared !== null && shared.url !== url) {
    throw new Error('one process talks to one EventStoreDB; another one is open');
  }
  const use = (shared ??= { url, users: 0, open: openWithoutSecrets(url) });
  use.users += 1;
  let closing: Promise<void> | undefined;

  async function close(): Promise<void> {
    use.users -= 1;
    if (use.users > 0) return;
    use.ending = use.open.end().finally(() => (shared = null));
    await use.ending;
  }

  return { ...use.open, close: () => (closing ??= close()) };
}

type CallKind = 'append' | 'read';

/** `appends`: held until the client settles the append, however long its caller waits. */
type OneClient = { client: EventStoreDBClient; appends: Semaphore };

function openConnection(url: string): OpenConnection {
  askForPlainAnswers();
  let made = 0;
  let current: Promise<OneClient> = Promise.resolve(newClient());
  let ended = false;
  let replacedAt = -Infinity;
  const reads = openSemaphore(READS_AT_ONCE);
  const answeredAt = { append: -Infinity, read: -Infinity };

  function newClient(): OneClient {
    made += 1;
    const client = EventStoreDBClient.connectionString(withPingLimit(url, PING_LIMIT_MS + (made % 1000)));
    return { client: withHandledFaults(client), appends: openSemaphore(APPENDS_AT_ONCE) };
  }

  /** Not while other calls of the same kind are answered: then this call is slow, and the client is not. */
  function replace(kind: CallKind, used: typeof current, began: number): void {
    if (ended || used !== current || performance.now() < answeredAt[kind] + TRY_LIMIT_MS) return;
    // Calls that fail together need one new client, and that one needs time to connect.
    if (began < replacedAt || performance.now() < replacedAt + LEAST_LIFE_MS) return;
    const before = current;
    // The old client ends first. If both were alive, the end of the old one's appends would end those of the new one.
    current = before
      .then(({ client }) => dispose(client))
      .then(() => {
        replacedAt = performance.now();
        return newClient();
      });
  }

  return {
    client: async () => (await current).client,
    read: (limitMs, call) => {
      const end = performance.now() + limitMs;
      return reads.run(limitMs - LEAST_CALL_MS, () => attempt('read', end - performance.now(), call));
    },
    append: async (limitMs, call) => {
      const end = performance.now() + limitMs;
      const used = current;
      const { appends } = await used;
      const began = performance.now();
      const release = await appends.acquire({ withinMs: Math.max(0, end - began - LEAST_CALL_MS) });
      if (release === null) {
        // Appends that are never answered keep their permits.
        replace('append', used, began);
        throw notSent('too many appends are under way');
      }
      // The permit belongs to a client.
      if (used !== current) {
        release();
        throw notSent('the connection was replaced');
      }
      return attempt('append', end - performance.now(), (client, limitMs) => {
        const answer = call(client);
        answer.then(release, release);
        return withinLimit(limitMs, answer);
      });
    },
    end: async () => {
      ended = true;
      await dispose((await current).client);
    },
  };

  async function attempt<T>(
    kind: CallKind,
    limitMs: number,
    call: (client: EventStoreDBClient, limitMs: number) => Promise<T>,
  ): Promise<T> {
    // Read before the wait: by then, the client may have been replaced.
    const used = current;
    const { client } = await used;
    if (ended) throw closedLog();
    const began = performance.now();
    try {
      const value = await call(client, limitMs);
      // A read that the end of its client cuts off looks complete.
      if (kind === 'read' && used !== current) throw new Error('the connection was replaced');
      answeredAt[kind] = performance.now();
      return value;
    } catch (error) {
      if (isAnswer(error)) answeredAt[kind] = performance.now();
      else if (!clientRenewsItself(error)) replace(kind, used, began);
      throw error;
    }
  }
}

/**
 * When a call ends with an error, the client renews its channel in the background. That fails where it finds no server of
 * a cluster. The client does not handle that failure, so the process would end. The next call finds out for itself.
 */
function withHandledFaults(client: EventStoreDBClient): EventStoreDBClient {
  const { handleError } = client as unknown as { handleError(...args: unknown[]): Promise<void> };
  return Object.assign(client, {
    handleError: (...args: unknown[]) => handleError(...args).catch(() => undefined),
  });
}

function openWithoutSecrets(url: string): OpenConnection {
  try {
    return openConnection(url);
  } catch (error) {
    throw withoutSecrets(error);
  }
}

/** The client's error about a URL contains the URL, with its password. */
function withoutSecrets(error: unknown): unknown {
  if (typeof error !== 'object' || error === null || !('connectionString' in error)) return error;
  return new Error('the URL of the event log is not a connection string of EventStoreDB');
}

/** Ends all calls of a client, and those that it has not begun. */
async function dispose(client: EventStoreDBClient): Promise<void> {
  // A frozen server may not have answered an append's first message yet. When it wakes up, the client would send the
  // append, long after its caller got an error, and beside the appends of the next client. The client offers no way to
  // cancel such an append.
  Object.assign(client, {
    GRPCStreamCreator: () => () => Promise.reject(new Error('the client was replaced')),
  });
  // It waits until its calls have ended. A call that never ends must not stop us.
  await withinLimit(ENDING_MS, client.dispose()).catch(() => undefined);
}

/** Every call settles within this time. */
const CALL_LIMIT_MS = 5_000;
/** One try. The server says after 2 s that it is still writing an append, so a try takes longer than that. */
export const TRY_LIMIT_MS = 2_500;
const LEAST_TRY_MS = 500;
const BACK_OFF = { firstMs: 50, longestMs: 800 };

/** When a call that begins now must end, by `performance.now()`. */
export function callEnd(): number {
  return performance.now() + CALL_LIMIT_MS;
}

/**
 * Tries until the call succeeds, is refused, or the limit has passed.
 * @param call makes one try, within the given milliseconds. It is called at least once.
 * @throws AppError or Error, as the port names them.
 */
export async function retrying<T>(
  what: string,
  call: (limitMs: number) => Promise<T>,
  { signal, end = callEnd() }: { signal?: AbortSignal | undefined; end?: number } = {},
): Promise<T> {
  for (let failures = 1; ; failures += 1) {
    try {
      return await call(Math.max(LEAST_TRY_MS, Math.min(TRY_LIMIT_MS, end - performance.now())));
    } catch (error) {
      const hopeless = isAppError(error) || meaningOf(error) !== 'away' || signal?.aborted === true;
      const wait = backOffMs(failures, BACK_OFF);
      if (hopeless || performance.now() + wait >= end) throw toAppError(error, what);
      await pause(wait);
    }
  }
}

/** @throws Error when the promise has not settled within the limit. */
function withinLimit<T>(limitMs: number, promise: Promise<T>): Promise<T> {
  return withTimeout(limitMs, promise, (): never => {
    throw new Error(`no answer within ${Math.round(limitMs)} ms`);
  });
}
