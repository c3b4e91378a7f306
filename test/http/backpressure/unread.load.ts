import { expect } from 'chai';
import { once } from 'node:events';
import type { ServerResponse } from 'node:http';
import type { Socket } from 'node:net';
import { Readable } from 'node:stream';
import { setTimeout as pause } from 'node:timers/promises';
import Koa from 'koa';
import type { ReaderLimits } from '../../../src/http/backpressure/answer-deadlines.js';
import { sendInPieces } from '../../../src/http/backpressure/pieces.js';
import { listen, type Listening } from '../../../src/http/server.js';
import { eventually } from '../../stores.js';
import { connected } from '../protocol/raw.js';

const STALLED_MS = 600;
/** Far more than the buffers of both ends hold on loopback: the sender sees progress only each time that about 3 MiB are taken. */
const LONG = 64 * 1024 * 1024;

type Ended = { whole: boolean; at: number };

describe('an answer whose reader', () => {
  let server: Listening | null = null;
  let socket: Socket | null = null;
  let response: ServerResponse | null = null;
  let ended: Ended | null = null;
  afterEach(async () => {
    socket?.destroy();
    await server?.stop(0);
    server = socket = response = ended = null;
  });

  const bodies: Record<string, () => string | Readable> = {
    '/text': () => 'ü'.repeat(LONG / 2),
    '/file': () => Readable.from(Array.from({ length: LONG / 65_536 }, () => Buffer.alloc(65_536))),
    '/quiet': () => {
      const body = new Readable({ read: () => undefined });
      body.push('begin ');
      setTimeout(() => body.push('end') && body.push(null), 2 * STALLED_MS);
      return body;
    },
  };

  /** Asks for a long answer, and reads nothing of it so far. */
  async function asking(path: string, limits: Partial<ReaderLimits> = {}): Promise<Socket> {
    const koa = new Koa();
    koa.silent = true;
    koa.use(sendInPieces);
    koa.use((ctx) => {
      ctx.body = bodies[ctx.path]!();
      response = ctx.res;
      ctx.res.once('close', () => (ended = { whole: ctx.res.writableFinished, at: performance.now() }));
    });
    const readers = { stalledMs: STALLED_MS, bytesPerSecond: 1_024, ...limits };
    server = await listen(koa, { host: '127.0.0.1', port: 0, readers });
    socket = await connected(server.url);
    socket.write(`GET ${path} HTTP/1.1\r\nHost: x\r\nConnection: close\r\n\r\n`);
    return socket;
  }

  /** Reads pieces of this size, each after a pause, until the connection ends; returns the bytes. */
  async function readSlowly(from: Socket, bytes: number, pauseMs: number): Promise<number> {
    let all = 0;
    let piece = 0;
    from.on('data', (chunk: Buffer) => {
      all += chunk.length;
      piece += chunk.length;
      if (piece < bytes) return;
      piece = 0;
      from.pause();
      setTimeout(() => from.resume(), pauseMs);
    });
    await once(from, 'close');
    return all;
  }

  for (const path of ['/text', '/file']) {
    it(`takes nothing is cut off after a time: ${path}`, async () => {
      const began = performance.now();
      await asking(path);
      await eventually('it has ended', () => ended !== null);
      expect(ended!.whole).to.equal(false);
      expect(ended!.at - began).to.be.above(STALLED_MS - 50);
    });

    it(`takes it slowly gets all of it: ${path}`, async () => {
      const began = performance.now();
      const received = await readSlowly(await asking(path), LONG / 40, STALLED_MS / 12);
      expect(received).to.be.above(LONG);
      expect(ended!.whole).to.equal(true);
      expect(performance.now() - began).to.be.above(2 * STALLED_MS);
    });

    it(`takes it too slowly is cut off: ${path}`, async () => {
      const reading = readSlowly(
        await asking(path, { bytesPerSecond: LONG / 2 }),
        LONG / 100,
        STALLED_MS / 6,
      );
      await eventually('it has ended', () => ended !== null);
      expect(ended!.whole).to.equal(false);
      expect(await reading).to.be.below(LONG);
    });
  }

  it('takes all of it after a pause of the whole process is not cut off', async () => {
    const from = await asking('/text');
    await eventually('the answer waits for its reader', () => (response?.socket?.writableLength ?? 0) > 0);
    // The answers are looked at several times in this time, so that the pause begins while the answer is known to wait.
    await pause(STALLED_MS / 6);
    Atomics.wait(new Int32Array(new SharedArrayBuffer(4)), 0, 0, 2 * STALLED_MS);
    expect(await readSlowly(from, LONG, 0)).to.be.above(LONG);
    expect(ended!.whole).to.equal(true);
  });

  it('has taken all that there is so far is not cut off', async () => {
    const from = await asking('/quiet');
    let received = '';
    from.on('data', (chunk: Buffer) => (received += chunk.toString()));
    await once(from, 'close');
    expect(received).to.include('begin ').and.include('end');
    expect(ended!.whole).to.equal(true);
  });
});
