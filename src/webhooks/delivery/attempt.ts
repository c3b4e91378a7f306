/**
 * One attempt of a delivery: it signs the body, POSTs it, and says what happened.
 *
 * Takes: a delivery and the URL of its webhook; it has the body of the message rendered. Gives: the HTTP status or the
 * reason of a failure, and the delay for which the endpoint asked. An attempt takes up to 15 s, with the name's look-up
 * and the answer's last byte. If it is aborted, it is unknown whether the endpoint has the message. It is sent again, so
 * an endpoint may get it twice.
 */
import { request as httpRequest, type IncomingMessage } from 'node:http';
import { request as httpsRequest, type RequestOptions } from 'node:https';
import { DateTime } from 'luxon';
import { Webhook } from 'standardwebhooks';
import type { Clock } from '../../clock.js';
import type { Delivery, DeliveryAttempt } from '../../domain/messages/delivery.js';
import type { Instant } from '../../domain/event.js';
import { isLedgerError } from '../../errors.js';
import { limits } from '../../limits.js';
import { version } from '../../version.js';
import { openEgress, type Egress, type EgressOptions } from '../endpoint/egress.js';
import type { BodyOf } from './bodies.js';
import { failureOf, isOwnFault, refusalOf } from './failures.js';

export type AttemptOptions = {
  post: Post;
  /** The secrets of a webhook that sign at an instant, newest first. */
  secrets: (webhookId: string, now: Instant) => Promise<string[]>;
  bodyOf: BodyOf;
  clock: Clock;
  /** Called if the secret of a webhook cannot be read, or its message not rendered. */
  report: (error: unknown) => void;
};

/**
 * `sent`: false if nothing was sent because something is missing here, which says nothing about the endpoint. `lost`:
 * the message no longer exists, and no attempt can ever send it.
 */
export type Attempt = Posted & { sent: boolean; lost: boolean };

/**
 * Makes one attempt. Null if it was aborted. @throws LedgerError `state_unavailable`, or the fault of this machine
 * because of which nothing could be sent.
 */
export async function attempt(
  { post, secrets, bodyOf, clock, report }: AttemptOptions,
  wanted: { url: string; delivery: Delivery; soon: readonly Delivery[] } & Pick<
    PostRequest,
    'signal' | 'mayBegin'
  >,
): Promise<Attempt | null> {
  const at = clock();
  const { url, delivery, soon, signal, mayBegin } = wanted;
  const { event_id, webhook_id, team_id: team } = delivery;
  let valid: string[];
  try {
    valid = await secrets(webhook_id, at.toISOString());
  } catch (error) {
    if (!isLedgerError(error, 'internal')) throw error;
    report(error);
    return unsent(at, 'the secret of this webhook cannot be read here');
  }
  if (valid.length === 0) return unsent(at, 'there is no secret to sign with: rotate it');
  let body: string | null;
  try {
    body = await bodyOf(delivery, soon);
  } catch (error) {
    if (isTemporary(error)) throw error;
    report(error);
    return unsent(at, 'the message cannot be rendered here');
  }
  if (body === null) return { ...unsent(at, 'the message no longer exists in the log'), lost: true };
  try {
    const headers = signedHeaders(valid, { id: event_id, at, body });
    return { ...(await post({ team, url, headers, body, at, signal, mayBegin })), sent: true, lost: false };
  } catch (error) {
    if (signal.aborted) return null;
    throw error;
  }
}

function unsent(at: Date, error: string): Attempt {
  const nothing = { status: null, duration_ms: 0, response: null, retryAfterMs: null };
  return { at: at.toISOString(), ...nothing, error, sent: false, lost: false };
}

/** A store does not answer, or the outbox does not have the message yet. */
function isTemporary(error: unknown): boolean {
  return isLedgerError(error) && error.code.endsWith('_unavailable');
}

/**
 * The headers of Standard Webhooks 1.0. Id and body stay the same with every attempt. They are signed for the time of
 * this attempt with each valid secret, the newest first, so that a receiver can verify with either during a rotation.
 */
export function signedHeaders(
  secrets: readonly string[],
  message: { id: string; at: Date; body: string },
): Record<string, string> {
  const { id, at, body } = message;
  return {
    'webhook-id': id,
    'webhook-timestamp': String(Math.floor(at.getTime() / 1000)),
    'webhook-signature': secrets.map((secret) => new Webhook(secret).sign(id, at, body)).join(' '),
  };
}

// --- The POST -------------------------------------------------------------------------------------------------------

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

/**
 * Opens a client that keeps its connections open for later requests, until it is closed. Long because all steps of an
 * attempt share its connections and limits: each is short.
 */
