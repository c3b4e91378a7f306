/** A fan-out with stores of its own for each test, and the deliveries that it must add. */
import { asMessage } from '../../../src/domain/messages/message.js';
import { expect } from 'chai';
import { eventually } from '../../stores.js';
import { expectedDeliveries, messageAt } from '../memory-stores.js';
import { openWorld, startFanOut, type World } from '../killable-processes.js';

/** With this pause between reads of the outbox, messages come only from the bus. */
export const onlyTheBus = { idleMs: 60_000 };

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
    put: (...numbers: number[]) => world.bus.publish(numbers.map((n) => asMessage(messageAt(n)))),
    async hasMade(...numbers: number[]) {
      await eventually('they are made', () => made().length >= numbers.length);
      expect(made()).to.deep.equal(idsOf(...numbers));
    },
    /** Starts a fan-out, and waits until it leads and has read the empty outbox. */
    async led(options: Parameters<typeof startFanOut>[1] = onlyTheBus) {
      let looked = 0;
      const started = startFanOut(world, {
        ...options,
        before: (call) => {
          if (call === 'views.find done') looked += 1;
          options?.before?.(call);
        },
      });
      await eventually('it leads', () => looked > 0);
      return started;
    },
  };
}
