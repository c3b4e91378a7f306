/** The publisher and the fan-out with a real nats-server that is killed, wiped and frozen while messages wait on it. */
import { expect } from 'chai';
import { openNatsBus } from '../../../src/adapters/nats/bus.js';
import type { Bus } from '../../../src/ports/bus.js';
import { expectedDeliveries, messageAt } from '../../webhooks/memory-stores.js';
import {
  allFannedOut,
  openWorld,
  startFanOut,
  startPublisher,
  type World,
} from '../../webhooks/killable-processes.js';
import { eventually } from '../../stores.js';
import { startNats, type NatsServer } from '../nats.js';

describe('messages that wait on NATS', function () {
  let server: NatsServer;
  let world: World;
  let buses: Bus[];
  const open = async (): Promise<Bus> => {
    const bus = await openNatsBus({ url: server.url, report: () => undefined });
    buses.push(bus);
    return bus;
  };
  beforeEach(async () => {
    server = await startNats();
    world = openWorld();
    buses = [];
  });
  afterEach(async () => {
    await world.stop();
    for (const bus of buses) await bus.close();
    await server.stop();
  });
  const add = (from: number, to: number) => {
    for (let n = from; n <= to; n += 1) world.views.add(messageAt(n));
    world.committed();
  };
  const expectAll = () =>
    expect(world.deliveries.all.map(({ id }) => id)).to.deep.equal(expectedDeliveries(world.views.messages));

  it('are neither lost nor doubled when the server loses its storage', async () => {
    startPublisher(world, { bus: await open() });
    add(1, 300);
    const bus = await open();
    await eventually('the messages are on the bus', async () => (await bus.last()) === messageAt(300).place);
    await server.kill();
    await server.startEmpty();
    add(301, 310);
    // The fan-out below gets them only from the bus, so the publisher must publish them again first.
    await eventually('the messages are on the bus again', async () => {
      return (await bus.last().catch(() => null)) === messageAt(310).place;
    });
    startFanOut(world, { bus, idleMs: 60_000 });
    await allFannedOut(world);
    expectAll();
  });

  it('are neither lost nor doubled when the server is killed, wiped and frozen repeatedly', async () => {
    startPublisher(world, { bus: await open() });
    startFanOut(world, { bus: await open(), idleMs: 2_000 });
    let last = 0;
    const addMore = () => add(last + 1, (last += 50));
    const killed = () => server.kill().then(() => server.start());
    const wiped = () => server.kill().then(() => server.startEmpty());
    const frozen = async () => {
      server.freeze();
      addMore();
      // The fan-out finds them in the outbox, because the bus gives nothing.
      await allFannedOut(world, 20_000);
      server.thaw();
    };
    for (const fault of [killed, wiped, frozen, wiped, killed]) {
      addMore();
      await fault();
      addMore();
      await allFannedOut(world, 20_000);
    }
    expectAll();
  });

  it('come at once over the bus, without a wait for the next read of the outbox', async () => {
    startPublisher(world, { bus: await open() });
    startFanOut(world, { bus: await open(), idleMs: 60_000 });
    add(1, 1);
    await allFannedOut(world);
    const took: number[] = [];
    for (let n = 2; n <= 50; n += 1) {
      const began = performance.now();
      add(n, n);
      await allFannedOut(world);
      took.push(performance.now() - began);
    }
    expect(took.sort((one, other) => one - other)[25]).to.be.lessThan(100);
    expectAll();
  });
});
