/**
 * Refusals that the server writes itself: of requests that Node cannot parse, of those that arrive too slowly, and of
 * CONNECT. The app knows nothing of the first kind, so they are reported here; it reports the others.
 */
import { randomUUID } from 'node:crypto';
import { STATUS_CODES, type IncomingMessage, type ServerResponse } from 'node:http';
import type { Duplex } from 'node:stream';
import { errors, AppError, type ErrorCode } from '../../errors.js';
import { problemReply, surfaceOf } from '../problems/reply.js';

/** A request that the app never saw. Method and path are null where the server could not read them. */
export type Refusal = {
  requestId: string;
  method: string | null;
  path: string | null;
  code: ErrorCode;
};

export type Refusals = {
  /** Refuses the request that the parser cannot read, or that took too long. Once for each connection. */
  broken(error: ParserError, socket: Duplex): void;
  /** Refuses a request whose body does not arrive in time. */
  late(response: ServerResponse): void;
  /** Refuses CONNECT. */
  tunnel(request: IncomingMessage, socket: Duplex): void;
};

/** `rawPacket`: the bytes of the last read, which the parser took up to `bytesParsed`. */
export type ParserError = NodeJS.ErrnoException & { rawPacket?: Uint8Array; bytesParsed?: number };

const codes: Record<string, ErrorCode> = {
  HPE_HEADER_OVERFLOW: 'headers_too_large',
  ERR_HTTP_REQUEST_TIMEOUT: 'request_timeout',
};

const givenUp = new WeakMap<ServerResponse, AppError>();

/** The refusal that the server has written in place of the app, if it has. */
export function refusalInPlaceOfApp(response: ServerResponse): AppError | undefined {
  return givenUp.get(response);
}

/** `open` are the unanswered requests in the order of their arrival. */
export function openRefusals(
  open: ReadonlySet<ServerResponse>,
  report: (refusal: Refusal) => void,
): Refusals {
  const refused = new WeakSet<Duplex>();

  function refuse(socket: Duplex, code: ErrorCode, { method, path }: Pick<Refusal, 'method' | 'path'>): void {
    // A client that goes on sending causes the next error at once.
    if (refused.has(socket)) return;
    refused.add(socket);
    const onSocket = [...open].filter((response) => response.req.socket === socket);
    const last = onSocket.at(-1);
    const own = last !== undefined && !last.req.complete ? onSocket.pop() : undefined;
    const answer = () => {
      // In the middle of an answer, another one would look like a part of it.
      if (own?.headersSent === true || !socket.writable) return void socket.destroy();
      const requestId = String(own?.getHeader('X-Request-Id') ?? randomUUID());
      const error = new AppError(code, errors[code].title);
      if (own === undefined) report({ requestId, method, path, code });
      else givenUp.set(own, error);
      write(socket, error, own === undefined ? path : pathOf(own.req), requestId);
    };
    // The answers to earlier requests of the connection come first: a client takes answers in the order of its requests.
    const before = onSocket.at(-1);
    if (before === undefined) answer();
    else before.once('close', answer);
  }

  return {
    broken(error, socket) {
      if (error.code === 'ECONNRESET' || !socket.writable) socket.destroy();
      else refuse(socket, codes[error.code ?? ''] ?? 'malformed_request', requestLineIn(error));
    },
    late({ req }) {
      refuse(req.socket, 'request_timeout', { method: null, path: null });
    },
    tunnel({ method = null }, socket) {
      socket.on('error', () => socket.destroy());
      refuse(socket, 'not_implemented', { method, path: null });
    },
  };
}

/** The client gets a moment to read the answer; one that goes on sending is cut off then. */
const LINGER_MS = 1_000;

function write(socket: Duplex, error: AppError, path: string | null, requestId: string): void {
  // Without a path the surface is unknown: the form of Surface A is the standard one.
  const reply = problemReply(path === null ? 'a' : surfaceOf(path), error, requestId);
  const body = JSON.stringify(reply.body);
  const headers = {
    Date: new Date().toUTCString(),
    'Content-Type': `${reply.type ?? 'application/json'}; charset=utf-8`,
    'Content-Length': String(Buffer.byteLength(body)),
    'Cache-Control': 'no-store',
    'X-Content-Type-Options': 'nosniff',
    'X-Request-Id': requestId,
    ...reply.headers,
    Connection: 'close',
  };
  const lines = Object.entries(headers).map(([name, value]) => `${name}: ${value}\r\n`);
  socket.end(`HTTP/1.1 ${reply.status} ${STATUS_CODES[reply.status]}\r\n${lines.join('')}\r\n${body}`);
  setTimeout(() => socket.destroy(), LINGER_MS).unref();
}

const MOST_OF_PATH = 200;

/** The last request line before the fault. It is a guess for the form and the log: a body may look like one. */
function requestLineIn({ rawPacket, bytesParsed }: ParserError): Pick<Refusal, 'method' | 'path'> {
  const text = Buffer.from(rawPacket ?? []).toString('latin1', 0, bytesParsed);
  const [, method = null, path = null] =
    [...text.matchAll(/(?:^|\n)([A-Z]{1,20}) (\/[^\s?#]*)/g)].at(-1) ?? [];
  return { method, path: path && path.slice(0, MOST_OF_PATH) };
}

function pathOf({ url = '' }: IncomingMessage): string {
  return url.replace(/[?#].*$/, '');
}
