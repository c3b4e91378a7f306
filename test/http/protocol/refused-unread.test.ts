import { expect } from 'chai';
import { once } from 'node:events';
import { Writable } from 'node:stream';
import { text } from 'node:stream/consumers';
import { pino } from 'pino';
import { createApp } from '../../../src/http/app.js';
import { reportRefusals } from '../../../src/http/middleware.js';
import { listen, type Listening } from '../../../src/http/server.js';
import { eventually } from '../../stores.js';
import { connected, sendRaw } from './raw.js';
import type { Metrics } from '../../../src/http/metrics.js';
import { idleMetrics } from '../monitoring/idle-metrics.js';

const WITHIN_MS = 300;

describe('a request that the server cannot read', () => {
  let lines: any[] = [];
  let counted: string[] = [];
  let metrics: Metrics;
  let server: Listening;
  let letGo: (() => void)[] = [];
  before(async () => {
    const sink = new Writable({
      write(chunk: Buffer, _encoding, done) {
        lines.push(JSON.parse(chunk.toString()));
        done();
      },
    });
    const logger = pino({ level: 'info' }, sink);
    const real = idleMetrics();
    metrics = {
      ...real,
      request: (method, route, status) => void counted.push(`${method} ${route} ${status}`),
      refusedUnread(status) {
        counted.push(`unread ${status}`);
        real.refusedUnread(status);
      },
    };
    const operation = { id: 'take', summary: 'Takes a thing', answers: { 200: null } };
    const { koa } = createApp({
      surfaces: [],
      open: [
        {
          method: 'PUT',
          path: '/v1/things',
          operation,
          handle: async (ctx) => void (ctx.body = await text(ctx.req)),
        },
        {
          path: '/v1/slow',
          operation,
          async handle(ctx) {
            await new Promise<void>((resolve) => letGo.push(resolve));
            ctx.body = 'slow';
          },
        },
      ],
      metrics,
      logger,
    });
    const refused = reportRefusals(logger, metrics);
    server = await listen(koa, { host: '127.0.0.1', port: 0, withinMs: WITHIN_MS, refused });
  });
  after(() => server.stop(0));
  beforeEach(() => {
    lines = [];
    counted = [];
    letGo = [];
  });
  const headerOf = (headers: string, name: string) => new RegExp(`^${name}: (.*)$`, 'im').exec(headers)?.[1];

  for (const [what, status, code, request, path] of [
    [
      'a header line without a colon',
      400,
      'malformed_request',
      'GET /v1/me HTTP/1.1\r\nHost: x\r\nbad header\r\n\r\n',
      '/v1/me',
    ],
    ['a method that does not exist', 400, 'malformed_request', 'N0TA METHOD\r\n\r\n', null],
    [
      'an URL that is too long',
      431,
      'headers_too_large',
      `GET /v1/me?x=${'a'.repeat(17_000)} HTTP/1.1\r\nHost: x\r\n\r\n`,
      '/v1/me',
    ],
    [
      'headers that are too long',
      431,
      'headers_too_large',
      `GET /v1/test/project/ HTTP/1.1\r\nHost: x\r\nX: ${'a'.repeat(17_000)}\r\n\r\n`,
      '/v1/test/project/',
    ],
    [
      'two lengths of its body',
      400,
      'malformed_request',
      'PUT /v1/things HTTP/1.1\r\nHost: x\r\nContent-Length: 1\r\nContent-Length: 2\r\n\r\n',
      '/v1/things',
    ],
    ['CONNECT', 501, 'not_implemented', 'CONNECT a:1 HTTP/1.1\r\nHost: a:1\r\n\r\n', null],
  ] as const) {
    it(`is refused with ${status}, logged and counted: ${what}`, async () => {
      const answer = await sendRaw(server.url, request);
      expect(answer.status, answer.headers).to.equal(status);
      const id = headerOf(answer.headers, 'X-Request-Id');
      expect(id).to.match(/^[0-9a-f-]{36}$/);
      expect(Date.parse(headerOf(answer.headers, 'Date')!)).to.be.closeTo(Date.now(), 5_000);
      expect(headerOf(answer.headers, 'Cache-Control')).to.equal('no-store');
      expect(headerOf(answer.headers, 'Connection')).to.equal('close');
      const body = JSON.parse(answer.body);
      if (path?.startsWith('/v1/') === true && !path.startsWith('/v1/test/')) {
        expect(headerOf(answer.headers, 'Content-Type')).to.match(/^application\/json/);
        expect(body.error.details.request_id).to.equal(id);
      } else {
        expect(headerOf(answer.headers, 'Content-Type')).to.match(/^application\/problem\+json/);
        expect(body).to.include({ status, code, request_id: id });
      }
      expect(lines).to.have.length(1);
      expect(lines[0]).to.include({ request_id: id, status, code, path, msg: 'request refused unread' });
      expect(counted).to.deep.equal([`unread ${status}`]);
    });
  }

  it('shows in the metrics', async () => {
    await sendRaw(server.url, 'nonsense\r\n\r\n');
    await eventually('the page shows it', async () =>
      /^testledger_http_refused_unread_total\{status="400"\} \d/m.test((await metrics.render()).body),
    );
  });

  it('shows no key in the log', async () => {
    await sendRaw(server.url, 'GET /v1/tl_secret0secret/x HTTP/1.1\r\nHost: x\r\nbad header\r\n\r\n');
    expect(lines[0].path).to.equal('/v1/tl_…/x');
  });

  it('is refused once, whatever follows on its connection', async () => {
    const socket = await connected(server.url);
    let received = '';
    socket.setEncoding('latin1').on('data', (chunk: string) => (received += chunk));
    const closed = once(socket, 'close');
    const drip = setInterval(() => socket.writable && socket.write('bad header\r\n\r\n'), 10);
    await closed;
    clearInterval(drip);
    expect(received.match(/HTTP\/1\.1 /g)).to.have.length(1);
    expect(lines).to.have.length(1);
  });

  it('is refused after the answers to the requests before it', async () => {
    const socket = await connected(server.url);
    let received = '';
    socket.setEncoding('latin1').on('data', (chunk: string) => (received += chunk));
    const closed = once(socket, 'close');
    socket.write('GET /v1/slow HTTP/1.1\r\nHost: x\r\n\r\nbad header\r\n\r\n');
    await eventually('the first request is in progress', () => letGo.length === 1);
    letGo[0]!();
    await closed;
    expect([...received.matchAll(/HTTP\/1\.1 (\d{3})/g)].map(([, status]) => status)).to.deep.equal([
      '200',
      '400',
    ]);
    expect(lines.map(({ status }) => status)).to.have.members([200, 400]);
  });

  for (const [what, status, code, body] of [
    ['too slow', 408, 'request_timeout', ''],
    ['malformed', 400, 'malformed_request', 'no chunk\r\n'],
  ] as const) {
    it(`has one line in the log, with its own id, if its body is ${what}`, async () => {
      const answer = await sendRaw(
        server.url,
        'PUT /v1/things HTTP/1.1\r\nHost: x\r\nX-Request-Id: mine\r\nTransfer-Encoding: chunked\r\n\r\n',
        body,
      );
      expect(answer.status, answer.headers).to.equal(status);
      expect(headerOf(answer.headers, 'X-Request-Id')).to.equal('mine');
      expect(JSON.parse(answer.body).error.details.request_id).to.equal('mine');
      await eventually('the request has ended', () => lines.length > 0);
      expect(lines).to.have.length(1);
      expect(lines[0]).to.include({ request_id: 'mine', method: 'PUT', path: '/v1/things', status, code });
      expect(counted).to.deep.equal([`PUT /v1/things ${status}`]);
    });
  }

  it('is refused in the form of its surface for another expectation than 100-continue', async () => {
    const answer = await sendRaw(server.url, 'GET /v1/slow HTTP/1.1\r\nHost: x\r\nExpect: wonders\r\n\r\n');
    expect(answer.status).to.equal(417);
    expect(JSON.parse(answer.body).error.details.reason).to.equal('expectation_failed');
    expect(lines.map(({ code }) => code)).to.deep.equal(['expectation_failed']);
  });
});
