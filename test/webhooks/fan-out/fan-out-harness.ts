/** A fan-out with stores of its own for each test, and the deliveries that it must add. */
import { expect } from 'chai';
import { ALL_PARTITIONS } from '../../../src/domain/partition.js';
import { eventually } from '../../stores.js';
import { expectedDeliveries, messageAt } from '../memory-stores.js';
import { openWorld, startFanOut, type World } from '../killable-processes.js';

/** With this pause between looks, only commits wake the fan-out. */
export const onlyCommits = { lookEveryMs: 60_000 };

export const place = (n: number) => messageAt(n).place;

export const idsOf = (...numbers: number[]) => expectedDeliveries(numbers.map((n) => messageAt(n)));

export function fanOutHarness() {
  let world: World;
  beforeEach(() => {
    world = openWorld();
  });
  afterEach(() => world.stop());
  const made = () => world.deliveries.all.map(({ id }) => id);
  return {
    world: () => world,
    made,
    /** Adds messages to the outbox in one commit, which wakes the fan-out. */
    commit: (...numbers: number[]) => {
      for (const n of numbers) world.views.add(messageAt(n));
      world.committed();
    },
    async hasMade(...numbers: number[]) {
      await eventually('they are made', () => made().length >= numbers.length);
      expect(made()).to.deep.equal(idsOf(...numbers));
    },
    /** Starts a fan-out, and waits until it leads and has read the empty outbox. */
    async led(options: Parameters<typeof startFanOut>[1] = onlyCommits) {
      let looked = 0;
      const started = startFanOut(world, {
        ...options,
        before: (call) => {
          if (call === 'views.find done') looked += 1;
          options?.before?.(call);
        },
      });
      await eventually('it has looked', () => looked >= ALL_PARTITIONS.length);
      return started;
    },
  };
}