export function openPost({ limitMs = limits.webhookAnswerMs, ...options }: PostOptions): {
  post: Post;
  close(): void;
} {
  const egress = openEgress(options);

  const post: Post = async (wanted) => {
    const began = performance.now();
    const limit = limited(wanted.signal, limitMs);
    const seen: { status: number | null; bytes: Buffer[] } = { status: null, bytes: [] };
    let error: string | null = null;
    let retryAfterMs: number | null = null;
    const exchange = async (): Promise<void> => {
      const answer = await answerTo(wanted, limit.signal);
      seen.status = answer.statusCode ?? null;
      error = refusalOf(seen.status ?? 0);
      if (error !== null) retryAfterMs = retryAfterOf(answer.headers['retry-after'], wanted.at);
      // After 101 the bytes follow another protocol.
      if (seen.status !== 101) await read(answer, seen.bytes);
    };
    try {
      // A race, not only an abort: code that does not notice the abort must not hold up its webhook or a stop.
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

  async function answerTo(wanted: PostRequest, signal: AbortSignal): Promise<IncomingMessage> {
    try {
      return await send(wanted, signal, egress.kept);
    } catch (error) {
      // The endpoint closed a kept connection while this request began on it, which is no fault. Other kept connections
      // may be closed as well, so the second try takes a new one.
      if (!(error instanceof Stale) || signal.aborted) throw error;
      return send(wanted, signal, egress.fresh);
    }
  }

  function send(
    { team, url, headers, body, mayBegin }: PostRequest,
    signal: AbortSignal,
    agents: Egress['kept'],
  ): Promise<IncomingMessage> {
    return new Promise((resolve, reject) => {
      const { protocol } = new URL(url);
      const [request, agent] =
        protocol === 'https:' ? [httpsRequest, agents.https] : [httpRequest, agents.http];
      const bytes = Buffer.from(body, 'utf8');
      const options: RequestOptions & { team: string } = {
        method: 'POST',
        agent,
        signal,
        team,
        headers: {
          'content-type': 'application/json',
          'content-length': bytes.length,
          'user-agent': `testledger/${version}`,
          ...headers,
        },
      };
      const sent = request(url, options);
      // Not before there is a connection: a request that waited for one while this process was frozen would leave
      // after another process has taken over, and overtake later messages of the test.
      sent.once('socket', (socket) => {
        const begin = () => (mayBegin() ? sent.end(bytes) : sent.destroy());
        if (!socket.connecting) begin();
        else socket.once(protocol === 'https:' ? 'secureConnect' : 'connect', begin);
      });
      sent.once('response', resolve);
      // A server may switch protocols unasked; then there is no `response` event.
      sent.once('upgrade', (answer, socket) => {
        socket.destroy();
        resolve(answer);
      });
      sent.on('error', (error: NodeJS.ErrnoException) => {
        const stale = sent.reusedSocket && (error.code === 'ECONNRESET' || error.code === 'EPIPE');
        reject(stale ? new Stale(error.message, { cause: error }) : error);
      });
      // Comes last, and alone if the connection closed without any of the events above.
      sent.once('close', () => reject(Object.assign(new Error('closed'), { code: 'ECONNRESET' })));
    });
  }

  return { post, close: () => egress.close() };
}

class Stale extends Error {}

/** Ends with the caller's signal or after a time: then `over` rejects, even if the user of `signal` hangs. */
function limited(caller: AbortSignal, limitMs: number) {
  const ending = new AbortController();
  let late = false;
  let end: () => void = () => undefined;
  const over = new Promise<never>((_resolve, reject) => {
    end = () => {
      ending.abort();
      reject(ending.signal.reason as Error);
    };
  });
  // It may reject before it is awaited.
  over.catch(() => undefined);
  const timeout = setTimeout(() => {
    late = true;
    end();
  }, limitMs);
  // Not `AbortSignal.any`: the caller's signal would hold each combined signal as long as it lives.
  caller.addEventListener('abort', end);
  if (caller.aborted) end();
  return {
    signal: ending.signal,
    over,
    isLate: () => late,
    clear: () => {
      clearTimeout(timeout);
      caller.removeEventListener('abort', end);
    },
  };
}

/** Reads to the end, so that the connection can be used again, but not a long answer. */
async function read(answer: IncomingMessage, bytes: Buffer[]): Promise<void> {
  let length = 0;
  for await (const chunk of answer as AsyncIterable<Buffer>) {
    if (length < limits.responseBytesShown) bytes.push(chunk.subarray(0, limits.responseBytesShown - length));
    length += chunk.length;
    // The end of the loop closes the connection.
    if (length >= READ_BYTES) return;
  }
}

/** Omits a character that was cut in the middle. Replaces invalid bytes, and NUL, which no store takes. */
function textOf(bytes: readonly Buffer[]): string {
  const text = new TextDecoder().decode(Buffer.concat(bytes), { stream: true });
  return text.replaceAll('\0', '\ufffd');
}

/**
 * Milliseconds from now, by the header `Retry-After`: seconds or an HTTP date. Null without one, or if it is neither.
 */
function retryAfterOf(header: string | undefined, now: Date): number | null {
  const text = header?.trim() ?? '';
  if (/^\d{1,9}$/.test(text)) return Number(text) * 1_000;
  const at = DateTime.fromHTTP(text);
  return at.isValid ? Math.max(0, at.toMillis() - now.getTime()) : null;
}
