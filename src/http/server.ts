/** The HTTP server: its limits, and a stop that lets open requests end. */
import { createServer, type IncomingMessage, type Server, type ServerResponse } from 'node:http';
import { Server as TcpServer, type AddressInfo, type Socket } from 'node:net';
import type Koa from 'koa';
import { watchReaders, type ReaderLimits } from './backpressure/answer-deadlines.js';
import { untilGone } from './backpressure/until-gone.js';
import { watchArrivalDeadlines } from './backpressure/arrival-deadlines.js';
import { expectsContinue } from './protocol/expect-continue.js';
import { openRefusals, type Refusal } from './protocol/refusals.js';
import { limits } from '../limits.js';

export type Listening = {
  url: string;
  /** Accepts no new connections, waits for open requests for at most `ms`, then cuts them off. */
  stop(ms: number): Promise<void>;
};

export type Listen = {
  host: string;
  port: number;
  /** The time in which a whole request has to arrive, unless its route allows more. */
  withinMs?: number;
  /** Takes each refusal of a request that does not reach the app. */
  refused?: (refusal: Refusal) => void;
  readers?: ReaderLimits;
};

const READERS: ReaderLimits = { stalledMs: limits.unreadMs, bytesPerSecond: 1_024 };

/** Starts to listen. @throws Error if the address is in use or does not exist. */
export async function listen(
  app: Koa,
  { host, port, withinMs = limits.arrivalMs, readers = READERS, refused = () => undefined }: Listen,
): Promise<Listening> {
  const answer = app.callback();
  // Answers that the operating system has not taken completely.
  const open = new Set<ServerResponse>();
  const unread = watchReaders(open, readers);
  let stopping = false;
  const connections = new Set<Socket>();
  const refusals = openRefusals(open, refused);
  const arrivals = watchArrivalDeadlines(withinMs, refusals.late);
  function take(request: IncomingMessage, response: ServerResponse): void {
    open.add(response);
    arrivals.began(request, response);
    untilGone(response, () => {
      open.delete(response);
      arrivals.answered(response);
    });
    if (stopping) response.shouldKeepAlive = false;
    void answer(request, response);
  }
  const server = createServer(
    {
      headersTimeout: 10_000,
      // Long enough for uploads; `arrivals` applies the limits of all other requests.
      requestTimeout: 2 * limits.uploadMs,
      keepAliveTimeout: 65_000,
      maxHeaderSize: limits.headerBytes,
      // The app refuses a request without a Host: Node would do so without a body, a log line or a request id.
      requireHostHeader: false,
    },
    take,
  );
  // A client that ends its side after the request still gets its answer.
  Object.assign(server, { httpAllowHalfOpen: true });
  // Node would drop further lines in silence, among them the length of the body; their bytes are bounded above.
  server.maxHeadersCount = 0;
  server.on('connection', (socket) => {
    connections.add(socket);
    socket.once('close', () => connections.delete(socket));
  });
  server.on('checkContinue', (request: IncomingMessage, response: ServerResponse) => {
    expectsContinue(response);
    take(request, response);
  });
  server.once('close', () => {
    arrivals.stop();
    unread.stop();
  });
  server.maxRequestsPerSocket = 0;
  server.on('clientError', refusals.broken);
  server.on('connect', refusals.tunnel);
  // The app refuses other expectations.
  server.on('checkExpectation', take);
  await new Promise<void>((resolve, reject) => {
    server.once('error', reject);
    server.listen({ host, port, backlog: BACKLOG }, resolve);
  });
  const { address, port: bound, family } = server.address() as AddressInfo;
  return {
    url: `http://${family === 'IPv6' ? `[${address}]` : address}:${bound}`,
    stop: (ms) => {
      stopping = true;
      // The header `Connection: close` keeps a client from sending its next request on a closing connection.
      for (const response of open) response.shouldKeepAlive = false;
      return stop(server, ms, () => {
        // Node waits on a connection without any data for as long as headers may take: a stop must not.
        for (const socket of connections) if (socket.bytesRead === 0) socket.destroy();
        return open.size === 0;
      });
    },
  };
}

async function stop(server: Server, ms: number, quiet: () => boolean): Promise<void> {
  await new Promise<void>((resolve) => {
    const cut = setTimeout(() => server.closeAllConnections(), ms);
    // Node counts a connection as idle while its written answer is still on the way: closing it would cut a long answer
    // to a slow reader. So idle connections are closed only after all answers have left.
    const closeIdle = () => quiet() && server.closeIdleConnections();
    const sweep = setInterval(closeIdle, 50);
    // The `close` of the HTTP server would close idle connections at once.
    TcpServer.prototype.close.call(server, () => {
      clearTimeout(cut);
      clearInterval(sweep);
      resolve();
    });
    closeIdle();
  });
}

/**
 * Connections that wait to be accepted. With Node's 511, a burst of one client on a busy machine fills the queue, and the
 * connections of all others are then delayed by seconds.
 */
const BACKLOG = 4_096;
