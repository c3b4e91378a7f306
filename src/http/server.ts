/** The HTTP server: its limits, and a stop that lets open requests end. */
import { randomUUID } from 'node:crypto';
import {
  createServer,
  STATUS_CODES,
  type IncomingMessage,
  type Server,
  type ServerResponse,
} from 'node:http';
import { Server as TcpServer, type AddressInfo, type Socket } from 'node:net';
import type Koa from 'koa';
import { BLOBS_BASE } from '../artifacts/blob-urls.js';
import { errors, LedgerError, type ErrorCode } from '../errors.js';
import { watchArrivalDeadlines } from './arrival-deadlines.js';
import { problemReply } from './problems/reply.js';
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
};

/** Starts to listen. @throws Error if the address is in use or does not exist. */
export async function listen(
  app: Koa,
  { host, port, withinMs = limits.arrivalMs }: Listen,
): Promise<Listening> {
  const answer = app.callback();
  // Answers that the operating system has not taken completely.
  const open = new Set<ServerResponse>();
  let stopping = false;
  const arrivals = watchArrivalDeadlines(withinMs, ({ socket }) => socket && refuse(tooSlow, socket));
  function closed(this: ServerResponse): void {
    open.delete(this);
    arrivals.answered(this);
  }
  function take(request: IncomingMessage, response: ServerResponse): void {
    open.add(response);
    arrivals.began(request, response);
    response.on('close', closed);
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
    },
    take,
  );
  const sockets = new Set<Socket>();
  server.on('connection', (socket: Socket) => {
    sockets.add(socket);
    socket.once('close', () => sockets.delete(socket));
  });
  /** Node waits on a connection without any data for as long as headers may take: a stop must not. */
  const closeSilent = () => {
    for (const socket of sockets) if (socket.bytesRead === 0) socket.destroy();
  };
  server.on('checkContinue', (request: IncomingMessage, response: ServerResponse) => {
    // The upload route itself sends "100 Continue", after it has checked the signed URL.
    if (!(request.method === 'PUT' && request.url?.startsWith(`${BLOBS_BASE}/`))) response.writeContinue();
    take(request, response);
  });
  server.once('close', () => arrivals.stop());
  server.maxRequestsPerSocket = 0;
  server.on('clientError', refuse);
  server.on('checkExpectation', (_request, response) => {
    const { status, body } = refusal('expectation_failed');
    response.writeHead(status, { 'Content-Type': 'application/problem+json' }).end(body);
  });
  await new Promise<void>((resolve, reject) => {
    server.once('error', reject);
    server.listen(port, host, resolve);
  });
  const { address, port: bound, family } = server.address() as AddressInfo;
  return {
    url: `http://${family === 'IPv6' ? `[${address}]` : address}:${bound}`,
    stop: (ms) => {
      stopping = true;
      // The header `Connection: close` keeps a client from sending its next request on a closing connection.
      for (const response of open) response.shouldKeepAlive = false;
      return stop(server, ms, () => {
        closeSilent();
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

const tooSlow = Object.assign(new Error('too slow'), { code: 'ERR_HTTP_REQUEST_TIMEOUT' });

/** Answers errors before the app sees a request: broken HTTP, long headers, slow requests. */
function refuse(error: NodeJS.ErrnoException, socket: import('node:stream').Duplex): void {
  if (error.code === 'ECONNRESET' || !socket.writable) {
    socket.destroy();
    return;
  }
  const code = refusals[error.code ?? ''] ?? 'malformed_request';
  const { status, body } = refusal(code);
  socket.end(
    `HTTP/1.1 ${status} ${STATUS_CODES[status]}\r\nContent-Type: application/problem+json\r\nContent-Length: ${Buffer.byteLength(body)}\r\nConnection: close\r\n\r\n${body}`,
  );
  // The client gets a moment to read the answer; one that goes on sending is cut off then.
  setTimeout(() => socket.destroy(), LINGER_MS).unref();
}

const LINGER_MS = 1_000;

const refusals: Record<string, ErrorCode> = {
  HPE_HEADER_OVERFLOW: 'headers_too_large',
  ERR_HTTP_REQUEST_TIMEOUT: 'request_timeout',
};

/** In the form of Surface A, since the path of the request may be unknown here. */
function refusal(code: ErrorCode): { status: number; body: string } {
  const { status, body } = problemReply('a', new LedgerError(code, errors[code].title), randomUUID());
  return { status, body: JSON.stringify(body) };
}
