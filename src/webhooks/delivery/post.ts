/**
 * The POST of an attempt.
 *
 * Takes: the URL, the headers and the body of a message. Gives: the HTTP status or the reason of a failure, within 15 s.
 * Connections are kept for later messages. It runs for each message of each webhook, so it makes few objects: an
 * `AbortSignal` of its own, a parsed URL and an iterator of the answer were most of the cost of an attempt.
 */
import { request as httpRequest, type ClientRequest, type IncomingMessage } from 'node:http';
import { request as httpsRequest, type RequestOptions } from 'node:https';
import type { Socket } from 'node:net';
import { urlToHttpOptions } from 'node:url';
import { DateTime } from 'luxon';
import { LRUCache } from 'lru-cache';
import type { DeliveryAttempt } from '../../domain/messages/delivery.js';
import { limits } from '../../limits.js';
import { version } from '../../version.js';
import { openEgress, type Egress, type EgressOptions } from '../endpoint/egress.js';
import { failureOf, isOwnFault, refusalOf } from './failures.js';

export type PostRequest = {
  /** The team of the webhook: each has its share of the look-ups. */
  team: string;
  url: string;
  headers: Readonly<Record<string, string>>;
  body: string;
  /** Now, by the caller's clock. */
  at: Date;
  /** Ends the request, with everything that it has begun. */
  signal: AbortSignal;
  /** Asked right before the first byte leaves. Where it is false, the signal is aborted and nothing is sent. */
  mayBegin: () => boolean;
};

export type Posted = DeliveryAttempt & { retryAfterMs: number | null };

/** Rejects only if it is aborted, or if a fault of this machine prevents it. */
export type Post = (request: PostRequest) => Promise<Posted>;

/** An attempt does not show the refused address, nor the name that led there. */
export type PostOptions = EgressOptions & {
  /** From the look-up of the name to the last byte of the answer. */
  limitMs?: number;
};

const READ_BYTES = 64 * 1024;
const URLS_KEPT = 1_000;
const USER_AGENT = `testledger/${version}`;

/** `headers`: those of each request, as names and values in turn, so that the runtime writes them as they are. */
type Target = { isSecure: boolean; options: RequestOptions; headers: readonly string[] };

/**
 * Opens a client that keeps its connections open for later requests, until it is closed. Long because all steps of a
 * request share its connections and limits: each is short.
 */
export function openPost({ limitMs = limits.webhookAnswerMs, ...options }: PostOptions): {
  post: Post;
  close(): void;
} {
  const egress = openEgress(options);
  const targets = new LRUCache<string, Target>({ max: URLS_KEPT });

  const post: Post = async (wanted) => {
    const began = performance.now();
    const limit = limited(wanted.signal, limitMs);
    const seen: { status: number | null; bytes: Buffer[] } = { status: null, bytes: [] };
    let error: string | null = null;
    let retryAfterMs: number | null = null;
    const exchange = async (): Promise<void> => {
      const answer = await answerTo(wanted, limit);
      seen.status = answer.statusCode ?? null;
      error = refusalOf(seen.status ?? 0);
      if (error !== null) retryAfterMs = retryAfterOf(answer.headers['retry-after'], wanted.at);
      // After 101 the bytes follow another protocol.
      if (seen.status !== 101) await read(answer, seen.bytes);
    };
    try {
      // A race: a request that does not notice its end must not hold up its webhook or a stop.
      await Promise.race([exchange(), limit.over]);
    } catch (failure) {
      if (wanted.signal.aborted || isOwnFault(failure)) throw failure;
      const missing = seen.status === null ? 'no answer' : 'no whole answer';
      error = limit.isLate() ? `${missing} within ${limitMs / 1000} s` : (error ?? failureOf(failure));
    } finally {
      limit.clear();
    }
    const response = seen.status === null ? null : textOf(seen.bytes);
    const duration_ms = Math.round(performance.now() - began);
    return { at: wanted.at.toISOString(), status: seen.status, duration_ms, error, response, retryAfterMs };
  };

  async function answerTo(wanted: PostRequest, limit: Limit): Promise<IncomingMessage> {
    try {
      return await send(wanted, limit, egress.kept);
    } catch (error) {
      // The endpoint closed a kept connection while this request began on it, which is no fault. Other kept connections
      // may be closed as well, so the second try takes a new one.
      if (!(error instanceof Stale) || limit.isOver()) throw error;
      return send(wanted, limit, egress.fresh);
    }
  }

  function targetOf(url: string): Target {
    let target = targets.get(url);
    if (target === undefined) {
      target = parse(url);
      targets.set(url, target);
    }
    return target;
  }

  function send(
    { team, url, headers, body, mayBegin }: PostRequest,
    limit: Limit,
    agents: Egress['kept'],
  ): Promise<IncomingMessage> {
    return new Promise((resolve, reject) => {
      const { isSecure, options: target, headers: common } = targetOf(url);
      const all = [...common, 'content-length', String(Buffer.byteLength(body, 'utf8'))];
      for (const name in headers) all.push(name, headers[name]!);
      const options: RequestOptions & { team: string } = {
        ...target,
        method: 'POST',
        agent: isSecure ? agents.https : agents.http,
        team,
        headers: all,
      };
      const sent = isSecure ? httpsRequest(options) : httpRequest(options);
      limit.ends(sent);
      // Not before there is a connection: a request that waited for one while this process was frozen would leave
      // after another process has taken over, and overtake later messages of the test.
      sent.once('socket', (socket) => {
        const begin = () => (mayBegin() ? write(sent, socket, body) : sent.destroy());
        if (!socket.connecting) begin();
        else socket.once(isSecure ? 'secureConnect' : 'connect', begin);
      });
      let isAnswered = false;
      const answered = (answer: IncomingMessage) => {
        isAnswered = true;
        resolve(answer);
      };
      sent.once('response', answered);
      // A server may switch protocols unasked; then there is no `response` event.
      sent.once('upgrade', (answer, socket) => {
        socket.destroy();
        answered(answer);
      });
      sent.on('error', (error: NodeJS.ErrnoException) => {
        const stale = sent.reusedSocket && (error.code === 'ECONNRESET' || error.code === 'EPIPE');
        reject(stale ? new Stale(error.message, { cause: error }) : error);
      });
      // Comes last, and alone if the connection closed without any of the events above.
      sent.once('close', () => isAnswered || reject(closed()));
    });
  }

  return { post, close: () => egress.close() };
}

