/** A proxy before a server, whose first comparison of a run is of the time before its results: as of a server that is behind. */
import { once } from 'node:events';
import { createServer, type IncomingMessage, type ServerResponse } from 'node:http';
import type { AddressInfo } from 'node:net';
import { buffer } from 'node:stream/consumers';

const NOT_PASSED_ON = /^(host|connection|content-encoding|content-length|transfer-encoding)$/u;

/** Declares the proxy for the tests of the block around it. */
export function laggingProxy(target: () => string): { readonly url: string; readonly lagged: number } {
  let url = '';
  let lagged = 0;
  const server = createServer((request, response) => void passOn(request, response));

  async function passOn(request: IncomingMessage, response: ServerResponse): Promise<void> {
    const { method = '', url: path = '', headers } = request;
    const body = await buffer(request);
    const answer = await fetch(target() + path, {
      method,
      headers: kept(Object.entries(headers) as [string, string][]),
      ...(body.length > 0 && { body }),
    });
    const isLate = lagged === 0 && path.endsWith('/comparison');
    if (isLate) lagged += 1;
    const content = await answer.text();
    response.writeHead(answer.status, { ...kept(answer.headers), ...(isLate && { 'X-Read-Lag': '2000' }) });
    response.end(isLate ? withoutFailures(content) : content);
  }

  beforeEach(() => (lagged = 0));
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
    get lagged() {
      return lagged;
    },
  };
}

function kept(headers: Iterable<[string, string]>): Record<string, string> {
  return Object.fromEntries([...headers].filter(([name]) => !NOT_PASSED_ON.test(name)));
}

function withoutFailures(content: string): string {
  const { data } = JSON.parse(content) as { data: { counts: Record<string, number> } };
  const counts = Object.fromEntries(Object.keys(data.counts).map((kind) => [kind, 0]));
  return JSON.stringify({ data: { ...data, counts } });
}
