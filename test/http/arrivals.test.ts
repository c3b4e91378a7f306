import { expect } from 'chai';
import Koa from 'koa';
import { once } from 'node:events';
import { request, type IncomingMessage } from 'node:http';
import { text } from 'node:stream/consumers';
import { allowTime, demandPace } from '../../src/http/backpressure/arrival-deadlines.js';
import { listen, type Listening } from '../../src/http/server.js';
import { eventually } from '../stores.js';
import { answerOf, connected } from './protocol/raw.js';

const WITHIN_MS = 400;

describe('a request that arrives slowly', function () {
  let server: Listening;
  let left: unknown[] = [];
  before(async () => {
    const koa = new Koa();
    koa.silent = true;
    koa.use(async (ctx) => {
      if (ctx.path === '/refused') {
        ctx.status = 403;
        ctx.body = 'no';
        ctx.req.resume();
        return;
      }
      if (ctx.path === '/patient') allowTime(ctx.req, 20 * WITHIN_MS);
      try {
        ctx.body = await text(ctx.req);
      } catch (error) {
        left.push(error);
        throw error;
      }
    });
    server = await listen(koa, { host: '127.0.0.1', port: 0, withinMs: WITHIN_MS });
  });
  after(() => server.stop(0));
  beforeEach(() => {
    left = [];
  });

  /** Sends the head, then a byte every 20 ms; returns what was received until the connection ended, and the time. */
  async function trickle(
    path: string,
    head: string,
    piece: string,
  ): Promise<{ received: string; ms: number }> {
    const began = performance.now();
    const socket = await connected(server.url);
    let received = '';
    socket.setEncoding('utf8').on('data', (chunk: string) => (received += chunk));
    socket.write(`POST ${path} HTTP/1.1\r\nHost: x\r\n${head}\r\n\r\n`);
    const drip = setInterval(() => socket.write(piece), 20);
    // The server may reset the connection, so the promise of once() would fail. What was received is what counts.
    await new Promise<void>((closed) => socket.once('close', () => closed()));
    clearInterval(drip);
    return { received, ms: performance.now() - began };
  }

  for (const [what, head, piece] of [
    ['of a known length', 'Content-Length: 100000', 'x'],
    ['in chunks', 'Transfer-Encoding: chunked', '1\r\nx\r\n'],
  ] as const) {
    it(`is answered 408 and its connection ends, with a body ${what}`, async () => {
      const { received, ms } = await trickle('/', head, piece);
      expect(received).to.match(/^HTTP\/1\.1 408 Request Timeout\r\n/);
      expect(received).to.match(/\r\nContent-Type: application\/problem\+json/);
      expect(received).to.include('"code":"request_timeout"');
      expect(ms).to.be.within(WITHIN_MS - 50, WITHIN_MS + 6_000);
      await eventually('the reader of the body has failed', () => left.length === 1);
    });
  }

  it('is cut off without waiting for its body, if it was refused before', async () => {
    const { received, ms } = await trickle('/refused', 'Content-Length: 100000', 'x');
    expect(received)
      .to.match(/^HTTP\/1\.1 403 /)
      .and.not.include('HTTP/1.1 408');
    expect(ms).to.be.within(WITHIN_MS - 50, WITHIN_MS + 6_000);
  });

  it('can take longer if its route allows it', async () => {
    const sending = request(`${server.url}/patient`, { method: 'POST', agent: false });
    const answered = once(sending, 'response') as Promise<[IncomingMessage]>;
    const began = performance.now();
    let sent = '';
    await new Promise<void>((resolve) => {
      const drip = setInterval(() => {
        sent += 'x';
        sending.write('x');
        if (performance.now() - began < 3 * WITHIN_MS) return;
        clearInterval(drip);
        resolve();
      }, 20);
    });
    sending.end();
    const [response] = await answered;
    expect(response.statusCode).to.equal(200);
    expect(await text(response)).to.equal(sent);
  });

  it('keeps its connection if it has no body, or if its body arrived in time', async () => {
    const socket = await connected(server.url);
    let received = '';
    socket.setEncoding('utf8').on('data', (chunk: string) => (received += chunk));
    const ask = async (lines: string, answers: number) => {
      socket.write(lines);
      while (received.split('HTTP/1.1 200 ').length - 1 < answers) await once(socket, 'data');
    };
    await ask('GET / HTTP/1.1\r\nHost: x\r\n\r\n', 1);
    await ask('POST / HTTP/1.1\r\nHost: x\r\nContent-Length: 2\r\n\r\nok', 2);
    // The connection is idle for longer than the limit after which a slow request would be cut off.
    await trickle('/', 'Content-Length: 100000', 'x');
    await ask('POST / HTTP/1.1\r\nHost: x\r\nContent-Length: 2\r\n\r\nok', 3);
    expect(received).to.not.include('HTTP/1.1 408');
    socket.destroy();
  });
});

describe('a request that must keep a pace once it has its slot', function () {
  const LONGER_MS = 3_000;
  const PACE = { graceMs: 0, bytesPerSecond: 1_000 };
  let server: Listening;
  let turnAfterMs = 0;
  before(async () => {
    const koa = new Koa();
    koa.silent = true;
    koa.use(async (ctx) => {
      await new Promise((turn) => setTimeout(turn, turnAfterMs));
      demandPace(ctx.req, PACE);
      ctx.body = await text(ctx.req);
    });
    server = await listen(koa, { host: '127.0.0.1', port: 0, withinMs: LONGER_MS });
  });
  after(() => server.stop(0));

  /** Sends this many bytes every 20 ms while they are taken; returns the status and the time of the answer. */
  async function dripped(bytes: number, forMs: number): Promise<{ status: number; ms: number }> {
    const began = performance.now();
    const socket = await connected(server.url);
    const steps = Math.ceil(forMs / 20);
    socket.write(`POST / HTTP/1.1\r\nHost: x\r\nContent-Length: ${bytes * steps}\r\n\r\n`);
    let sent = 0;
    const drip = setInterval(() => {
      // As many bytes as the clock demands, since timers fire late.
      const due = Math.min(steps, Math.ceil((performance.now() - began) / 20));
      if (due > sent) socket.write('x'.repeat(bytes * (due - sent)));
      sent = due;
      if (sent === steps) clearInterval(drip);
    }, 20);
    const { status } = await answerOf(socket).finally(() => clearInterval(drip));
    return { status, ms: performance.now() - began };
  }

  it('is answered 408 long before its time is over, if it is slower', async () => {
    turnAfterMs = 0;
    const { status, ms } = await dripped(1, LONGER_MS);
    expect(status).to.equal(408);
    expect(ms).to.be.below(LONGER_MS - 200);
  });

  it('has its whole time from its slot on, if it keeps the pace', async () => {
    turnAfterMs = 0.6 * LONGER_MS;
    const { status, ms } = await dripped(200, 1.4 * LONGER_MS);
    expect(status).to.equal(200);
    expect(ms).to.be.above(1.35 * LONGER_MS);
  });
});
