/** A proxy before a real server that does its worst, request by request, so that the server's own data show what came of it. */
import { once } from 'node:events';
import { createServer, type IncomingMessage, type ServerResponse } from 'node:http';
import type { AddressInfo } from 'node:net';
import { buffer } from 'node:stream/consumers';

export type Fault =
  /** The request does not reach the server, and the connection ends. */
  | 'closed'
  /** The server does its work, and the connection ends without an answer. */
  | 'unanswered'
  /** The server does its work, and the connection ends in the middle of the answer. */
  | 'cut'
  /** The server does its work, and the answer never comes. */
  | 'silent'
  /** The server does its work, and the answer is not JSON. */
  | 'not json'
  /** The server does its work, and the page of a proxy says that it did not. */
  | 'page of a proxy'
  /** Refused for now, with a `Retry-After`. */
  | 429
  | 503;

export type FaultyProxy = {
  readonly url: string;
  /** The faults of the next requests in order; null for none. Then every request is passed on. */
  plan(faults: readonly (Fault | null)[]): void;
  /** The requests since the last plan. */
  readonly requests: readonly ProxiedRequest[];
};

export type ProxiedRequest = {
  method: string;
  path: string;
  headers: IncomingMessage['headers'];
  bytes: number;
  at: number;
};

/** Declares a proxy for the tests of the block around it. */
export function faultyProxy(target: () => string): FaultyProxy {
  let url = '';
  let planned: (Fault | null)[] = [];
  let requests: ProxiedRequest[] = [];
  const server = createServer((request, response) => void proxied(request, response));

  async function proxied(request: IncomingMessage, response: ServerResponse): Promise<void> {
    const fault = planned.shift() ?? null;
    const body = await buffer(request);
    const { method = '', url: path = '', headers } = request;
    requests.push({ method, path, headers, bytes: body.length, at: performance.now() });
    if (fault === 'closed') return void request.socket.destroy();
    if (fault === 429 || fault === 503) {
      response.writeHead(fault, { 'Retry-After': '1', 'Content-Type': 'application/json' });
      const code = fault === 429 ? 'rate_limited' : 'unavailable';
      return void response.end(JSON.stringify({ error: { code, message: 'Not now.', details: {} } }));
    }
    const { host: _, connection: __, ...passed } = headers;
    const answer = await fetch(target() + path, {
      method,
      headers: passed as Record<string, string>,
      ...(body.length > 0 && { body }),
    });
    const content = Buffer.from(await answer.arrayBuffer());
    switch (fault) {
      case null: {
        const kept = [...answer.headers].filter(
          ([name]) => !/^(content-encoding|content-length|transfer-encoding|connection)$/.test(name),
        );
        response.writeHead(answer.status, Object.fromEntries(kept));
        return void response.end(content);
      }
      case 'unanswered':
        return void request.socket.destroy();
      case 'cut':
        response.writeHead(answer.status, { 'Content-Length': content.length });
        response.write(content.subarray(0, content.length / 2), () => request.socket.destroy());
        return;
      case 'silent':
        return;
      case 'not json':
        response.writeHead(answer.status, { 'Content-Type': 'application/json' });
        return void response.end(content.subarray(0, content.length / 2));
      case 'page of a proxy':
        response.writeHead(502, { 'Content-Type': 'text/html' });
        return void response.end('<h1>Bad Gateway</h1>');
    }
  }

  before(async () => {
    server.listen(0, '127.0.0.1');
    await once(server, 'listening');
    url = `http://127.0.0.1:${(server.address() as AddressInfo).port}`;
  });
  after(async () => {
    server.closeAllConnections();
    server.close();
    await once(server, 'close');
  });
  return {
    get url() {
      return url;
    },
    plan(faults) {
      planned = [...faults];
      requests = [];
    },
    get requests() {
      return requests;
    },
  };
}
