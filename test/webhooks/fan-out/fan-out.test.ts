import { expect } from 'chai';
import { RELEASED } from '../../../src/leases/lease.js';
import type { Bus, BusBatch } from '../../../src/ports/bus.js';
import { moveCheckpoint } from '../../../src/webhooks/outbox/checkpoint.js';
import { outboxLag } from '../../../src/webhooks/outbox/outgoing.js';
import { newDelivery } from '../../../src/domain/messages/delivery.js';
import { eventually, NOW } from '../../stores.js';
import { expectedDeliveries, messageAt, positionOf, webhooks } from '../memory-stores.js';
import { fanOutHarness, idsOf, onlyTheBus, place } from './fan-out-harness.js';
import {
  allFannedOut,
  aWhile,
  checkpointIn,
  checkpointOf,
  startFanOut,
  type World,
} from '../killable-processes.js';

describe('the fan-out', () => {
  const given = fanOutHarness();
  const { made, put, hasMade, led } = given;
  let world: World;
  beforeEach(() => {
    world = given.world();
  });

  it('adds one delivery for each target, due now', async () => {
    await led();
    const message = messageAt(1, { targets: [webhooks[0]!, webhooks[2]!] });
    world.views.add(message);
    await put(1);
    await allFannedOut(world);
    expect(world.deliveries.all).to.deep.equal(
      [webhooks[0]!, webhooks[2]!].map((webhook) => newDelivery(message, webhook, NOW)),
    );
  });

  it('adds none for a webhook that was deleted, disabled, enabled again or subscribed to other events since', async () => {
    const [gone, disabled, enabledAgain, other] = [webhooks[0]!, webhooks[1]!, webhooks[2]!, 'webhook_other'];
    const base = { events: ['*' as const], enabled: true, since: positionOf(1) };
    world.views.webhooks = [
      { ...base, webhook_id: disabled, enabled: false },
      { ...base, webhook_id: enabledAgain, since: positionOf(6) },
      { ...base, webhook_id: other, events: ['test.flaky', 'run.completed'] },
    ];
    world.views.add(messageAt(5, { targets: [gone, disabled, enabledAgain, other] }));
    world.views.add(messageAt(7, { targets: [enabledAgain] }));
    startFanOut(world);
    await allFannedOut(world);
    expect(made()).to.deep.equal(expectedDeliveries([messageAt(7, { targets: [enabledAgain] })]));
  });

  it('adds a ping for its webhook, whatever the subscriptions are', async () => {
    world.views.webhooks = [
      { webhook_id: webhooks[0]!, events: ['run.completed'], enabled: true, since: positionOf(1) },
    ];
    world.views.add(messageAt(5, { type: 'webhook.ping' }));
    startFanOut(world);
    await hasMade(5);
  });

  it('adds the deliveries, then moves the checkpoint', async () => {
    const calls: string[] = [];
    await led({ ...onlyTheBus, before: (call) => void calls.push(call) });
    calls.length = 0;
    world.views.add(messageAt(1));
    await put(1);
    await eventually('it is done', () => calls.includes('state.put done'));
    const settling = calls.filter((call) => /^(deliveries|state\.put)/.test(call));
    expect(settling).to.deep.equal(['deliveries.add', 'deliveries.add done', 'state.put', 'state.put done']);
  });

  it('drops messages before the checkpoint', async () => {
    await led();
    for (const n of [1, 2]) world.views.add(messageAt(n));
    await put(1, 2);
    await hasMade(1, 2);
    world.views.add(messageAt(3));
    await put(1, 2, 3);
    await hasMade(1, 2, 3);
    await eventually('all is taken', () => world.bus.queue.length === 0);
    expect(made()).to.deep.equal(idsOf(1, 2, 3));
  });

  it('reads lost messages before it takes later ones', async () => {
    await led();
    for (let n = 1; n <= 6; n += 1) world.views.add(messageAt(n));
    await put(1, 3, 6);
    await hasMade(1, 2, 3, 4, 5, 6);
  });

  it('restores the order that the bus has changed', async () => {
    await led();
    for (let n = 1; n <= 5; n += 1) world.views.add(messageAt(n));
    await put(5, 3, 4, 1, 2);
    await hasMade(1, 2, 3, 4, 5);
  });

  it('reads more than a page of lost messages', async () => {
    await led();
    for (let n = 1; n <= 1_203; n += 1) world.views.add(messageAt(n));
    await put(1_203);
    await allFannedOut(world);
    expect(made()).to.deep.equal(expectedDeliveries(world.views.messages));
  });

  it('takes messages with many targets in smaller pages, so that no other partition waits long', async () => {
    const pages: number[] = [];
    let added = 0;
    for (let n = 1; n <= 400; n += 1) world.views.add(messageAt(n, { targets: webhooks }));
    const deliveries = {
      ...world.deliveries,
      add: async (some: Parameters<typeof world.deliveries.add>[0]) => {
        added += some.length;
        return world.deliveries.add(some);
      },
    };
    startFanOut(world, {
      deliveries,
      before: (call) => {
        if (call === 'state.put' && added > 0) pages.push(added);
        if (call === 'state.put') added = 0;
      },
    });
    await allFannedOut(world);
    expect(pages).to.deep.equal([999, 201]);
    expect(made()).to.deep.equal(expectedDeliveries(world.views.messages));
  });

  it('reads the outbox if the bus brings nothing for a while', async () => {
    await led({ idleMs: 20 });
    world.views.add(messageAt(1));
    await hasMade(1);
    world.views.add(messageAt(2));
    await hasMade(1, 2);
  });

  it('reads the outbox if the bus fails at once each time', async () => {
    world.views.add(messageAt(1));
    const bus = { ...world.bus, consume: () => failing() };
    const { faults } = startFanOut(world, { bus });
    await hasMade(1);
    world.views.add(messageAt(2));
    await hasMade(1, 2);
    expect(String(faults[0]?.error)).to.include('the bus is away');
  });

  it('waits for an outbox that is being rebuilt and has no messages or webhooks yet', async () => {
    world.views.webhooks[0]!.since = positionOf(3);
    for (const n of [4, 5, 6]) world.views.add(messageAt(n));
    await moveCheckpoint(world.state, await checkpointIn(world.state), messageAt(4));
    world.views.fold('');
    startFanOut(world);
    await put(6);
    for (const n of [0, 2, 3, 4, 5]) {
      world.views.fold(positionOf(n));
      await aWhile();
      expect(made()).to.deep.equal(n === 5 ? idsOf(5) : []);
    }
    world.views.fold(positionOf(6));
    await hasMade(5, 6);
    await eventually('it is acknowledged', () => world.bus.queue.length === 0);
  });

  it('drops no message when the read models are deleted while it reads them', async () => {
    for (const webhook of world.views.webhooks) webhook.since = positionOf(1);
    world.views.add(messageAt(3));
    let deleted = false;
    const { faults } = startFanOut(world, {
      before: (call) => {
        if (call !== 'views.get' || deleted) return;
        deleted = true;
        world.views.fold('');
      },
    });
    await eventually('it is reported', () => faults.length > 0);
    expect(await checkpointOf(world)).to.equal('');
    world.views.fold(positionOf(3));
    await hasMade(3);
  });

  it('wakes the webhooks with new deliveries', async () => {
    const woken: string[][] = [];
    await led({ ...onlyTheBus, added: (each) => void woken.push([...each]) });
    const message = messageAt(1, { targets: [webhooks[0]!, webhooks[1]!] });
    world.views.add(message);
    await put(1);
    await eventually('it is reported', () => woken.length > 0);
    expect(woken).to.deep.equal([[webhooks[0], webhooks[1]]]);
  });

  it('has one reader of the bus, also after a fault', async () => {
    const readers: AbortSignal[] = [];
    let isAway = false;
    const consume: Bus['consume'] = (options) => {
      readers.push(options.signal);
      return world.bus.consume(options);
    };
    await led({
      bus: { ...world.bus, consume },
      idleMs: 20,
      before: (call) => {
        if (call !== 'views.find' || !isAway) return;
        isAway = false;
        throw new Error('the outbox is away');
      },
    });
    await eventually('it reads the bus', () => readers.length === 1);
    isAway = true;
    await eventually('it reads the bus again', () => readers.length === 2);
    expect(readers.map(({ aborted }) => aborted)).to.deep.equal([true, false]);
  });

  it('stops at once, even if the bus hangs', async () => {
    const bus = { ...world.bus, consume: () => hanging() };
    const { stop } = await led({ bus });
    await stop();
    expect((await world.state.get<{ until: string }>('lease', 'fan-out'))?.value.until).to.equal(RELEASED);
  });

  it('has a lag: the age of the oldest message after the checkpoint', async () => {
    const lag = () => outboxLag(world.state, world.views, world.clock);
    expect(await lag()).to.equal(0);
    world.views.add(messageAt(1));
    world.clock.forward(4_500);
    world.views.add(messageAt(2, { at: world.clock().toISOString() }));
    world.clock.forward(500);
    expect(await lag()).to.equal(5);
    await moveCheckpoint(world.state, await checkpointIn(world.state), messageAt(1));
    expect(await lag()).to.equal(0.5);
    await moveCheckpoint(world.state, await checkpointIn(world.state), messageAt(2));
    expect(await lag()).to.equal(0);
    expect(await checkpointOf(world)).to.equal(place(2));
  });
});

// oxlint-disable-next-line require-yield
async function* failing(): AsyncGenerator<BusBatch, void> {
  throw new Error('the bus is away');
}

// oxlint-disable-next-line require-yield
async function* hanging(): AsyncGenerator<BusBatch, void> {
  await new Promise(() => {});
}
