/** A client like that of a CI pipeline: `fetch` with JSON bodies. Each answer must be one that the API document has. */
import { mustConform } from '../http/conformity.js';

export type Answer = {
  status: number;
  headers: Headers;
  /** The body as JSON; null if it is missing or not JSON. */
  body: any;
  text: string;
};

export type Api = {
  readonly key: string | null;
  /** The first answer that shows everything that was written before. @throws Error when none does in time. */
  get(path: string, headers?: Record<string, string>): Promise<Answer>;
  /** The first answer, which may say with `X-Read-Lag` that it is stale. */
  getOnce(path: string, headers?: Record<string, string>): Promise<Answer>;
  post(path: string, body?: unknown, headers?: Record<string, string>): Promise<Answer>;
  patch(path: string, body?: unknown, headers?: Record<string, string>): Promise<Answer>;
  delete(path: string, headers?: Record<string, string>): Promise<Answer>;
  send(request: Request): Promise<Answer>;
};

export type Request = {
  method: string;
  path: string;
  headers?: Record<string, string> | undefined;
  /** Sent unchanged. */
  content?: string | Uint8Array<ArrayBuffer> | ReadableStream | undefined;
};

/** The time that the contract gives a GET to wait for the views, before its answer may be stale and say so. */
const VIEWS_WITHIN_MS = 2_000;
/** The timers of two processes differ. */
const MARGIN_MS = 100;
const CURRENT_WITHIN_MS = 60_000;

/** `base` is called for every request, since a restarted server listens on another port. */
export function api(base: () => string, key: string | null): Api {
  async function send({ method, path, headers = {}, content }: Request): Promise<Answer> {
    const response = await fetch(base() + path, {
      method,
      headers: {
        ...(key !== null && { Authorization: key }),
        ...(content !== undefined && { 'Content-Type': 'application/json' }),
        ...headers,
      },
      ...(content !== undefined && { body: content }),
      ...(content instanceof ReadableStream && { duplex: 'half' }),
      redirect: 'manual',
    });
    const text = await response.text();
    mustConform({ method, path }, { status: response.status, headers: response.headers, text });
    return { status: response.status, headers: response.headers, body: parsed(text), text };
  }
  const getOnce: Api['getOnce'] = (path, headers) => send({ method: 'GET', path, headers });
  /** On a busy machine the views may need more than the 2 s that a GET waits for them: then it is sent again. */
  const get: Api['get'] = async (path, headers) => {
    for (const end = performance.now() + CURRENT_WITHIN_MS; ;) {
      const began = performance.now();
      const answer = await getOnce(path, headers);
      const lag = answer.headers.get('X-Read-Lag');
      if (lag === null) return answer;
      const waited = performance.now() - began;
      if (waited < VIEWS_WITHIN_MS - MARGIN_MS)
        throw new Error(`GET ${path} was stale after ${waited} ms already`);
      if (performance.now() > end) throw new Error(`GET ${path} stays stale, by ${lag} ms`);
    }
  };
  const json = (body: unknown) => (body === undefined ? undefined : JSON.stringify(body));
  return {
    key,
    get,
    getOnce,
    post: (path, body, headers) => send({ method: 'POST', path, headers, content: json(body) }),
    patch: (path, body, headers) => send({ method: 'PATCH', path, headers, content: json(body) }),
    delete: (path, headers) => send({ method: 'DELETE', path, headers }),
    send,
  };
}

function parsed(text: string): unknown {
  try {
    return JSON.parse(text);
  } catch {
    // Not JSON: metrics, pages, and answers without a body.
    return null;
  }
}
