/** A client as a CI pipeline would write it: `fetch`, and the bodies as JSON. */

export type Answer = {
  status: number;
  headers: Headers;
  /** The body as JSON; null where there is none, or where it is not JSON. */
  body: any;
  text: string;
};

export type Api = {
  readonly key: string | null;
  get(path: string, headers?: Record<string, string>): Promise<Answer>;
  post(path: string, body?: unknown, headers?: Record<string, string>): Promise<Answer>;
  patch(path: string, body?: unknown, headers?: Record<string, string>): Promise<Answer>;
  delete(path: string, headers?: Record<string, string>): Promise<Answer>;
  send(request: Request): Promise<Answer>;
};

export type Request = {
  method: string;
  path: string;
  headers?: Record<string, string> | undefined;
  /** Sent as it is. */
  content?: string | Uint8Array<ArrayBuffer> | ReadableStream | undefined;
};

/** `base` is asked at every request: a server that was started again listens elsewhere. */
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
    return { status: response.status, headers: response.headers, body: parsed(text), text };
  }
  const json = (body: unknown) => (body === undefined ? undefined : JSON.stringify(body));
  return {
    key,
    get: (path, headers) => send({ method: 'GET', path, headers }),
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
    // Metrics, and answers without a body.
    return null;
  }
}
