/** One attempt: the same bytes to one URL, and what came of it. */
import { request as httpRequest, type IncomingMessage } from 'node:http';
import { request as httpsRequest } from 'node:https';
import type { DeliveryAttempt } from '../../domain/delivery.js';
import { version } from '../../version.js';
import { openEgress, type Egress, type Refused, type Resolve } from './egress.js';
import { failureOf, isOurs, refusalOf } from './failures.js';
import { retryAfterOf } from './retry.js';
import { limits } from '../../limits.js';

export type PostRequest = {
  url: string;
  headers: Readonly<Record<string, string>>;
  body: string;
  /** Now, by the caller's clock. */
  at: Date;
  /** Ends it, with whatever it had begun. */
  signal: AbortSignal;
};

export type Posted = DeliveryAttempt & { retryAfterMs: number | null };

/** Never rejects, unless it is aborted, or could not be sent for want of something of this machine. */
export type Post = (request: PostRequest) => Promise<Posted>;

export type PostOptions = {
  /** CIDRs of one's own network that are opened. */
  allow: readonly string[];
  /** From the look-up of the name to the last byte of the answer. */
  limitMs?: number;
  /** All addresses of a name: the system's way by default. */
  resolve?: Resolve;
  /** Told of an address that is not allowed, and of the name that led there: an attempt does not show it. */
  refused?: Refused;
};

const READ_BYTES = 64 * 1024;

/** What sends; its connections are kept open for what follows, until it is closed. */
export function openPost({ allow, limitMs = limits.webhookAnswerMs, resolve, refused }: PostOptions): {
  post: Post;
  close(): void;
} {
  const egress = openEgress({ allow, ...(resolve && { resolve }), ...(refused && { refused }) });

  const post: Post = async (wanted) => {
    const began = performance.now();
    const limit = limited(wanted.signal, limitMs);
    const seen: { status: number | null; bytes: Buffer[] } = { status: null, bytes: [] };
    let error: string | null = null;
    let retryAfterMs: number | null = null;
    const attempt = async (): Promise<void> => {
      const answer = await answerTo(wanted, limit.signal);
      seen.status = answer.statusCode ?? null;
      error = refusalOf(seen.status ?? 0);
      if (error !== null) retryAfterMs = retryAfterOf(answer.headers['retry-after'], wanted.at);
      // Of what follows the protocol was changed.
      if (seen.status !== 101) await read(answer, seen.bytes);
    };
    try {
      // Not only aborted: what does not notice that must not hold up its webhook for ever, nor a stop.
      await Promise.race([attempt(), limit.over]);
    } catch (failure) {
      if (wanted.signal.aborted || isOurs(failure)) throw failure;
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
      // The endpoint closed a kept connection while we took it up again: nothing is wrong with it. Another that was kept
      // may be closed as well.
      if (!(error instanceof Stale) || signal.aborted) throw error;
      return send(wanted, signal, egress.fresh);
    }
  }

  function send(
    { url, headers, body }: PostRequest,
    signal: AbortSignal,
    agents: Egress['kept'],
  ): Promise<IncomingMessage> {
    return new Promise((resolve, reject) => {
      const { protocol } = new URL(url);
      const [request, agent] =
        protocol === 'https:' ? [httpsRequest, agents.https] : [httpRequest, agents.http];
      const bytes = Buffer.from(body, 'utf8');
      const sent = request(url, {
        method: 'POST',
        agent,
        signal,
        headers: {
          'content-type': 'application/json',
          'content-length': bytes.length,
          'user-agent': `testledger/${version}`,
          ...headers,
        },
      });
      sent.once('response', resolve);
      // In place of a response, whether anybody asked for another protocol or not.
      sent.once('upgrade', (answer, socket) => {
        socket.destroy();
        resolve(answer);
      });
      sent.on('error', (error: NodeJS.ErrnoException) => {
        const stale = sent.reusedSocket && (error.code === 'ECONNRESET' || error.code === 'EPIPE');
        reject(stale ? new Stale(error.message, { cause: error }) : error);
      });
      // After whichever of these; and where there was none.
      sent.once('close', () => reject(Object.assign(new Error('closed'), { code: 'ECONNRESET' })));
      sent.end(bytes);
    });
  }

  return { post, close: () => egress.close() };
}

class Stale extends Error {}

/** Ends with its caller's signal, or after so long: then `over` rejects, whatever its `signal` does. */
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
  // It may be over before anybody waits for it.
  over.catch(() => undefined);
  const timeout = setTimeout(() => {
    late = true;
    end();
  }, limitMs);
  // By hand: a combined signal would be kept by the caller's for as long as that lives.
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

/** Reads to the end, so that the connection can be used again, unless that is far away. */
async function read(answer: IncomingMessage, bytes: Buffer[]): Promise<void> {
  let length = 0;
  for await (const chunk of answer as AsyncIterable<Buffer>) {
    if (length < limits.responseBytesShown) bytes.push(chunk.subarray(0, limits.responseBytesShown - length));
    length += chunk.length;
    // Leaving the loop closes the connection.
    if (length >= READ_BYTES) return;
  }
}

/** A character that was cut in the middle is left out; what is none, and NUL, which no store takes, is replaced. */
function textOf(bytes: readonly Buffer[]): string {
  const text = new TextDecoder().decode(Buffer.concat(bytes), { stream: true });
  return text.replaceAll('\0', '\ufffd');
}
