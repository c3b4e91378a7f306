/** One request until it is answered: with a time limit for each attempt, and repeated where a repeat can help. */
import { clearTimeout, setTimeout } from 'node:timers';
import { setTimeout as pause } from 'node:timers/promises';
import pRetry from 'p-retry';
import { errorOf, TestledgerError, type Head } from './errors.js';
import { parsed, readBody, type Body } from './read-body.js';

/** How long failed requests are repeated. */
export type Retries = {
  /** Repeats after the first attempt. */
  most: number;
  /** The first pause. Each pause is about twice as long as the one before it. */
  firstMs: number;
  longestMs: number;
  /** No attempt begins after this time. A longer `Retry-After` ends the request. */
  forMs: number;
};

export const defaultRetries: Retries = { most: 8, firstMs: 250, longestMs: 10_000, forMs: 120_000 };

export type Sending = {
  /** Without a default, so that no caller of this module passes a test's one by. */
  fetch: Fetch;
  retries: Retries;
};

export type Content = NonNullable<RequestInit['body']>;

/**
 * What is used of `fetch`. It names no `Headers` and no `Response`, because a process that has none yet grows by 7 MiB
 * with the first: a live run is a guest in the process of the tests.
 */
export type Fetch = (url: string, init: FetchInit) => Promise<Head & { body: Body }>;

export type FetchInit = {
  method: string;
  /** By names in lower case. */
  headers: Record<string, string>;
  redirect: 'manual';
  signal: AbortSignal;
  body?: Content;
  duplex?: 'half';
};

/** A whole answer. */
export type Answer = Head & { ok: boolean; bytes: Buffer<ArrayBuffer>; text: string };

export type Outgoing = {
  method: string;
  url: string;
  headers: Record<string, string>;
  /** Makes the body anew for each attempt, because a stream can be sent once. */
  body?: () => Content;
  /** For one attempt, until its whole answer is there. */
  timeoutMs: number;
  signal?: AbortSignal | undefined;
  /** Whether a success must be JSON. The storage of artifacts answers anything. */
  answer: 'json' | 'any';
};

/** An answer beyond this is not one of the API: a page of results has about 20 MB at most. */
const ANSWER_BYTES = 64 * 1024 * 1024;

/** Statuses that say nothing of the request itself. 502 and 504 are those of a proxy before a server that restarts. */
const passing = new Set([408, 429, 502, 503, 504]);

/**
 * Sends a request that can be repeated: one without an effect, one whose effect is the same when it comes twice, or one
 * with an `Idempotency-Key`. The answer is read to its end, because a connection that breaks in the middle of it is a
 * failed attempt too. Returns the last answer where no repeat helped.
 * @throws TestledgerError `unreachable`, `timeout`, `bad_answer`; the reason of `signal`.
 */
export async function send({ fetch, retries }: Sending, outgoing: Outgoing): Promise<Answer> {
  const { signal } = outgoing;
  const end = performance.now() + retries.forMs;
  let refused: Answer | null = null;
  const attempt = async () => {
    refused = null;
    const answer = await answerTo(fetch, outgoing);
    if (answer.ok) return answer;
    const error = errorOf(answer, parsed(answer.text));
    // A former attempt is still at work: its answer comes with a repeat.
    if (!passing.has(answer.status) && error.code !== 'in_flight') return answer;
    refused = answer;
    throw error;
  };
  try {
    return await pRetry(attempt, {
      retries: retries.most,
      minTimeout: retries.firstMs,
      maxTimeout: retries.longestMs,
      maxRetryTime: retries.forMs,
      randomize: true,
      ...(signal && { signal }),
      async shouldRetry({ error }) {
        if (!(error instanceof TestledgerError)) return false;
        const afterMs = error.retryAfterMs ?? 0;
        if (performance.now() + afterMs > end) return false;
        await pauseFor(afterMs, signal);
        return true;
      },
    });
  } catch (error) {
    signal?.throwIfAborted();
    if (refused !== null) return refused;
    throw error;
  }
}

async function pauseFor(ms: number, signal: AbortSignal | undefined): Promise<void> {
  try {
    await pause(ms, undefined, { signal });
  } catch {
    // Only the signal ends a pause, and its reason is what the caller expects.
    signal?.throwIfAborted();
  }
}

/** One attempt. @throws TestledgerError; the reason of the signal */
async function answerTo(fetch: Sending['fetch'], outgoing: Outgoing): Promise<Answer> {
  const { method, url, headers, body, timeoutMs, signal, answer } = outgoing;
  signal?.throwIfAborted();
  const aborting = new AbortController();
  const abort = () => aborting.abort(signal?.reason);
  signal?.addEventListener('abort', abort, { once: true });
  const late = new TestledgerError('timeout', `${method} ${url} was not answered in ${timeoutMs} ms`);
  const timer = setTimeout(() => aborting.abort(late), timeoutMs);
  try {
    const response = await fetch(url, {
      method,
      headers,
      // A redirect would turn a POST into a GET, and take the key to another place.
      redirect: 'manual',
      signal: aborting.signal,
      ...(body !== undefined && { body: body(), duplex: 'half' }),
    });
    const bytes = await readBody(response, ANSWER_BYTES, () => {
      throw new TestledgerError('bad_answer', `The answer has more than ${ANSWER_BYTES} bytes.`);
    });
    const text = new TextDecoder().decode(bytes);
    const { status } = response;
    const ok = status >= 200 && status <= 299;
    if (answer === 'json' && ok && bytes.length > 0 && parsed(text) === undefined)
      throw new TestledgerError(
        'bad_answer',
        `${method} ${url} was answered with something that is not JSON`,
        { status },
      );
    return { ok, status, headers: response.headers, bytes, text };
  } catch (error) {
    if (error instanceof TestledgerError) throw error;
    aborting.signal.throwIfAborted();
    throw new TestledgerError('unreachable', `${method} ${url} failed: ${causeOf(error)}`, { cause: error });
  } finally {
    clearTimeout(timer);
    signal?.removeEventListener('abort', abort);
  }
}

/** `fetch` itself says "fetch failed" only; the reason is in its cause. */
function causeOf(error: unknown): string {
  const { message, cause } = error as Error;
  return cause instanceof Error
    ? cause.message || ((cause as NodeJS.ErrnoException).code ?? message)
    : message;
}
