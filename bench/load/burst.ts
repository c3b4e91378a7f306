/** Sends requests as fast as they are answered, on a fixed number of connections, one at a time on each. */
import type { Socket } from 'node:net';
import autocannon, { type Client, type Request, type Result } from 'autocannon';

export type Burst = {
  url: string;
  connections: number;
  /** The number of requests. Each gets its answer; no clock cuts one off. */
  amount: number;
  /** The requests in turn. Each connection begins with another one, so that they do not all send the same. */
  requests: Request[];
  /** Each of the requests is sent exactly once. The connections share them equally, so their number divides `amount`. */
  eachOnce?: boolean;
};

/** `began` is the time of the first request, `ended` that of the last answer, both in milliseconds since 1970. */
export type Burnt = { began: number; ended: number };

/** A connection repeats this many requests, which are all built before the load begins. */
const EACH = 500;

/** @throws Error when any request was not answered with a 2xx, or where some would not be sent. */
export async function burst({ url, connections, amount, requests, eachOnce = false }: Burst): Promise<Burnt> {
  if (eachOnce && (requests.length !== amount || amount % connections !== 0))
    throw new Error(
      `${amount} requests on ${connections} connections: some would be sent twice, and others never`,
    );
  let began = 0;
  let ended = 0;
  let answered = 0;
  let clients = 0;
  const result = await new Promise<Result>((resolve, reject) => {
    const tracker = autocannon(
      {
        url,
        connections,
        amount,
        pipelining: 1,
        timeout: 30,
        sampleInt: 20,
        requests: requests.slice(0, 1),
        setupClient(client) {
          const first = Math.floor((requests.length * clients) / connections);
          clients += 1;
          client.setRequests(rotated(requests, first, EACH));
          sendOnOpenConnections(client);
        },
      },
      (error, result) => (error === null ? resolve(result) : reject(error)),
    );
    // Not earlier, because building the requests takes longer than some answers.
    tracker.once('start', () => (began = now()));
    tracker.on('response', () => {
      answered += 1;
      if (answered === amount) ended = now();
    });
  });
  if (result['2xx'] !== amount) {
    throw new Error(`${url}: of ${amount} requests ${result['2xx']} were 2xx; ${JSON.stringify(result)}`);
  }
  return { began, ended };
}

/**
 * After an answer with `Connection: close`, the next request goes out on a new connection. autocannon itself would write it
 * on the one that ends, where it is lost. What ends is a connection and not the client: one that breaks in its last answer
 * is followed by another one, which sends at once.
 */
function sendOnOpenConnections(client: Client): void {
  const send = client._doRequest.bind(client);
  let ending: Socket | null = null;
  client.on('headers', ({ headers }) => {
    if (headers.includes('close')) ending = client.conn;
  });
  client._doRequest = () => {
    if (client.conn !== ending) send();
  };
}

function rotated<T>(list: readonly T[], first: number, count: number): T[] {
  return Array.from({ length: Math.min(count, list.length) }, (_, n) => ({
    ...list[(first + n) % list.length]!,
  }));
}

function now(): number {
  return performance.timeOrigin + performance.now();
}
