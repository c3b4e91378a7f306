import type { IncomingMessage, ServerResponse } from 'node:http';
import { expect } from 'chai';
import { TestledgerError } from '../../../src/client/errors.js';
import { openCaller } from '../../../src/client/call.js';
import { openHttpFetch } from '../../../src/client/live/http-fetch.js';
import { defaultRetries } from '../../../src/client/send.js';
import { testLoopback } from '../../kit/loopback.js';
import { eventually } from '../../stores.js';

describe('the calls of a live run', () => {
  let answer: (request: IncomingMessage, response: ServerResponse) => void;
  const server = testLoopback((request, response) => answer(request, response));

  const callerOf = (where: string) =>
    openCaller({
      fetch: openHttpFetch(),
      retries: { ...defaultRetries, most: 0 },
      url: where,
      apiKey: 'tl_key',
      project: 'project_1',
      timeoutMs: 30_000,
      userAgent: 'ours/1',
    });

  function call(
    caller = callerOf(server.url),
    more: { signal?: AbortSignal; timeoutMs?: number } = {},
  ): Promise<unknown> {
    return caller.call('POST', '/v1/test-runs', {
      content: Buffer.from('{"é":1}'),
      headers: { 'Content-Encoding': 'identity' },
      idempotencyKey: 'key 1',
      ...more,
    });
  }

  async function errorOf(calling: Promise<unknown>): Promise<unknown> {
    return calling.then(
      () => 'no error',
      (error: unknown) => error,
    );
  }

  it('have their key, names and content, and go over one connection', async () => {
    const sockets = new Set<unknown>();
    answer = (request, response) => {
      sockets.add(request.socket);
      const chunks: Buffer[] = [];
      request.on('data', (chunk: Buffer) => chunks.push(chunk));
      request.on('end', () => {
        const { method, url: path, headers } = request;
        response.end(JSON.stringify({ method, path, headers, got: Buffer.concat(chunks).toString() }));
      });
    };
    const caller = callerOf(`${server.url}/base/`);
    const got = (await call(caller)) as { headers: object };
    await call(caller);
    expect(got).to.include({ method: 'POST', path: '/base/v1/test-runs', got: '{"é":1}' });
    expect(got.headers).to.include({
      authorization: 'Bearer tl_key',
      'user-agent': 'ours/1',
      'content-type': 'application/json',
      'content-encoding': 'identity',
      'content-length': '8',
      'idempotency-key': 'key 1',
    });
    expect(sockets.size).to.equal(1);
  });

  it('fail with the code, the fields and the pause of the answer', async () => {
    answer = (_, response) => {
      response.writeHead(429, { 'Retry-After': '2' });
      const errors = [{ pointer: '/results/1', code: 'wrong', detail: 'is wrong' }];
      response.end(JSON.stringify({ code: 'rate_limited', detail: 'Too many.', errors }));
    };
    const error = await errorOf(call());
    expect(error).to.be.instanceOf(TestledgerError);
    expect(error).to.include({ code: 'rate_limited', status: 429, retryAfterMs: 2_000 });
    expect((error as TestledgerError).fields[0]).to.include({ pointer: '/results/1' });
  });

  it('fail with `bad_answer` for a redirect, whose place must not see the key, and for a page', async () => {
    answer = (_, response) => void response.writeHead(302, { location: 'http://127.0.0.1:1/' }).end();
    expect(await errorOf(call())).to.include({ code: 'bad_answer', status: 302 });
    answer = (_, response) => void response.end('<html>');
    expect(await errorOf(call())).to.include({ code: 'bad_answer', status: 200 });
  });

  it('fail with `unreachable` where the server is away or breaks off', async () => {
    expect(await errorOf(call(callerOf('http://127.0.0.1:1')))).to.include({ code: 'unreachable' });
    answer = (request) => void request.socket.destroy();
    expect(await errorOf(call())).to.include({ code: 'unreachable' });
    answer = (_, response) => {
      response.writeHead(200, { 'content-length': '100' });
      response.write('{"half":', () => response.destroy());
    };
    expect(await errorOf(call())).to.include({ code: 'unreachable' });
  });

  it('end at their time, and with the reason of their signal', async () => {
    answer = () => undefined;
    expect(await errorOf(call(callerOf(server.url), { timeoutMs: 5 }))).to.include({ code: 'timeout' });
    const aborting = new AbortController();
    const reason = new Error('the time is over');
    answer = () => aborting.abort(reason);
    expect(await errorOf(call(callerOf(server.url), { signal: aborting.signal }))).to.equal(reason);
    expect(await errorOf(call(callerOf(server.url), { signal: aborting.signal }))).to.equal(reason);
  });

  it('fail for an answer that is none of HTTP, and let go of their connection', async () => {
    answer = (request) =>
      void request.socket.end(
        'HTTP/1.1 101 Switching Protocols\r\nUpgrade: x\r\nConnection: upgrade\r\n\r\n',
      );
    expect(await errorOf(call())).to.include({ code: 'unreachable' });
    let open: { destroyed: boolean } | null = null;
    answer = (request, response) => {
      open = request.socket;
      response.writeHead(999).write('part');
    };
    expect(await errorOf(call(callerOf(server.url), { timeoutMs: 50 }))).to.include({ code: 'timeout' });
    await eventually('the connection is closed', () => open?.destroyed === true);
  });

  it('take an answer without a body', async () => {
    answer = (_, response) => void response.writeHead(204).end();
    expect(await call()).to.equal(undefined);
  });

  it('refuse an address that no request can have', () => {
    const open = () => callerOf('ftp://ledger');
    expect(open).to.throw(TestledgerError).with.property('code', 'invalid_call');
  });
});
