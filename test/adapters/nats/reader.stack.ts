/** The reader of a NATS stream, when making its consumer again fails half-way. */
import { expect } from 'chai';
import { connect, type ConsumerAPI } from 'nats';
import type { NatsConnected } from '../../../src/adapters/nats/connection.js';
import { openNatsReader, type Acknowledged, type NatsReader } from '../../../src/adapters/nats/reader.js';
import { emptyStream } from './stream.js';

type Connected = Parameters<typeof openNatsReader>[0];

describe('the reader of a NATS stream', function () {
  let stream: ReturnType<typeof emptyStream>;
  let connected: NatsConnected;
  let acknowledged: Acknowledged;
  beforeEach(async () => {
    stream = emptyStream();
    acknowledged = { created: '', floor: 0 };
    const nats = await connect({ servers: stream.url.split('?')[0]! });
    const jsm = await nats.jetstreamManager();
    connected = { nats, jsm, js: nats.jetstream() };
    await jsm.streams.add({ name: stream.stream, subjects: [stream.stream] });
    for (let n = 1; n <= 6; n += 1) await connected.js.publish(stream.stream, String(n));
    const reader = await open();
    expect(await read(reader, 4)).to.deep.equal([1, 2, 3, 4]);
  });
  afterEach(async () => {
    await connected.nats.close();
    await stream.remove();
  });

  const open = (on: Connected = connected) =>
    openNatsReader(on, { stream: stream.stream, limit: 4, acknowledged });

  /** Reads some messages and acknowledges them. */
  async function read(reader: NatsReader, count: number): Promise<number[]> {
    const found: number[] = [];
    while (found.length < count) {
      for (const message of await reader.next(new AbortController().signal)) {
        await message.ackAck();
        found.push(message.seq);
      }
    }
    return found;
  }

  it('begins at the first message of a stream that was made again, whatever was acknowledged before', async () => {
    await open();
    await stream.remove();
    await connected.jsm.streams.add({ name: stream.stream, subjects: [stream.stream] });
    for (let n = 1; n <= 6; n += 1) await connected.js.publish(stream.stream, String(n));
    expect(await read(await open(), 4)).to.deep.equal([1, 2, 3, 4]);
  });

  const steps: { of: 'add' | 'delete'; isDone: boolean; title: string }[] = [
    { of: 'add', isDone: false, title: 'the consumer was not made again' },
    { of: 'add', isDone: true, title: 'the answer of making it again was lost' },
    { of: 'delete', isDone: false, title: 'the consumer was not deleted' },
    { of: 'delete', isDone: true, title: 'the answer of its deletion was lost' },
  ];
  for (const { of, isDone, title } of steps)
    it(`goes on after the last acknowledgement where ${title}`, async () => {
      const failed = await open(failingAt(connected, of, isDone)).then(
        () => 'opened',
        (error: unknown) => String(error),
      );
      expect(failed).to.equal('Error: the answer was lost');
      expect(await read(await open(), 2)).to.deep.equal([5, 6]);
      const left = await connected.jsm.consumers.list(stream.stream).next();
      expect(left).to.have.length(1);
    });
});

/** The call fails, before or after the server has done it. */
function failingAt(connected: NatsConnected, of: 'add' | 'delete', isDone: boolean): Connected {
  const { streams, consumers } = connected.jsm;
  const failing = new Proxy(consumers, {
    get: (target, name: keyof ConsumerAPI) =>
      name !== of
        ? Reflect.get(target, name).bind(target)
        : async (...args: [never, never]) => {
            if (isDone) await target[of](...args);
            throw new Error('the answer was lost');
          },
  });
  return { ...connected, jsm: { streams, consumers: failing } };
}