/**
 * As one piece: the runtime joins the head and a text. `end(body)` would add an empty second piece, and write both by a
 * slower call.
 */
function write(sent: ClientRequest, socket: Socket, body: string): void {
  socket.cork();
  sent.write(body, 'utf8');
  socket.uncork();
  sent.end();
}

/** Only what a request needs: the runtime copies the options several times. */
function parse(url: string): Target {
  const parsed = new URL(url);
  const { protocol, hostname, port, path, auth } = urlToHttpOptions(parsed);
  const headers = ['host', parsed.host, 'content-type', 'application/json', 'user-agent', USER_AGENT];
  // New webhooks have no password.
  if (auth != null) headers.push('authorization', `Basic ${Buffer.from(auth).toString('base64')}`);
  const options = { protocol: protocol!, hostname: hostname!, path: path!, ...(port != null && { port }) };
  return { isSecure: protocol === 'https:', options, headers };
}

class Stale extends Error {}

function closed(): Error {
  return Object.assign(new Error('closed'), { code: 'ECONNRESET' });
}

type Limit = ReturnType<typeof limited>;

/** Ends with the caller's signal or after a time: then `over` rejects, even if the request hangs. */
function limited(caller: AbortSignal, limitMs: number) {
  let late = false;
  let isOver = false;
  let request: ClientRequest | null = null;
  let reject: (error: Error) => void;
  const over = new Promise<never>((_resolve, rejects) => (reject = rejects));
  // It may reject before it is awaited.
  over.catch(() => undefined);
  const end = () => {
    isOver = true;
    const error = caller.aborted ? (caller.reason as Error) : new Error('late');
    request?.destroy(error);
    reject(error);
  };
  const timeout = setTimeout(() => {
    late = true;
    end();
  }, limitMs);
  // Not `AbortSignal.any`: the caller's signal would hold each combined signal as long as it lives.
  caller.addEventListener('abort', end);
  if (caller.aborted) end();
  return {
    over,
    isLate: () => late,
    isOver: () => isOver,
    /** Destroys the request at the end, and at once where that has come. */
    ends(begun: ClientRequest): void {
      request = begun;
      if (isOver) begun.destroy();
    },
    clear: () => {
      clearTimeout(timeout);
      caller.removeEventListener('abort', end);
    },
  };
}

/** Reads to the end, so that the connection can be used again, but not a long answer. */
function read(answer: IncomingMessage, bytes: Buffer[]): Promise<void> {
  return new Promise((resolve, reject) => {
    let length = 0;
    answer.on('data', (chunk: Buffer) => {
      if (length < limits.responseBytesShown)
        bytes.push(chunk.subarray(0, limits.responseBytesShown - length));
      length += chunk.length;
      if (length < READ_BYTES) return;
      // Closes the connection.
      answer.destroy();
      resolve();
    });
    answer.once('end', resolve);
    answer.on('error', reject);
    answer.once('close', () => answer.complete || reject(closed()));
  });
}

/** Omits a character that was cut in the middle. Replaces invalid bytes, and NUL, which no store takes. */
function textOf(bytes: readonly Buffer[]): string {
  if (bytes.length === 0) return '';
  const text = new TextDecoder().decode(Buffer.concat(bytes), { stream: true });
  return text.replaceAll('\0', '\ufffd');
}

/**
 * Milliseconds from now, by the header `Retry-After`: seconds or an HTTP date. Null without one, or if it is neither.
 */
function retryAfterOf(header: string | undefined, now: Date): number | null {
  const text = header?.trim() ?? '';
  // Of any length: the caller has its own bound.
  if (/^\d+$/.test(text)) return Number(text) * 1_000;
  const at = DateTime.fromHTTP(text);
  return at.isValid ? Math.max(0, at.toMillis() - now.getTime()) : null;
}
