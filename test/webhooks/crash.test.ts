import { expect } from 'chai';
import fc from 'fast-check';
import { expectedDeliveries, messageAt, webhooks } from './memory-stores.js';
import { allFannedOut, openWorld, staleIn, startFanOut, type World } from './killable-processes.js';

/** Adds messages one after another, so that some come after the start. `tells`: whether the n-th commit wakes anybody. */
async function addAll(
  world: World,
  count: number,
  tells: (n: number) => boolean = () => true,
): Promise<void> {
  for (let n = 1; n <= count; n += 1) {
    world.views.add(
      messageAt(n, { targets: webhooks.slice(0, 1 + (n % 3)), ...(n % 5 === 0 && { outgoing: null }) }),
    );
    if (tells(n)) world.committed();
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
    const deaths = new Set<string>();
    let survived = false;
    for (let diesAt = 1; !survived; diesAt += 1) {
      await world.stop();
      places.length = 0;
      world = watchedWorld(places);
      const dying = startFanOut(world, { diesAt });
      const recorded = addAll(world, 7).then(() => allFannedOut(world));
      await Promise.race([dying.ended, recorded]);
      survived = dying.died() === null;
      deaths.add(dying.died() ?? '');
      if (!survived) startFanOut(world);
      await recorded;
      expectNothingLostOrDoubled(world);
    }
    expect([...deaths]).to.include.members([
      'state.get',
      'views.find done',
      'views.get',
      'deliveries.add',
      'deliveries.add done',
      'state.put',
      'state.put done',
    ]);
  });

  it('keep their number and order whichever process dies, and whatever commits nobody hears of', async () => {
    const run = fc.record({
      count: fc.integer({ min: 1, max: 25 }),
      deaths: fc.array(fc.integer({ min: 1, max: 60 }), { maxLength: 3 }),
      tells: fc.func(fc.boolean()),
      twoOfEach: fc.boolean(),
    });
    await fc.assert(
      fc.asyncProperty(run, async ({ count, deaths, tells, twoOfEach }) => {
        await world.stop();
        places.length = 0;
        world = watchedWorld(places);
        const recorded = addAll(world, count, tells).then(() => allFannedOut(world));
        if (twoOfEach) startFanOut(world, { state: staleIn(world.state) });
        const lives = async () => {
          for (const diesAt of deaths) {
            const process = startFanOut(world, { diesAt });
            await Promise.race([process.ended, recorded]);
            if (process.died() === null) return;
          }
          startFanOut(world);
        };
        await Promise.all([lives(), recorded]);
        expectNothingLostOrDoubled(world);
      }),
      { numRuns: 60 },
    );
  });
});

function watchedWorld(places: string[]): World {
  const world = openWorld();
  const { put } = world.state;
  world.state.put = async (kind, key, value, options) => {
    const version = await put(kind, key, value, options);
    if (kind === 'fan_out' && version !== null) places.push((value as { place: string }).place);
    return version;
  };
  return world;
}
