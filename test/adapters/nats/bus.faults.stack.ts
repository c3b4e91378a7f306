/** The bus on NATS when its server is killed, wiped or hangs, or when its stream or consumer is deleted. */
import { expect } from 'chai';
import { connect } from 'nats';
import { openNatsBus } from '../../../src/adapters/nats/bus.js';
import type { Bus } from '../../../src/ports/bus.js';
import { isLedgerError } from '../../../src/errors.js';
import {
  consumerOf,
  message,
  messages,
  place,
  placesOf,
  takeAll,
  type Consumer,
} from '../../contract/bus/subject.js';
import { eventually } from '../../stores.js';
import { startNats, type NatsServer } from '../../stack/nats.js';
import { emptyStream } from './stream.js';

describe('the bus on NATS JetStream', function () {
  let server: NatsServer;
  let stream: ReturnType<typeof emptyStream>;
  let opened: Bus[];
  let faults: unknown[];
  let consumer: Consumer;
  const open = async (url = stream.url) => {
    const bus = await openNatsBus({ url, report: (fault) => void faults.push(fault) });
    opened.push(bus);
    return bus;
  };
  before(async () => {
    server = await startNats();
  });
  after(() => server.stop());
  let bus: Bus;
  beforeEach(async () => {
    stream = emptyStream(server.url);
    opened = [];
    faults = [];
    bus = await open();
    consumer = consumerOf(await open(), 5);
  });
  afterEach(async () => {
    await consumer.end();
    for (const each of opened) await each.close();
    await stream.remove();
  });
  const placesFrom = (from: number, to: number) => messages(from, to).map((each) => each.place);

  it('makes the stream that was asked for', async () => {
    await bus.publish([message(1)]);
    const config = await asOperator(async (jsm) => (await jsm.streams.info(stream.stream)).config);
    expect(config).to.deep.include({
      subjects: [`${stream.stream}.messages`],
      storage: 'file',
      retention: 'limits',
      discard: 'old',
      max_age: 7 * 86_400e9,
      duplicate_window: 120e9,
      num_replicas: 1,
    });
    const { config: durable } = await asOperator(async (jsm) => {
      await takeAll(consumer, 1);
      return jsm.consumers.info(stream.stream, 'fan-out');
    });
    expect(durable).to.deep.include({ ack_policy: 'explicit', max_ack_pending: 5, durable_name: 'fan-out' });
  });

  it('leaves out what was published within the last two minutes already', async () => {
    await bus.publish(messages(1, 3));
    await bus.publish(messages(1, 4));
    const count = await asOperator(async (jsm) => (await jsm.streams.info(stream.stream)).state.messages);
    expect(count).to.equal(4);
  });

  it('goes on by itself after a crash of the server: everything that was answered is there, in order', async () => {
    await bus.publish(messages(1, 7));
    const held = await consumer.next();
    const waiting = consumer.next();
    await server.kill();
    // Until the client has noticed the crash, it says that the connection was closed.
    const noticed = async () => (await refusal(bus.last())).includes('cannot be reached');
    await eventually('it is noticed', noticed);
    expect(await refusal(bus.publish([message(8)]))).to.include('cannot be reached');
    await server.start();
    // It was never settled, so it comes again, and nothing before it.
    expect((await waiting).messages[0]?.place).to.equal(placesOf(held)[0]);
    await consumer.end();
    consumer = consumerOf(await open(), 5);
    await bus.publish([message(8)]);
    expect(await takeAll(consumer, 8)).to.deep.equal(placesFrom(1, 8));
    expect(await bus.last()).to.equal(place(8));
  });

  it('does not count an acknowledgement that failed', async () => {
    await bus.publish(messages(1, 3));
    const held = await consumer.next();
    await server.kill();
    expect(await refusal(held.ack())).to.match(/NATS at 127.0.0.1:\d+ /);
    await server.start();
    await consumer.end();
    consumer = consumerOf(await open(), 5);
    expect(await takeAll(consumer, 3)).to.deep.equal(placesFrom(1, 3));
  });

  it('starts again with the same consumer on a server that lost everything', async () => {
    await bus.publish(messages(1, 4));
    await takeAll(consumer, 4);
    const waiting = consumer.take();
    await server.kill();
    await server.startEmpty();
    await eventually('it answers', async () => (await bus.last().catch(() => 'away')) === null);
    await bus.publish(messages(5, 7));
    expect(await bus.last()).to.equal(place(7));
    const taken = await waiting;
    expect([...taken, ...(await takeAll(consumer, 3 - taken.length))]).to.deep.equal(placesFrom(5, 7));
  });

  it('makes the stream again after its deletion, and goes on', async () => {
    await bus.publish(messages(1, 4));
    await takeAll(consumer, 4);
    const waiting = consumer.take();
    await stream.remove();
    expect(await bus.last()).to.equal(null);
    await stream.remove();
    await bus.publish(messages(5, 6));
    const taken = await waiting;
    expect([...taken, ...(await takeAll(consumer, 2 - taken.length))]).to.deep.equal(placesFrom(5, 6));
  });

  it('goes on after the last acknowledgement when somebody deletes the consumer', async () => {
    await bus.publish(messages(1, 2));
    await takeAll(consumer, 2);
    const waiting = consumer.take();
    await asOperator((jsm) => jsm.consumers.delete(stream.stream, 'fan-out'));
    await bus.publish([message(3)]);
    expect(await waiting).to.deep.equal([place(3)]);
  });

  it('gives an error within seconds while the server hangs, and goes on when it answers again', async () => {
    await bus.publish(messages(1, 2));
    await takeAll(consumer, 2);
    const waiting = consumer.take();
    server.freeze();
    const began = performance.now();
    expect(await refusal(bus.publish([message(3)]))).to.match(/does not answer|closed the connection/);
    expect(await refusal(bus.last())).to.match(/does not answer|closed the connection/);
    expect(performance.now() - began).to.be.lessThan(15_000);
    server.thaw();
    await eventually('it takes it', () =>
      bus.publish([message(3)]).then(
        () => true,
        () => false,
      ),
    );
    expect(await waiting).to.deep.equal([place(3)]);
  });

  it("passes over another program's message, and reports it", async () => {
    await bus.publish([message(1)]);
    await asOperator(async (_jsm, nats) => {
      nats.publish(`${stream.stream}.messages`, 'garbage');
      await nats.flush();
    });
    await bus.publish([message(2)]);
    expect(await takeAll(consumer, 2)).to.deep.equal(placesFrom(1, 2));
    expect(faults.map(String)).to.have.length(1);
    expect(String(faults[0])).to.include('not a message of testledger');
  });

  it('leaves out a message that the server never takes, and reports it', async () => {
    await bus.publish([message(1), message(2, 'x'.repeat(1_100_000)), message(3)]);
    expect(await takeAll(consumer, 2)).to.deep.equal([place(1), place(3)]);
    expect(String(faults[0])).to.include('event_2 is larger');
  });

  it('finds the one of several servers that is running', async () => {
    const several = await open(stream.url.replace('nats://', 'nats://127.0.0.1:9,'));
    await several.publish([message(1)]);
    expect(await bus.last()).to.equal(place(1));
  });

  it('gives unacknowledged messages to the next consumer, though the last one has not noticed its end', async () => {
    await bus.publish(messages(1, 8));
    await consumer.next();
    const second = consumerOf(await open(), 5);
    expect(await takeAll(second, 8)).to.deep.equal(placesFrom(1, 8));
    await second.end();
  });

  it('notices messages that went to another consumer, and gives them before later ones', async () => {
    await bus.publish(messages(1, 2));
    const held = await consumer.next();
    const rest = messages(held.messages.length + 1, 2);
    await bus.publish([message(3)]);
    await asOperator(async (_jsm, nats) => {
      const stolen = await nats.jetstream().consumers.get(stream.stream, 'fan-out');
      expect((await stolen.next({ expires: 1_000 }))?.seq).to.equal(held.messages.length + 1);
    });
    await held.ack();
    const taking = takeAll(consumer, rest.length + 2);
    await bus.publish([message(4)]);
    expect(await taking).to.deep.equal([...rest.map((each) => each.place), ...placesFrom(3, 4)]);
    expect(faults).to.deep.equal([]);
  });

  async function asOperator<T>(work: (jsm: Jsm, nats: Nats) => Promise<T>): Promise<T> {
    const nats = await connect({ servers: server.url });
    try {
      return await work(await nats.jetstreamManager(), nats);
    } finally {
      await nats.close();
    }
  }
});

