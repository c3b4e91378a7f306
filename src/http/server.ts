/** The HTTP server: its limits, and a stop that lets requests in flight end. */
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
  /** No new connections; waits for requests in flight, at most `ms`, then cuts them off. */
  stop(ms: number): Promise<void>;
};

export type Listen = {
  host: string;
  port: number;
  /** A whole request has to be there within so long, unless its route allows it more. */
  withinMs?: number;
};

/** @throws Error where the address cannot be listened on. */
export async function listen(
  app: Koa,
  { host, port, withinMs = limits.arrivalMs }: Listen,
): Promise<Listening> {
  const answer = app.callback();
  // Answers that are not yet with the operating system.
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
      // Uploads may take long; all that may not is watched by ourselves.
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
  /** On those that never said a word, Node awaits a request for as long as headers may take. */
  const closeSilent = () => {
    for (const socket of sockets) if (socket.bytesRead === 0) socket.destroy();
  };
  server.on('checkContinue', (request: IncomingMessage, response: ServerResponse) => {
    // An upload is told to go on once its URL was found good.
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
      // Told that the connection ends, a client does not send its next request into one that is being closed.
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
    // Node also takes a connection for idle whose answer is written but still on its way: a long answer to a slow
    // reader would end in the middle. So none is closed before all answers have left.
    const closeIdle = () => quiet() && server.closeIdleConnections();
    const sweep = setInterval(closeIdle, 50);
    // Not its own `close`, which closes the idle connections at once.
    TcpServer.prototype.close.call(server, () => {
      clearTimeout(cut);
      clearInterval(sweep);
      resolve();
    });
    closeIdle();
  });
}

const tooSlow = Object.assign(new Error('too slow'), { code: 'ERR_HTTP_REQUEST_TIMEOUT' });

/** What Node refuses before the app sees a request: broken HTTP, too long headers, too slow. */
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
  // A moment to take the answer in; a client that goes on sending is not waited for.
  setTimeout(() => socket.destroy(), LINGER_MS).unref();
}

const LINGER_MS = 1_000;

const refusals: Record<string, ErrorCode> = {
  HPE_HEADER_OVERFLOW: 'headers_too_large',
  ERR_HTTP_REQUEST_TIMEOUT: 'request_timeout',
};

/** Which surface was meant is not always known here: the form is that of A. */
function refusal(code: ErrorCode): { status: number; body: string } {
  const { status, body } = problemReply('a', new LedgerError(code, errors[code].title), randomUUID());
  return { status, body: JSON.stringify(body) };
}
