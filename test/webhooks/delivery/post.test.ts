import { expect } from 'chai';
import { createServer, type AddressInfo, type Socket } from 'node:net';
import { createServer as createTlsServer } from 'node:https';
import { openPost, type Posted } from '../../../src/webhooks/delivery/post.js';
import { selfSigned } from '../certificate.js';
import { openEndpoint, type Endpoint } from './endpoint.js';

const OURS = ['127.0.0.0/8', '::1/128'];

describe('an attempt', () => {
  const closing: (() => unknown)[] = [];
  afterEach(async () => {
    for (const close of closing.splice(0).toReversed()) await close();
  });
  const endpoint = async (...args: Parameters<typeof openEndpoint>): Promise<Endpoint> => {
    const opened = await openEndpoint(...args);
    closing.push(opened.close);
    return opened;
  };
  const sender = (limitMs = 15_000) => {
    const opened = openPost({ allow: OURS, limitMs });
    closing.push(opened.close);
    return (url: string, body = '{"type":"test.failed"}', signal = new AbortController().signal) =>
      opened.post({
        team: 'team_1',
        url,
        headers: { 'webhook-id': 'event_1' },
        body,
        at: new Date(),
        signal,
        mayBegin: () => true,
      });
  };

  it('posts the body unchanged, as JSON, with a user agent', async () => {
    const { url, taken } = await endpoint();
    const body = '{"type":"test.failed","text":"\u{1f4a5} ü"}';
    const posted = await sender()(url, body);
    expect(posted).to.include({ status: 204, error: null, response: '', retryAfterMs: null });
    expect(taken).to.have.length(1);
    expect(taken[0]).to.include({ method: 'POST', url: '/hook', body });
    expect(taken[0]!.headers).to.include({ 'content-type': 'application/json', 'webhook-id': 'event_1' });
    expect(taken[0]!.headers['user-agent']).to.match(/^testledger\/\d/);
  });

  it('uses a connection again, or a new one if the endpoint has closed it', async () => {
    const { url, taken, connections } = await endpoint((one, response, request) => {
      if (one.body === 'reset') return void request.socket.destroy();
      // Promises to keep the connection, and closes it with the next message.
      response.writeHead(200).end('ok');
    });
    const post = sender();
    for (let n = 0; n < 5; n += 1) expect((await post(url)).error).to.equal(null);
    expect(connections()).to.equal(1);
    const reset = await post(url, 'reset');
    expect(reset.error).to.equal('connection closed before the answer was whole');
    // Twice: the first failure may come from a stale connection.
    expect(taken.filter(({ body }) => body === 'reset')).to.have.length(2);
    expect(connections()).to.equal(2);
  });

  it('succeeds on a new connection if the endpoint has closed all kept ones', async () => {
    const answered = new Set<Socket>();
    const held: (() => void)[] = [];
    const { url, connections } = await endpoint((one, response, { socket }) => {
      // Promises to keep the connection, and closes it with the next message.
      if (answered.has(socket)) return void socket.destroy();
      answered.add(socket);
      const answer = () => void response.writeHead(200).end('ok');
      if (one.body !== 'together') return answer();
      held.push(answer);
      if (held.length === 3) held.forEach((each) => each());
    });
    const post = sender();
    const first = await Promise.all([1, 2, 3].map(() => post(url, 'together')));
    expect(first.map(({ error }) => error)).to.deep.equal([null, null, null]);
    expect(connections()).to.equal(3);
    expect(await post(url)).to.include({ status: 200, error: null, response: 'ok' });
    expect(connections()).to.equal(4);
  });

  it('fails on a switch of protocols, and closes the connection', async () => {
    let closed = false;
    const server = createServer((socket) => {
      socket.on('error', () => undefined).on('close', () => (closed = true));
      socket.once('data', () =>
        socket.write('HTTP/1.1 101 Switching Protocols\r\nConnection: Upgrade\r\nUpgrade: x\r\n\r\nmore'),
      );
    }).listen(0, '127.0.0.1');
    closing.push(() => server.close());
    await new Promise((resolve) => server.once('listening', resolve));
    const { port } = server.address() as AddressInfo;
    const posted = await sender(3_000)(`http://127.0.0.1:${port}/`);
    expect(posted).to.include({ status: 101, error: 'HTTP 101' });
    expect(posted.duration_ms).to.be.lessThan(2_000);
    while (!closed) await new Promise(setImmediate);
  });

  const statuses: [number, string | null][] = [
    [200, null],
    [202, null],
    [301, 'HTTP 301: redirects are not followed'],
    [404, 'HTTP 404'],
    [410, 'HTTP 410'],
    [503, 'HTTP 503'],
  ];
  for (const [status, error] of statuses) {
    it(`that is answered ${status} ${error === null ? 'succeeds' : 'fails'}`, async () => {
      const other = await endpoint();
      const { url } = await endpoint(
        (_one, response) => void response.writeHead(status, { location: other.url }).end('said'),
      );
      expect(await sender()(url)).to.include({ status, error, response: 'said' });
      expect(other.connections(), 'redirects that were followed').to.equal(0);
    });
  }

  it('keeps the first kilobyte of the answer as text that every store takes', async () => {
    const answers: [Buffer, string][] = [
      [Buffer.from('x'.repeat(3_000)), 'x'.repeat(1_024)],
      [Buffer.from(`${'x'.repeat(1_022)}\u{1f4a5}`), 'x'.repeat(1_022)],
      [Buffer.from([0x61, 0, 0xff, 0x62]), 'a\ufffd\ufffdb'],
    ];
    for (const [bytes, text] of answers) {
      const { url } = await endpoint((_one, response) => void response.writeHead(500).end(bytes));
      expect((await sender()(url)).response).to.equal(text);
    }
  });

  it('reads 64 kB of an endless answer, then closes the connection', async () => {
    let written = 0;
    let closed = false;
    const { url } = await endpoint((_one, response) => {
      response.on('close', () => (closed = true));
      const more = (): void => {
        while (!closed && response.write('x'.repeat(1_000))) written += 1_000;
        if (!closed) response.once('drain', more);
      };
      more();
    });
    expect(await sender()(url)).to.include({ status: 200, error: null });
    while (!closed) await new Promise(setImmediate);
    // The buffers of the system take more than is read.
    expect(written).to.be.lessThan(8_000_000);
  });

  it('ends at its limit: without an answer, with a trickling one, with an endless one', async () => {
    const silent = await endpoint(() => undefined);
    const trickling = await endpoint((_one, response) => {
      const timer = setInterval(() => response.write('x'), 5);
      response.on('close', () => clearInterval(timer));
    });
    const slowHeaders = createServer((socket) => {
      const timer = setInterval(() => socket.write('H'), 5);
      socket.on('error', () => undefined).on('close', () => clearInterval(timer));
    }).listen(0, '127.0.0.1');
    closing.push(() => slowHeaders.close());
    const post = sender(150);
    const timed = async (url: string): Promise<Posted> => {
      const posted = await post(url);
      expect(posted.duration_ms).to.be.within(140, 1_500);
      return posted;
    };
    expect(await timed(silent.url)).to.include({
      status: null,
      error: 'no answer within 0.15 s',
      response: null,
    });
    const whole = await timed(trickling.url);
    expect(whole).to.include({ status: 200, error: 'no whole answer within 0.15 s' });
    const { port } = slowHeaders.address() as AddressInfo;
    const garbled = await post(`http://127.0.0.1:${port}/`);
    expect(garbled).to.include({ status: null, error: 'the answer is not HTTP' });
  });

  it('sends nothing once another process may send, neither on a new connection nor on a kept one', async () => {
    const { url, taken, connections } = await endpoint();
    const opened = openPost({ allow: OURS });
    closing.push(opened.close);
    const post = (isHeld: boolean) => {
      const lease = new AbortController();
      const mayBegin = () => {
        if (!isHeld) lease.abort();
        return isHeld;
      };
      const request = { team: 'team_1', url, headers: {}, body: 'x', at: new Date() };
      return opened.post({ ...request, signal: lease.signal, mayBegin }).then(
        ({ status }) => status,
        ({ name }: Error) => name,
      );
    };
    expect(await post(false)).to.equal('AbortError');
    expect(taken).to.have.length(0);
    expect(await post(true)).to.equal(204);
    const before = connections();
    expect(await post(false)).to.equal('AbortError');
    expect(taken).to.have.length(1);
    expect(connections(), 'the kept connection was chosen').to.equal(before);
  });

  it('ends at its limit if the look-up of the name hangs', async () => {
    const opened = openPost({ allow: OURS, limitMs: 50, resolve: () => new Promise(() => undefined) });
    closing.push(opened.close);
    const { signal } = new AbortController();
    const posted = await opened.post({
      team: 'team_1',
      url: 'http://slow.test/',
      headers: {},
      body: 'x',
      at: new Date(),
      signal,
      mayBegin: () => true,
    });
    expect(posted).to.include({ status: null, error: 'no answer within 0.05 s' });
  });

  it('gives the reason in plain words, without internals of the server', async () => {
    const closed = await openEndpoint();
    await closed.close();
    expect(await sender()(closed.url)).to.include({
      status: null,
      error: 'connection refused',
      response: null,
    });
    const hangsUp = await endpoint((_one, _response, request) => request.socket.destroy());
    expect((await sender()(hangsUp.url)).error).to.equal('connection closed before the answer was whole');
    const half = await endpoint((_one, response, request) => {
      response.writeHead(200, { 'content-length': 10 });
      response.write('half', () => request.socket.destroy());
    });
    expect(await sender()(half.url)).to.include({
      status: 200,
      error: 'connection closed before the answer was whole',
    });
    const plain = await endpoint();
    expect((await sender()(plain.url.replace('http:', 'https:'))).error).to.equal(
      'no TLS connection could be made',
    );
    expect((await sender()('http://name.invalid/')).error).to.match(
      /^name (not found: name\.invalid|could not be looked up)$/,
    );
  });

  it('accepts no untrusted certificate', async () => {
    const server = createTlsServer(selfSigned, (_request, response) => void response.end()).listen(
      0,
      '127.0.0.1',
    );
    closing.push(() => server.close());
    await new Promise((resolve) => server.once('listening', resolve));
    const { port } = server.address() as AddressInfo;
    const posted = await sender()(`https://127.0.0.1:${port}/`);
    expect(posted.status).to.equal(null);
    expect(posted.error).to.match(/^certificate not accepted: self-signed/);
  });

  it('takes Retry-After as seconds or as a date, only from failures', async () => {
    const after = async (header: string, status = 503) => {
      const { url } = await endpoint(
        (_one, response) => void response.writeHead(status, { 'retry-after': header }).end(),
      );
      return (await sender()(url)).retryAfterMs;
    };
    expect(await after('120')).to.equal(120_000);
    // The schedule of the delivery bounds it.
    expect(await after('9999999999')).to.equal(9_999_999_999_000);
    expect(await after(new Date(Date.now() + 60_000).toUTCString())).to.be.within(50_000, 60_000);
    expect(await after(new Date(Date.now() - 60_000).toUTCString())).to.equal(0);
    for (const nonsense of ['soon', '-5', '1e3', '']) expect(await after(nonsense)).to.equal(null);
    expect(await after('120', 200)).to.equal(null);
  });

  it('rejects when it is aborted, so that it does not count as a failure', async () => {
    const { url, taken } = await endpoint(() => undefined);
    const abort = new AbortController();
    const posting = sender()(url, 'x', abort.signal);
    while (taken.length === 0) await new Promise(setImmediate);
    abort.abort();
    let rejected = false;
    await posting.catch(() => (rejected = true));
    expect(rejected).to.equal(true);
  });
});
