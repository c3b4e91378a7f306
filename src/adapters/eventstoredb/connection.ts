/** The one client of a process: shared by all who open the same URL, replaced when it no longer answers. */
import { EventStoreDBClient } from '@eventstore/db-client';
import { clientRenewsItself, closedLog, isAnswer } from './errors.js';
import { inTime } from './retry.js';
import { openSemaphore } from '../../concurrency/semaphore.js';
import { withPingLimit } from './url.js';

export type CallKind = 'append' | 'read';

export type Connection = {
  /**
   * One try of a call, on the client of now; the call sees to its limit itself. A client whose calls go unanswered is
   * replaced, for the next try.
   * @throws what the client throws, or an error when there was no turn within the limit, or when the client was
   *   replaced meanwhile.
   */
  attempt<T>(
    kind: CallKind,
    limitMs: number,
    call: (client: EventStoreDBClient, limitMs: number) => Promise<T>,
  ): Promise<T>;
  /** The client of now, for calls that last. They end when it is replaced. */
  client(): Promise<EventStoreDBClient>;
  /** Gives up one use; the last one ends the client. */
  close(): Promise<void>;
};

/**
 * Reads at once. Each opens a stream, a server takes 100 on a connection, and past that all hang. The others are for
 * the appends, the tail and what is being closed.
 */
const READS_AT_ONCE = 48;
/** Pings go out every 10 s, which is the client's least; its own limit for the answer is another 10 s. */
const PING_LIMIT_MS = 3_000;
const ENDING_MS = 1_000;
/** Left to a read that waited for its turn: with a moment only, it would fail and have a client replaced that answers. */
const LEAST_CALL_MS = 250;
/** A client is not replaced before. */
const LEAST_LIFE_MS = 1_000;

let shared: { url: string; users: number; open: OpenConnection; ending?: Promise<void> } | null = null;

type OpenConnection = Omit<Connection, 'close'> & { end(): Promise<void> };

/**
 * @throws Error when the process has another server open: the client keeps the appends of all in one map, and the
 *   end of one server would end those of the other, then the process.
 */
export async function connect(url: string): Promise<Connection> {
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

function openConnection(url: string): OpenConnection {
  let made = 0;
  let current: Promise<EventStoreDBClient> = Promise.resolve(newClient());
  let ended = false;
  let replacedAt = -Infinity;
  const reads = openSemaphore(READS_AT_ONCE);
  const answeredAt = { append: 0, read: 0 };

  function newClient(): EventStoreDBClient {
    made += 1;
    return EventStoreDBClient.connectionString(withPingLimit(url, PING_LIMIT_MS + (made % 1000)));
  }

  /** Not while others of its kind are answered: then it is this call that is slow, and not the client. */
  function replace(kind: CallKind, used: typeof current, began: number): void {
    if (ended || used !== current || answeredAt[kind] >= began) return;
    // The calls that fail together need one new client, and that one needs time to connect.
    if (began < replacedAt || performance.now() < replacedAt + LEAST_LIFE_MS) return;
    replacedAt = performance.now();
    const before = current;
    // The old one is ended first: while both lived, the end of its appends would end those of the new one.
    current = before.then(dispose).then(newClient);
  }

  return {
    client: () => current,
    attempt: (kind, limitMs, call) => {
      if (kind === 'append') return attempt(kind, limitMs, call);
      const end = performance.now() + limitMs;
      return reads.run(limitMs - LEAST_CALL_MS, () => attempt(kind, end - performance.now(), call));
    },
    end: async () => {
      ended = true;
      await dispose(await current);
    },
  };

  async function attempt<T>(
    kind: CallKind,
    limitMs: number,
    call: (client: EventStoreDBClient, limitMs: number) => Promise<T>,
  ): Promise<T> {
    // Taken before the wait: a client that is replaced meanwhile is not the one of now.
    const used = current;
    const client = await used;
    if (ended) throw closedLog();
    const began = performance.now();
    try {
      const value = await call(client, limitMs);
      // A read that is cut off by the end of its client looks like one that came to its end.
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

function openWithoutSecrets(url: string): OpenConnection {
  try {
    return openConnection(url);
  } catch (error) {
    throw withoutSecrets(error);
  }
}

/** What the client says of a URL that it does not take has the URL in it, and its password. */
function withoutSecrets(error: unknown): unknown {
  if (typeof error !== 'object' || error === null || !('connectionString' in error)) return error;
  return new Error('the URL of the event log is not a connection string of EventStoreDB');
}

/** Ends all calls of a client, and those that it has not begun. */
async function dispose(client: EventStoreDBClient): Promise<void> {
  // An append that still waits for the first word of a frozen server would be sent when that wakes up, long after its
  // caller was told, and beside those of the next client. The client has no way to be told that it is not wanted.
  Object.assign(client, {
    GRPCStreamCreator: () => () => Promise.reject(new Error('the client was replaced')),
  });
  // It waits for its calls to be told; one that never is must not keep us from going on.
  await inTime(ENDING_MS, client.dispose()).catch(() => undefined);
}
