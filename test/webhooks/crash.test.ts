import { expect } from 'chai';
import fc from 'fast-check';
import type { Message } from '../../src/domain/messages/message.js';
import { expectedDeliveries, messageAt, webhooks } from './memory-stores.js';
import {
  allFannedOut,
  openWorld,
  staleIn,
  startFanOut,
  startPublisher,
  type World,
} from './killable-processes.js';

/** Adds messages one after another, so that some come by the bus after the start. */
async function addAll(world: World, count: number): Promise<void> {
  for (let n = 1; n <= count; n += 1) {
    world.views.add(
      messageAt(n, { targets: webhooks.slice(0, 1 + (n % 3)), ...(n % 5 === 0 && { outgoing: null }) }),
    );
    world.committed();
    await new Promise((resolve) => setImmediate(resolve));
  }
}

function expectNothingLostOrDoubled({ deliveries, views }: World): void {
  const outgoing = views.messages.filter((message) => message.outgoing !== null);
  expect(deliveries.all.map(({ id }) => id)).to.deep.equal(expectedDeliveries(outgoing));
}

describe('messages on their way from the outbox to deliveries', function () {
  let world: World;
  let places: string[];
  beforeEach(() => {
    places = [];
    world = watchedWorld(places);
  });
  afterEach(async () => {
    await world.stop();
    expect(places, 'the recorded place never goes back').to.deep.equal([...places].sort());
  });

  it('keep their number and order wherever the fan-out dies', async () => {
    expect(await diesEverywhere(startFanOut)).to.include.members([
      'state.get',
      'views.find done',
      'views.get',
      'deliveries.add',
      'deliveries.add done',
      'state.put',
      'state.put done',
      'batch.ack',
      'batch.ack done',
    ]);
  });

  it('keep their number and order wherever the publisher dies', async () => {
    expect(await diesEverywhere(startPublisher)).to.include.members([
      'state.get',
      'views.find',
      'views.find done',
      'bus.publish',
      'bus.publish done',
    ]);
  });

  /** Answers the calls at which it died. */
  async function diesEverywhere(start: typeof startFanOut): Promise<string[]> {
    const deaths = new Set<string>();
    let survived = false;
    for (let diesAt = 1; !survived; diesAt += 1) {
      await world.stop();
      places.length = 0;
      world = watchedWorld(places);
      const other = start === startFanOut ? startPublisher : startFanOut;
      other(world);
      const dying = start(world, { diesAt });
      const recorded = addAll(world, 7).then(() => allFannedOut(world));
      await Promise.race([dying.ended, recorded]);
      survived = dying.died() === null;
      deaths.add(dying.died() ?? '');
      if (!survived) start(world);
      await recorded;
      expectNothingLostOrDoubled(world);
    }
    return [...deaths];
  }

  it('keep their number and order whichever process dies, and whatever the bus loses, repeats or reorders', async () => {
    const run = fc.record({
      count: fc.integer({ min: 1, max: 25 }),
      publisherDies: fc.array(fc.integer({ min: 1, max: 40 }), { maxLength: 3 }),
      fanOutDies: fc.array(fc.integer({ min: 1, max: 60 }), { maxLength: 3 }),
      lost: fc.func(fc.boolean()),
      twice: fc.func(fc.boolean()),
      mixed: fc.boolean(),
      wiped: fc.boolean(),
      twoOfEach: fc.boolean(),
    });
    await fc.assert(
      fc.asyncProperty(
        run,
        async ({ count, publisherDies, fanOutDies, lost, twice, mixed, wiped, twoOfEach }) => {
          await world.stop();
          places.length = 0;
          world = watchedWorld(places);
          let carried = 0;
          world.bus.carry((messages) => {
            const kept = messages.flatMap((message): Message[] => {
              carried += 1;
              if (lost(carried)) return [];
              return twice(carried) ? [message, message] : [message];
            });
            return mixed ? kept.toReversed() : kept;
          });
          const added = addAll(world, count);
          const recorded = added.then(() => {
            if (wiped) world.bus.wipe();
            return allFannedOut(world);
          });
          if (twoOfEach) {
            startPublisher(world, { state: staleIn(world.state) });
            startFanOut(world, { state: staleIn(world.state) });
          }
          const lives = async (start: typeof startFanOut, deaths: readonly number[]) => {
            for (const diesAt of deaths) {
              const process = start(world, { diesAt });
              await Promise.race([process.ended, recorded]);
              if (process.died() === null) return;
            }
            start(world);
          };
          await Promise.all([lives(startPublisher, publisherDies), lives(startFanOut, fanOutDies), recorded]);
          expectNothingLostOrDoubled(world);
        },
      ),
      { numRuns: 60 },
    );
  });
});

function watchedWorld(places: string[]): World {
  const world = openWorld();
  const { put } = world.state;
  world.state.put = async (kind, key, value, options) => {
    const version = await put(kind, key, value, options);
    if (kind === 'publication' && version !== null) places.push((value as { place: string }).place);
    return version;
  };
  return world;
}
