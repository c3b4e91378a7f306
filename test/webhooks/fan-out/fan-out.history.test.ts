import { expect } from 'chai';
import { moveCheckpoint } from '../../../src/webhooks/outbox/checkpoint.js';
import { eventually, NOW } from '../../stores.js';
import { expectedDeliveries, messageAt, positionOf } from '../memory-stores.js';
import { fanOutHarness, place } from './fan-out-harness.js';
import {
  allFannedOut,
  aWhile,
  checkpointIn,
  checkpointOf,
  startFanOut,
  type World,
} from '../killable-processes.js';

describe('the fan-out after a restore', () => {
  const given = fanOutHarness();
  const { made, led } = given;
  let world: World;
  beforeEach(() => {
    world = given.world();
  });

  describe('if the log was restored from an older backup than the state', () => {
    const daysAgo = (days: number) => new Date(Date.parse(NOW) - days * 86_400_000).toISOString();
    const head = async () => positionOf(4);
    const event_id = (n: number) => messageAt(1_000 + n).event_id;
    beforeEach(async () => {
      await moveCheckpoint(world.state, await checkpointIn(world.state), messageAt(8, { at: daysAgo(1) }));
      for (const n of [1, 2, 3]) world.views.add(messageAt(n, { at: daysAgo(2) }));
      world.views.fold(positionOf(4));
    });
    const happens = (n: number) => {
      world.views.add(messageAt(n, { event_id: event_id(n) }));
      world.views.fold(positionOf(n));
    };
    const idsOfNew = (...numbers: number[]) =>
      expectedDeliveries(numbers.map((n) => messageAt(n, { event_id: event_id(n) })));

    it('adds deliveries of all later events and of none before, and reports it', async () => {
      // Before the fan-out looks: the checkpoint must not be at this position by chance.
      happens(4);
      const { faults } = startFanOut(world, { head });
      await eventually('it is made', () => made().length === 1);
      for (const n of [5, 8, 9]) happens(n);
      await allFannedOut(world);
      expect(made()).to.deep.equal(idsOfNew(4, 5, 8, 9));
      expect(faults.map(({ error }) => String(error))).to.have.length(1);
      expect(String(faults[0]!.error)).to.include(`The log ends at ${positionOf(4)}`);
    });

    it('notices it also while it leads, and goes on after a change of the leader', async () => {
      world.views.fold(positionOf(8));
      let end = positionOf(8);
      const { stop } = await led({ lookEveryMs: 20, head: async () => end });
      end = positionOf(3);
      world.views.fold(positionOf(3));
      await eventually('the checkpoint is reset', async () => (await checkpointOf(world)) < place(8));
      await stop();
      happens(4);
      startFanOut(world, { head });
      await allFannedOut(world);
      expect(made()).to.deep.equal(idsOfNew(4));
    });

    it('keeps the checkpoint if only the outbox is behind', async () => {
      startFanOut(world, { head: async () => positionOf(8) });
      await aWhile();
      expect([made(), await checkpointOf(world)]).to.deep.equal([[], place(8)]);
    });
  });
});