describe('the bus on a nats-server that wants credentials, or has no JetStream', function () {
  it('takes the credentials of the URL, and shows no password when they are refused', async () => {
    const server = await startNats({ users: '{ user: "one", password: "se/cr@et" }' });
    const faults: unknown[] = [];
    const open = (credentials: string) =>
      openNatsBus({
        url: server.url.replace('nats://', `nats://${credentials}@`),
        report: (fault) => void faults.push(fault),
      });
    try {
      const bus = await open('one:se%2Fcr%40et');
      await bus.publish([message(1)]);
      await bus.close();
      const wrong = await open('one:hush-hush');
      const said = await refusal(wrong.publish([message(2)]));
      expect(said).to.include('refuses the credentials').and.not.to.include('hush');
      const consumer = consumerOf(wrong);
      const waiting = consumer.next().catch(() => 'ended');
      await eventually('the fault is reported', () => faults.length > 1);
      await wrong.close();
      expect(await waiting).to.equal('ended');
      expect(faults.map(String).join()).to.include('refuses the credentials').and.not.to.include('hush');
    } finally {
      await server.stop();
    }
  });

  it('says that there is no JetStream', async () => {
    const server = await startNats({ jetstream: false });
    const bus = await openNatsBus({ url: server.url, report: () => undefined });
    try {
      expect(await refusal(bus.publish([message(1)]))).to.include('has no JetStream');
    } finally {
      await bus.close();
      await server.stop();
    }
  });
});

type Nats = Awaited<ReturnType<typeof connect>>;
type Jsm = Awaited<ReturnType<Nats['jetstreamManager']>>;

/** The reason of the refusal, from the LedgerError. */
async function refusal(call: Promise<unknown>): Promise<string> {
  const error: unknown = await call.then(
    () => expect.fail('it was not refused'),
    (reason: unknown) => reason,
  );
  expect(isLedgerError(error, 'bus_unavailable'), String(error)).to.equal(true);
  return String(error);
}
