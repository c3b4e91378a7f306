/** Calls of the API outside its typed paths: those that the client's own functions make. */
import { randomUUID } from 'node:crypto';
import { errorOf, failCall } from './errors.js';
import { tellingOtherVersion } from './other-version.js';
import { parsed } from './read-body.js';
import { send, type Content, type Sending } from './send.js';

/** The options that every function of the client takes. */
export type CallOptions = {
  /** Ends the call and its repeats; the call then rejects with the reason of the signal. */
  signal?: AbortSignal | undefined;
  /** For each attempt. */
  timeoutMs?: number;
};

export type Caller = {
  readonly project: string | undefined;
  readonly timeoutMs: number;
  readonly sending: Sending;
  /** The address of a path of the API, or of a URL that an answer named. */
  urlOf(path: string): string;
  /** The headers of every request of the API. */
  headers(): Record<string, string>;
  /** Returns the content of a success. @throws TestledgerError */
  call<T>(method: 'GET' | 'POST', path: string, options?: Call): Promise<T>;
};

type Call = CallOptions & {
  content?: Content;
  /** By names in lower case. */
  headers?: Record<string, string>;
  /** A new one if it is left out; none if it is null. */
  idempotencyKey?: string | null;
};

export type CallerOptions = Sending & {
  url: string;
  apiKey: string;
  project: string | undefined;
  timeoutMs: number;
  userAgent: string;
};

/** @throws TestledgerError `invalid_call` for a URL or a key that no request can carry */
export function openCaller(options: CallerOptions): Caller {
  const { fetch, retries, url, apiKey, project, timeoutMs, userAgent } = options;
  checkUrl(url);
  // The message shows no key.
  if (!/^[\x21-\x7e]+$/.test(apiKey))
    failCall('The API key must be visible ASCII characters without blanks.');
  const base = url.replace(/\/+$/, '');
  const caller: Caller = {
    project,
    timeoutMs,
    sending: { fetch: tellingOtherVersion(fetch, base), retries },
    urlOf: (path) => (path.startsWith('/') ? base + path : new URL(path, `${base}/`).href),
    headers: () => ({
      authorization: `Bearer ${apiKey}`,
      accept: 'application/json',
      'user-agent': userAgent,
    }),
    async call<T>(method: 'GET' | 'POST', path: string, { content, ...more }: Call = {}) {
      const { idempotencyKey = method === 'POST' ? randomUUID() : null } = more;
      const answer = await send(caller.sending, {
        method,
        url: caller.urlOf(path),
        headers: {
          ...caller.headers(),
          ...(content !== undefined && { 'content-type': 'application/json' }),
          ...(idempotencyKey !== null && { 'idempotency-key': idempotencyKey }),
          ...more.headers,
        },
        timeoutMs: more.timeoutMs ?? timeoutMs,
        signal: more.signal,
        answer: 'json',
        ...(content !== undefined && { body: () => content }),
      });
      const body = parsed(answer.text);
      if (!answer.ok) throw errorOf(answer, body);
      return body as T;
    },
  };
  return caller;
}

function checkUrl(url: string): void {
  if (!/^https?:\/\//.test(url) || !URL.canParse(url))
    failCall('The URL of the server must begin with http:// or https://.');
  const { username, password, search, hash } = new URL(url);
  // `fetch` refuses the first two with an error that shows them; paths would become a part of the others.
  if (`${username}${password}${search}${hash}` !== '')
    failCall('The URL of the server must not have a user, a password, a query or a fragment.');
}
