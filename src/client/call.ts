/** Calls of the API outside its typed paths: those that the client's own functions make. */
import { randomUUID } from 'node:crypto';
import type { CallerSettings } from './caller-settings.js';
import { errorOf } from './errors.js';
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
  headers(): Headers;
  /** Returns the content of a success. @throws TestledgerError */
  call<T>(method: 'GET' | 'POST', path: string, options?: Call): Promise<T>;
};

type Call = CallOptions & {
  content?: Content;
  headers?: Record<string, string>;
  /** A new one if it is left out; none if it is null. */
  idempotencyKey?: string | null;
};

export type CallerOptions = Sending & CallerSettings;

export function openCaller(options: CallerOptions): Caller {
  const { fetch, retries, url, apiKey, project, timeoutMs, userAgent } = options;
  const base = url.replace(/\/+$/, '');
  const caller: Caller = {
    project,
    timeoutMs,
    sending: { fetch, retries },
    urlOf: (path) => (path.startsWith('/') ? base + path : new URL(path, `${base}/`).href),
    headers: () =>
      new Headers({
        Authorization: `Bearer ${apiKey}`,
        Accept: 'application/json',
        'User-Agent': userAgent,
      }),
    async call<T>(method: 'GET' | 'POST', path: string, { content, ...more }: Call = {}) {
      const headers = caller.headers();
      if (content !== undefined) headers.set('Content-Type', 'application/json');
      const { idempotencyKey = method === 'POST' ? randomUUID() : null } = more;
      if (idempotencyKey !== null) headers.set('Idempotency-Key', idempotencyKey);
      for (const [name, value] of Object.entries(more.headers ?? {})) headers.set(name, value);
      const response = await send(caller.sending, {
        method,
        url: caller.urlOf(path),
        headers,
        timeoutMs: more.timeoutMs ?? timeoutMs,
        signal: more.signal,
        answer: 'json',
        ...(content !== undefined && { body: () => content }),
      });
      const body = parsed(await response.text());
      if (!response.ok) throw errorOf(response, body);
      return body as T;
    },
  };
  return caller;
}
