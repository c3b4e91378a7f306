import { once } from 'node:events';
import { expect } from 'chai';
import Koa, { type Context } from 'koa';
import { listen, type Listening } from '../../../src/http/server.js';
import { openStreams, type Streams } from '../../../src/http/backpressure/streams.js';
import type { Stream } from '../../../src/http/route.js';
import { eventually } from '../../stores.js';
import { connected } from '../protocol/raw.js';

/** Short for the reader that takes nothing, long where a busy machine alone could stop one. */
const STALLED_MS = 300;
const PATIENT_MS = 30_000;

describe('a streamed answer', () => {
  let listening: Listening;
  let streams: Streams;
  let stream: Stream;
  let allowed = true;
  let faults: unknown[] = [];
  beforeEach(async () => {
    allowed = true;
    faults = [];
    streams = openStreams({ stalledMs: PATIENT_MS });
    const app = new Koa();
    app.on('error', (error) => {
      // As in the program: a client can close its connection at any time.
      if (error.code !== 'ECONNRESET') faults.push(error);
    });
    app.use(async (ctx: Context) => {
      try {
        await streams.send(ctx, { status: 200, type: 'text/plain', stream }, () => allowed);
      } catch (error) {
        ctx.status = 503;
        ctx.body = (error as Error).message;
      }
    });
    listening = await listen(app, { host: '127.0.0.1', port: 0 });
  });
  afterEach(() => listening.stop(100));

  const chunk = 'x'.repeat(64 * 1024);
  /** A stream of this many chunks that counts those that were taken. */
  function counted(count: number, endless = false): Stream & { taken(): number; ended(): boolean } {
    let taken = 0;
    let ended = false;
    return {
      endless,
      taken: () => taken,
      ended: () => ended,
      async *chunks(signal) {
        try {
          for (; taken < count && !signal.aborted; taken += 1) yield chunk;
        } finally {
          ended = true;
        }
      },
    };
  }
  /** Sends chunks without end, slowly; ends on the signal. */
  const slow = (endless: boolean): Stream => ({
    endless,
    async *chunks(signal) {
      for (; !signal.aborted;) {
        yield 'more\n';
        await new Promise((resolve) => setTimeout(resolve, 5));
      }
    },
  });
  const read = async () => {
    try {
      const response = await fetch(listening.url);
      return { status: response.status, text: await response.text() };
    } catch {
      return { status: 0, text: 'cut' };
    }
  };

  it('is sent completely', async () => {
    const whole = (stream = counted(300));
    const { status, text } = await read();
    expect([status, text.length, whole.ended()]).to.deep.equal([200, 300 * chunk.length, true]);
  });

  it('is read no faster than its reader takes it, and a reader that takes nothing is cut off', async () => {
    streams = openStreams({ stalledMs: STALLED_MS });
    const endless = (stream = counted(Infinity));
    const socket = await connected(listening.url);
    socket.pause();
    const closed = once(socket, 'close');
    const began = performance.now();
    socket.write('GET / HTTP/1.1\r\nHost: x\r\n\r\n');
    await eventually('it is given up', () => endless.ended());
    expect(performance.now() - began).to.be.above(STALLED_MS - 50);
    // Both systems buffer part of a connection on loopback.
    expect(endless.taken()).to.be.below(200);
    socket.resume();
    await closed;
  });

  it('ends when its reader leaves', async () => {
    const endless = (stream = counted(Infinity, true));
    const socket = await connected(listening.url);
    socket.write('GET / HTTP/1.1\r\nHost: x\r\n\r\n');
    await once(socket, 'data');
    socket.destroy();
    await eventually('it has ended', () => endless.ended());
    expect(faults).to.deep.equal([]);
  });

  it('is refused if it fails before its first byte, and cut off if it fails later', async () => {
    const failing = (after: number): Stream => ({
      endless: true,
      async *chunks() {
        for (let n = 0; n < after; n += 1) yield 'some';
        throw new Error('away');
      },
    });
    stream = failing(0);
    expect(await read()).to.deep.equal({ status: 503, text: 'away' });
    stream = failing(2);
    expect((await read()).text).to.equal('cut');
    expect(faults).to.have.length(1);
  });

  it('ends for a reader that is no longer allowed: cut off, or cleanly if it is endless', async () => {
    for (const endless of [true, false]) {
      allowed = true;
      stream = slow(endless);
      const reading = read();
      allowed = false;
      const { text } = await reading;
      if (endless) expect(text).to.match(/^(more\n)+$/);
      else expect(text).to.equal('cut');
    }
  });

  it('ends at a stop if it is endless, and at once if it begins after the stop', async () => {
    stream = slow(true);
    const reading = read();
    await eventually('it has begun', () => reading !== undefined);
    streams.stop();
    expect((await reading).text).to.match(/^(more\n)*$/);
    expect((await read()).text).to.equal('');
    const whole = (stream = counted(3));
    expect((await read()).text).to.have.length(3 * chunk.length);
    expect(whole.ended()).to.equal(true);
  });
});
