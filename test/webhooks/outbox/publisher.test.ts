import { expect } from 'chai';
import { moveCheckpoint } from '../../../src/webhooks/outbox/checkpoint.js';
import { asMessage } from '../../../src/domain/messages/message.js';
import { eventually } from '../../stores.js';
import { messageAt, positionOf } from '../memory-stores.js';
import { aWhile, checkpointIn, openWorld, startPublisher, type World } from '../killable-processes.js';

describe('the publisher', () => {
  let world: World;
  beforeEach(() => {
    world = openWorld();
  });
  afterEach(() => world.stop());

  const add = (...numbers: number[]) => {
    for (const n of numbers) world.views.add(messageAt(n, n % 10 === 0 ? { outgoing: null } : {}));
    world.committed();
  };
  const placesOf = (...numbers: number[]) => numbers.map((n) => messageAt(n).place);
  const carried = () => world.bus.queue.map(({ place }) => place);
  const hasCarried = (...numbers: number[]) =>
    eventually('it is carried', () => carried().length >= numbers.length).then(() =>
      expect(carried()).to.deep.equal(placesOf(...numbers)),
    );
  const record = async (n: number) =>
    moveCheckpoint(world.state, await checkpointIn(world.state), messageAt(n));

  it('publishes every message with targets, in order', async () => {
    add(1, 2, 10, 11);
    startPublisher(world);
    await hasCarried(1, 2, 11);
    add(12, 20, 21);
    await hasCarried(1, 2, 11, 12, 21);
    expect(world.bus.queue).to.deep.equal([1, 2, 11, 12, 21].map((n) => asMessage(messageAt(n))));
  });

  it('finds new commits by polling', async () => {
    startPublisher(world, { polling: true });
    await eventually('it leads', () => lookedAtState > 0);
    add(1);
    await hasCarried(1);
  });

  it('begins after the checkpoint', async () => {
    add(1, 2, 3);
    await record(2);
    startPublisher(world);
    await hasCarried(3);
  });

  it('publishes nothing twice while nothing fails', async () => {
    add(1, 2);
    const { stop } = startPublisher(world);
    await hasCarried(1, 2);
    await eventually('it has looked at the bus', () => lastAsked >= 2);
    await stop();
    expect(carried()).to.deep.equal(placesOf(1, 2));
  });

  it('goes back to the checkpoint if the bus was wiped or restored from a backup', async () => {
    add(1, 2, 3, 4);
    startPublisher(world);
    await hasCarried(1, 2, 3, 4);
    await record(1);
    world.bus.wipe();
    await hasCarried(2, 3, 4);
    world.bus.wipe();
    await world.bus.publish([asMessage(messageAt(2))]);
    await hasCarried(2, 2, 3, 4);
  });

  it('goes back to the checkpoint if the log was restored and lost what was published', async () => {
    add(1, 2, 8);
    startPublisher(world);
    await hasCarried(1, 2, 8);
    await record(1);
    world.views.fold(positionOf(4));
    await hasCarried(1, 2, 8, 2);
    add(3);
    await eventually('it goes on', () => carried().includes(messageAt(3).place));
  });

  it('leaves an empty bus empty if all messages are before the checkpoint', async () => {
    add(1, 2);
    const { stop } = startPublisher(world);
    await hasCarried(1, 2);
    await record(2);
    world.bus.wipe();
    await eventually('it has looked again', () => lookedAtState >= 3);
    await stop();
    expect(carried()).to.deep.equal([]);
  });

  it('reports faults of the bus, and goes on where it stopped', async () => {
    let away = false;
    const { faults } = startPublisher(world, {
      before: (call) => {
        if (away && call === 'bus.publish') throw new Error('the bus is away');
      },
    });
    add(1, 2);
    await hasCarried(1, 2);
    away = true;
    add(3);
    await eventually('it has failed twice', () => faults.length >= 2);
    away = false;
    await hasCarried(1, 2, 3);
    expect(faults.map(({ error }) => String(error))).to.include('Error: the bus is away');
  });

  it('publishes nothing while a rebuild of the outbox is behind the checkpoint, then goes on', async () => {
    add(1, 2, 3);
    await record(2);
    world.views.fold('');
    startPublisher(world);
    for (const n of [0, 1, 2]) {
      world.views.fold(positionOf(n));
      world.committed();
      await aWhile();
      expect(carried()).to.deep.equal([]);
    }
    world.views.fold(positionOf(3));
    world.committed();
    await hasCarried(3);
  });

  let lastAsked: number;
  let lookedAtState: number;
  beforeEach(() => {
    lastAsked = 0;
    lookedAtState = 0;
    const { last } = world.bus;
    world.bus.last = () => {
      lastAsked += 1;
      return last();
    };
    const { list } = world.state;
    world.state.list = (kind, options) => {
      if (kind === 'publication') lookedAtState += 1;
      return list(kind, options);
    };
  });
});
