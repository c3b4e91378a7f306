import { createHash } from 'node:crypto';
import { createServer, type Server } from 'node:http';
import type { AddressInfo, Socket } from 'node:net';
import { brotliCompressSync, deflateSync, gzipSync } from 'node:zlib';
import { expect } from 'chai';
import Koa from 'koa';
import { openAdmission } from '../../../src/admission/admission.js';
import type { Pace } from '../../../src/http/backpressure/arrival-deadlines.js';
import {
  bulkReceiver,
  type OpenSubmission,
  type ReceiveBulk,
  type Submitter,
} from '../../../src/http/bulk/receive.js';
import { listen } from '../../../src/http/server.js';
import { errors, isAppError, AppError } from '../../../src/errors.js';
import { eventually } from '../../stores.js';
import { answerOf, connected, sendRaw } from '../protocol/raw.js';

/** The team is named in a header of these tests alone. */
const keyOf = (team: string) =>
  ({ team_id: team || 'a', key_id: `key of ${team || 'a'}` }) as Submitter['key'];

const LIMIT = 4 * 1024 * 1024;

describe('receiving a bulk submission', () => {
  let app: Koa;
  let server: Server;
  let url = '';
  let sockets: Socket[] = [];
  /** The calls of `work`, and the function that ends each. */
  let working: { hash: string; bytes: number; end: () => void }[] = [];
  let closed = 0;
  let bodies: Uint8Array[] = [];
  let hold = false;
  let receive: ReceiveBulk;

  type Options = { waitMs?: number; pace?: Pace; smallBytes?: number; ofTeam?: number };
  function receiver({ waitMs = 60_000, pace, smallBytes = 0, ofTeam = 2 }: Options = {}): ReceiveBulk {
    const read = async (bytes: Uint8Array) => {
      bodies.push(bytes);
      return { count: bytes.length, close: () => void (closed += 1) } as unknown as OpenSubmission;
    };
    return bulkReceiver({
      admission: openAdmission({
        submissions: { places: { all: 2, perTeam: ofTeam }, waits: { ms: waitMs } },
      }),
      read,
      readHere: read,
      limit: LIMIT,
      smallBytes,
      ...(pace && { pace }),
    });
  }

  beforeEach(async () => {
    [sockets, working, closed, hold, bodies] = [[], [], 0, false, []];
    receive = receiver();
    app = new Koa();
    // Koa would print an error when a client has gone.
    app.silent = true;
    app.use(async (ctx) => {
      try {
        const mayPass = () => {
          if (ctx.get('authorization') === 'viewer') throw new AppError('forbidden', 'no');
        };
        ctx.body = await receive(ctx, { key: keyOf(ctx.get('team')), mayPass }, async ({ hash, read }) => {
          const { count } = await read('now');
          const ended = new Promise<void>((end) => void working.push({ hash, bytes: count, end }));
          if (hold) await ended;
          return { hash, count };
        });
      } catch (error) {
        if (!isAppError(error)) throw error;
        ctx.status = errors[error.code].status;
        ctx.body = { code: error.code };
        ctx.req.unpipe();
        ctx.req.resume();
      }
    });
    server = createServer(app.callback() as never);
    server.on('connection', (socket) => sockets.push(socket));
    await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
    url = `http://127.0.0.1:${(server.address() as AddressInfo).port}`;
  });
  afterEach(async () => {
    for (const { end } of working) end();
    const down = new Promise((resolve) => server.close(resolve));
    server.closeAllConnections();
    await down;
  });

  const head = (length: number | null, ...more: string[]) =>
    [
      'POST / HTTP/1.1',
      'Host: x',
      'Content-Type: application/json',
      length === null ? 'Transfer-Encoding: chunked' : `Content-Length: ${length}`,
      ...more,
      '\r\n',
    ].join('\r\n');
  const send = (body: Buffer, ...more: string[]) => sendRaw(url, head(body.length, ...more), body);
  const bodyOf = (length: number) => Buffer.alloc(length, 'x');
  const sha = (bytes: Buffer) => createHash('sha256').update(bytes).digest('hex');

  it('works on two at a time; a third waits unread, and is 503 after too long a wait', async () => {
    hold = true;
    receive = receiver({ waitMs: 50 });
    const large = bodyOf(LIMIT);
    const two = [send(large), send(large)];
    await eventually('two are worked on', () => working.length === 2);
    const third = await send(large);
    expect([third.status, JSON.parse(third.body).code]).to.deep.equal([503, 'overloaded']);
    expect(working).to.have.length(2);
    for (const { end } of working) end();
    for (const answer of await Promise.all(two)) expect(answer.status).to.equal(200);
  });

  it('reads no more of a waiting body than the connection has buffered', async () => {
    hold = true;
    const two = [send(bodyOf(10)), send(bodyOf(10))];
    await eventually('two are worked on', () => working.length === 2);
    const before = sockets.length;
    const third = send(bodyOf(LIMIT));
    await eventually('it has connected', () => sockets.length > before);
    const socket = sockets.at(-1)!;
    let read = -1;
    await eventually('no more is read', async () => {
      const now = read;
      await new Promise((resolve) => setTimeout(resolve, 20));
      read = socket.bytesRead;
      return now === read && read > 0;
    });
    expect(read).to.be.below(512 * 1024);
    working[0]!.end();
    await eventually('it has its turn', () => working.length === 3);
    for (const { end } of working) end();
    expect((await third).status).to.equal(200);
    await Promise.all(two);
  });

  it('gives the slot of a client that goes away, waiting or sending, to the next', async () => {
    hold = true;
    const half = await connected(url);
    half.write(head(1_000) + 'x');
    const one = send(bodyOf(10));
    await eventually('one is worked on', () => working.length === 1);
    const waiting = await connected(url);
    waiting.write(head(10));
    await eventually('all have connected', () => sockets.length === 3);
    waiting.destroy();
    half.destroy();
    const next = send(bodyOf(10));
    await eventually('the next is worked on', () => working.length === 2);
    for (const { end } of working) end();
    for (const answer of await Promise.all([one, next])) expect(answer.status).to.equal(200);
  });

  it('refuses bad headers and keys without the right at once', async () => {
    hold = true;
    const two = [send(bodyOf(10)), send(bodyOf(10))];
    await eventually('two are worked on', () => working.length === 2);
    const socket = await connected(url);
    socket.write(head(LIMIT + 1));
    expect((await answerOf(socket)).status).to.equal(413);
    for (const [length, coding] of [
      [LIMIT + 1, 'identity'],
      [3e9, 'IDENTITY'],
      [8e9, 'identity'],
    ] as const) {
      const uncoded = await connected(url);
      uncoded.write(head(length, `Content-Encoding: ${coding}`));
      expect((await answerOf(uncoded)).status, `${length} bytes`).to.equal(413);
    }
    const text = head(10).replace('application/json', 'text/plain');
    expect((await sendRaw(url, text, bodyOf(10))).status).to.equal(415);
    expect((await send(bodyOf(10), 'Authorization: viewer')).status).to.equal(403);
    expect(working).to.have.length(2);
    for (const { end } of working) end();
    await Promise.all(two);
  });

  it('hashes the body after decompression, whatever its coding and its chunks', async () => {
    const body = Buffer.from(JSON.stringify(Array.from({ length: 50_000 }, (_, n) => n)));
    const codings = {
      gzip: gzipSync(body),
      deflate: deflateSync(body),
      br: brotliCompressSync(body),
      GZIP: gzipSync(body),
    };
    const answers = [await send(body)];
    for (const [coding, bytes] of Object.entries(codings)) {
      answers.push(await send(bytes, `Content-Encoding: ${coding}`));
    }
    const chunk = (part: Buffer) =>
      Buffer.concat([Buffer.from(`${part.length.toString(16)}\r\n`), part, Buffer.from('\r\n')]);
    const parts = [body.subarray(0, 70_001), body.subarray(70_001)].map(chunk);
    answers.push(await sendRaw(url, head(null), ...parts, '0\r\n\r\n'));
    for (const { body: answer } of answers) {
      expect(JSON.parse(answer)).to.deep.equal({ hash: sha(body), count: body.length });
    }
    expect(closed).to.equal(answers.length);
  });

  it('accepts exactly the limit and refuses one byte more, also compressed or in chunks', async () => {
    expect((await send(bodyOf(LIMIT))).status).to.equal(200);
    expect((await send(gzipSync(bodyOf(LIMIT)), 'Content-Encoding: gzip')).status).to.equal(200);
    expect((await send(gzipSync(bodyOf(LIMIT + 1)), 'Content-Encoding: gzip')).status).to.equal(413);
    expect((await send(gzipSync(bodyOf(64 * LIMIT)), 'Content-Encoding: gzip')).status).to.equal(413);
    const chunk = `${(LIMIT + 1).toString(16)}\r\n`;
    expect((await sendRaw(url, head(null), chunk, bodyOf(LIMIT + 1), '\r\n0\r\n\r\n')).status).to.equal(413);
    expect(working).to.have.length(2);
  });

  it('frees the body once the work has ended, and not before', async () => {
    hold = true;
    const answered = send(bodyOf(LIMIT));
    await eventually('the work to begin', () => working.length === 1);
    expect(bodies[0]!.byteLength).to.equal(LIMIT);
    working[0]!.end();
    await answered;
    await eventually('the body to be freed', () => bodies[0]!.byteLength === 0);
  });

  it('refuses an unknown coding and a broken one', async () => {
    expect((await send(bodyOf(10), 'Content-Encoding: zstd')).status).to.equal(415);
    expect((await send(bodyOf(10), 'Content-Encoding: gzip')).status).to.equal(400);
    expect((await send(gzipSync(bodyOf(1_000)).subarray(0, 15), 'Content-Encoding: gzip')).status).to.equal(
      400,
    );
    // All slots are free again.
    for (let n = 0; n < 3; n += 1) expect((await send(bodyOf(10))).status).to.equal(200);
  });

  it('ends when a compressed body is cut off in the middle', async () => {
    const whole = gzipSync(Buffer.from(Array.from({ length: 50_000 }, (_, n) => (n * 7919) % 256)));
    for (let n = 0; n < 3; n += 1) {
      const socket = await connected(url);
      socket.write(head(whole.length, 'Content-Encoding: gzip'));
      socket.write(whole.subarray(0, whole.length / 2));
      await eventually('it is read', () => (sockets.at(-1)?.bytesRead ?? 0) > whole.length / 2);
      socket.destroy();
    }
    expect((await send(bodyOf(10))).status).to.equal(200);
  });

  it('frees the slots of slow bodies long before their time is over', async () => {
    receive = receiver({ pace: { graceMs: 100, bytesPerSecond: 10_000 } });
    const whole = await listen(app, { host: '127.0.0.1', port: 0 });
    const trickling = [await connected(whole.url), await connected(whole.url)];
    for (const socket of trickling) socket.write(head(LIMIT));
    const drip = setInterval(() => trickling.forEach((socket) => socket.write('x')), 20);
    try {
      const answer = trickling.map(answerOf);
      const began = performance.now();
      expect((await sendRaw(whole.url, head(10), bodyOf(10))).status).to.equal(200);
      expect(performance.now() - began).to.be.below(20_000);
      for (const { status } of await Promise.all(answer)) expect(status).to.equal(408);
    } finally {
      clearInterval(drip);
      await whole.stop(0);
    }
  });

  it('lets a small body stall that has no slot, for as long as any request may take', async () => {
    receive = receiver({ smallBytes: 1_000, pace: { graceMs: 0, bytesPerSecond: 10_000_000 } });
    const whole = await listen(app, { host: '127.0.0.1', port: 0 });
    try {
      const [small, large] = [await connected(whole.url), await connected(whole.url)];
      small.write(head(1_000) + 'x');
      large.write(head(1_001) + 'x');
      // The checks that find the large one too slow find the small one, too.
      expect((await answerOf(large)).status).to.equal(408);
      small.write('x'.repeat(999));
      expect((await answerOf(small)).status).to.equal(200);
    } finally {
      await whole.stop(0);
    }
  });

  it('lets small bodies that do not end hold no slot', async () => {
    receive = receiver({ smallBytes: 1_000 });
    const unfinished = [await connected(url), await connected(url), await connected(url)];
    for (const socket of unfinished) socket.write(head(1_000) + 'x');
    await eventually(
      'they are read',
      () => sockets.length === 3 && sockets.every(({ bytesRead }) => bytesRead > 0),
    );
    expect((await send(bodyOf(1_000))).status).to.equal(200);
    expect((await send(bodyOf(1_001))).status).to.equal(200);
    const answers = unfinished.map(answerOf);
    for (const socket of unfinished) socket.write('x'.repeat(999));
    for (const { status } of await Promise.all(answers)) expect(status).to.equal(200);
  });

  it('works on small bodies without a slot, also on compressed ones, while large ones hold all slots', async () => {
    receive = receiver({ smallBytes: 1_000 });
    hold = true;
    const large = [send(bodyOf(1_001)), send(bodyOf(1_001))];
    await eventually('both slots are taken', () => working.length === 2);
    const small = [
      send(bodyOf(1_000)),
      send(bodyOf(10)),
      send(gzipSync(bodyOf(1_000)), 'Content-Encoding: gzip'),
      send(brotliCompressSync(bodyOf(10)), 'Content-Encoding: br'),
    ];
    await eventually('all small ones are worked on', () => working.length === 6);
    for (const { end } of working) end();
    for (const { status } of await Promise.all([...large, ...small])) expect(status).to.equal(200);
  });

  it('lets a compressed body wait for a slot as soon as it is larger than a small one', async () => {
    receive = receiver({ smallBytes: 1_000 });
    hold = true;
    const large = [send(bodyOf(1_001)), send(bodyOf(1_001))];
    await eventually('both slots are taken', () => working.length === 2);
    const folded = send(gzipSync(bodyOf(LIMIT)), 'Content-Encoding: gzip');
    const small = send(bodyOf(10));
    await eventually('a small one is worked on', () => working.length === 3);
    expect(working.map(({ bytes }) => bytes)).to.deep.equal([1_001, 1_001, 10]);
    working[0]!.end();
    await eventually('it has a slot', () => working.length === 4);
    expect(working[3]!.bytes).to.equal(LIMIT);
    for (const { end } of working) end();
    for (const { status } of await Promise.all([...large, folded, small])) expect(status).to.equal(200);
  });

  it('gives one team no more than its share of the slots', async () => {
    receive = receiver({ ofTeam: 1 });
    hold = true;
    const one = send(bodyOf(10));
    await eventually('one is worked on', () => working.length === 1);
    const waiting = await connected(url);
    waiting.write(head(10) + 'x'.repeat(10));
    await eventually('another waits', () => sockets.length === 2);
    const others = send(bodyOf(10), 'Team: b');
    await eventually('that of another team is worked on', () => working.length === 2);
    const answer = answerOf(waiting);
    working[0]!.end();
    await eventually('the next of the first team is worked on', () => working.length === 3);
    for (const { end } of working) end();
    for (const { status } of await Promise.all([one, others, answer])) expect(status).to.equal(200);
  });
});
