import { once } from 'node:events';
import { createServer, type IncomingMessage, type Server, type ServerResponse } from 'node:http';
import type { AddressInfo } from 'node:net';
import { expect } from 'chai';
import { eventually } from '../../stores.js';
import { openHttpFetch } from '../../../src/client/live/http-fetch.js';
import { openHttp } from '../../../src/client/live/http-request.js';

describe('the fetch of reporters', () => {
  let server: Server;
  let answer: (request: IncomingMessage, response: ServerResponse) => void;
  let url: string;
  const fetch = openHttpFetch(openHttp());
  beforeEach(async () => {
    server = createServer((request, response) => answer(request, response)).listen(0, '127.0.0.1');
    await once(server, 'listening');
    url = `http://127.0.0.1:${(server.address() as AddressInfo).port}/path?a=b`;
  });
  afterEach(() => {
    server.close();
    server.closeAllConnections();
  });

  for (const [kind, body] of [
    ['text', 'é {}'],
    ['bytes', new Uint8Array([1, 2, 0, 255])],
  ] as const)
    it(`sends ${kind} with its method and headers, and reads status, headers and body`, async () => {
      answer = (request, response) => {
        const { method, headers, url: path } = request;
        const chunks: Buffer[] = [];
        request.on('data', (chunk: Buffer) => chunks.push(chunk));
        request.on('end', () => {
          response.writeHead(201, { 'x-one': 'a', 'set-cookie': ['b=1', 'c=2'] });
          const got = Buffer.concat(chunks).toString('hex');
          response.end(JSON.stringify({ method, path, own: headers['x-own'], got }));
        });
      };
      const response = await fetch(url, { method: 'POST', headers: { 'X-Own': 'yes' }, body });
      expect([response.status, response.ok, response.headers.get('x-one')]).to.deep.equal([201, true, 'a']);
      expect(response.headers.getSetCookie()).to.deep.equal(['b=1', 'c=2']);
      expect(await response.json()).to.deep.equal({
        method: 'POST',
        path: '/path?a=b',
        own: 'yes',
        got: Buffer.from(body).toString('hex'),
      });
    });

  it('does not follow a redirect: the key would go to another place', async () => {
    answer = (_, response) => void response.writeHead(302, { location: 'http://127.0.0.1:1/' }).end();
    const response = await fetch(url, { redirect: 'manual' });
    expect([response.status, response.headers.get('location')]).to.deep.equal([302, 'http://127.0.0.1:1/']);
  });

  it('answers without a body for a 204', async () => {
    answer = (_, response) => void response.writeHead(204).end();
    const response = await fetch(url);
    expect([response.status, await response.text()]).to.deep.equal([204, '']);
  });

  it('is rejected where the server is away, breaks off, or the signal ends it', async () => {
    const failureOf = (attempt: Promise<unknown>) =>
      attempt.then(
        () => 'none',
        (error: Error & { code?: string }) => error.code ?? error.name,
      );
    expect(await failureOf(fetch('http://127.0.0.1:1/'))).to.equal('ECONNREFUSED');
    answer = (request) => void request.socket.destroy();
    expect(await failureOf(fetch(url))).to.equal('ECONNRESET');
    answer = (_, response) => {
      response.writeHead(200, { 'content-length': '100' });
      response.write('half', () => response.destroy());
    };
    expect(await failureOf(fetch(url).then((response) => response.text()))).to.not.equal('none');
    const aborting = new AbortController();
    answer = () => aborting.abort();
    expect(await failureOf(fetch(url, { signal: aborting.signal }))).to.equal('ABORT_ERR');
  });

  it('is rejected by an answer that is none of HTTP, and lets go of its connection', async () => {
    answer = (request) =>
      void request.socket.end(
        'HTTP/1.1 101 Switching Protocols\r\nUpgrade: x\r\nConnection: upgrade\r\n\r\n',
      );
    await expectRejected(fetch(url));
    let open: { destroyed: boolean } | null = null;
    answer = (request, response) => {
      open = request.socket;
      response.writeHead(999).write('part');
    };
    await expectRejected(fetch(url));
    await eventually('the connection is closed', () => open?.destroyed === true);
  });

  async function expectRejected(attempt: Promise<unknown>): Promise<void> {
    const outcome = await attempt.then(
      () => 'answered',
      () => 'rejected',
    );
    expect(outcome).to.equal('rejected');
  }
});
