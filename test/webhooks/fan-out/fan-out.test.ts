import { expect } from 'chai';
import { RELEASED } from '../../../src/leases/lease.js';
import { moveCheckpoint } from '../../../src/webhooks/outbox/checkpoint.js';
import { newDelivery } from '../../../src/domain/messages/delivery.js';
import { eventually, NOW } from '../../stores.js';
import { expectedDeliveries, messageAt, positionOf, webhooks } from '../memory-stores.js';
import { fanOutHarness, idsOf, onlyCommits } from './fan-out-harness.js';
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
  const { made, commit, hasMade, led } = given;
  let world: World;
  beforeEach(() => {
    world = given.world();
  });

  it('adds one delivery for each target, due now', async () => {
    await led();
    const message = messageAt(1, { targets: [webhooks[0]!, webhooks[2]!] });
    world.views.add(message);
    world.committed();
    await allFannedOut(world);
    expect(world.deliveries.all).to.deep.equal(
      [webhooks[0]!, webhooks[2]!].map((webhook) => newDelivery(message, webhook, NOW)),
    );
  });

  it('adds none for a webhook that was deleted, disabled, enabled again or subscribed to other events or projects since', async () => {
    const [gone, disabled, enabledAgain] = webhooks as [string, string, string];
    const [other, narrowed] = ['webhook_other', 'webhook_narrowed'];
    const base = { events: ['*' as const], project_ids: null, enabled: true, since: positionOf(1) };
    world.views.webhooks = [
      { ...base, webhook_id: disabled, enabled: false },
      { ...base, webhook_id: enabledAgain, since: positionOf(6) },
      { ...base, webhook_id: other, events: ['test.flaky', 'run.completed'] },
      { ...base, webhook_id: narrowed, project_ids: ['project_1'] },
    ];
    world.views.add(messageAt(5, { targets: [gone, disabled, enabledAgain, other, narrowed] }));
    world.views.add(messageAt(7, { targets: [enabledAgain] }));
    startFanOut(world);
    await allFannedOut(world);
    expect(made()).to.deep.equal(expectedDeliveries([messageAt(7, { targets: [enabledAgain] })]));
  });

  it('adds a ping for its webhook, whatever the subscriptions are', async () => {
    world.views.webhooks = [
      {
        webhook_id: webhooks[0]!,
        events: ['run.completed'],
        project_ids: null,
        enabled: true,
        since: positionOf(1),
      },
    ];
    world.views.add(messageAt(5, { type: 'webhook.ping' }));
    startFanOut(world);
    await hasMade(5);
  });

  it('reads more than a page', async () => {
    await led();
    commit(...Array.from({ length: 1_203 }, (_, n) => n + 1));
    await allFannedOut(world);
    expect(made()).to.deep.equal(expectedDeliveries(world.views.messages));
  });

  it('takes the messages of a commit during its reads without another look', async () => {
    let commits = 0;
    await led({
      ...onlyCommits,
      before: (call) => {
        if (call === 'views.find done' && world.views.messages.length > 0 && commits < 3)
          commit((commits += 1) + 1);
      },
    });
    commit(1);
    await hasMade(1, 2, 3, 4);
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

  it('waits for an outbox that is being rebuilt and has no messages or webhooks yet', async () => {
    world.views.webhooks[0]!.since = positionOf(3);
    for (const n of [4, 5, 6]) world.views.add(messageAt(n));
    await moveCheckpoint(world.state, await checkpointIn(world.state), messageAt(4));
    world.views.fold('');
    startFanOut(world);
    for (const n of [0, 2, 3, 4, 5]) {
      world.views.fold(positionOf(n));
      await aWhile();
      expect(made()).to.deep.equal(n === 5 ? idsOf(5) : []);
    }
    world.views.fold(positionOf(6));
    await hasMade(5, 6);
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
    await led({ ...onlyCommits, added: (each) => void woken.push([...each]) });
    const message = messageAt(1, { targets: [webhooks[0]!, webhooks[1]!] });
    world.views.add(message);
    world.committed();
    await eventually('it is reported', () => woken.length > 0);
    expect(woken).to.deep.equal([[webhooks[0], webhooks[1]]]);
  });

  it('goes on with all partitions after a fault', async () => {
    let isAway = false;
    const { faults } = await led({
      ...onlyCommits,
      before: (call) => {
        if (isAway && call === 'views.find') throw new Error('the outbox is away');
      },
    });
    isAway = true;
    commit(1);
    await eventually('it is reported', () => faults.length > 0);
    isAway = false;
    await hasMade(1);
    expect(String(faults[0]?.error)).to.include('the outbox is away');
  });

  it('stops at once while it waits', async () => {
    const { stop } = await led();
    await stop();
    expect((await world.state.get<{ until: string }>('lease', 'fan-out'))?.value.until).to.equal(RELEASED);
  });
});
