import { expect } from 'chai';
import { LEASE_MS } from '../../src/leases/lease.js';
import {
  DAY,
  expectNothingLeft,
  givenResultAndJanitor,
  givenJanitor,
  HOUR,
  leftToDo,
  SETTLED_MS,
} from '../commands/artifacts.given.js';
import { startJanitor } from '../../src/artifacts/janitor.js';
import type { State } from '../../src/ports/state.js';
import { embeddedStores, eventually } from '../stores.js';

describe('the janitor in several processes', () => {
  const stores = embeddedStores('each suite');
  const given = () => givenResultAndJanitor(stores);

  it('runs in one of them: another takes over when it stops, or when it loses its lease because State is away from it', async () => {
    const { uploaded, blobs, happened } = await given();
    await uploaded();
    const start = (boot: string, state: State) => {
      const { reported, janitor } = givenJanitor(stores, blobs, { holder: { boot, alone: false }, state });
      const stop = startJanitor({ ...janitor, everyMs: 5 });
      stores.beforeClose(stop);
      return { reported, stop };
    };
    const first = breakable(stores.state);
    start('one', first.state);
    await eventually('the first stored the task', async () => (await leftToDo(stores)) === 1);
    first.breakIt();

    const second = breakable(stores.state);
    stores.clock.forward(LEASE_MS - 1);
    const two = start('two', second.state);
    await eventually('the second asked for the lease twice', () => second.gets() >= 2);
    expect(two.reported.errors).to.deep.equal([]);
    expect(await leftToDo(stores)).to.equal(1);
    stores.clock.forward(HOUR);
    await eventually(
      'the second ran the task',
      async () => (await happened()).at(-1) === 'ArtifactDeleted never_confirmed',
    );
    await two.stop();
    start('three', stores.state);
    stores.clock.forward(SETTLED_MS);
    await eventually('the third ran the last task', async () => (await leftToDo(stores)) === 0);
  });

  it('does no harm when two processes lead by mistake', async () => {
    const { confirmed, uploaded, remove, blobs, happened } = await given();
    await confirmed();
    await uploaded();
    await remove(await confirmed());
    const two = [1, 2].map((n) => givenJanitor(stores, blobs, { holder: { boot: String(n), alone: true } }));
    for (const forward of [0, HOUR, SETTLED_MS, 30 * DAY, SETTLED_MS]) {
      stores.clock.forward(forward);
      await Promise.all(two.map(({ round }) => round()));
    }
    expectNothingLeft(blobs);
    expect(two.flatMap(({ reported }) => reported.errors)).to.deep.equal([]);
    expect((await happened()).filter((each) => each.startsWith('ArtifactDeleted'))).to.have.length(3);
  });
});

/** A State that counts its reads, and that fails from the moment it is broken. */
function breakable(whole: State): { state: State; breakIt(): void; gets(): number } {
  let broken = false;
  let gets = 0;
  const check = (): void => {
    if (broken) throw new Error('the state is away');
  };
  const state: State = {
    ...whole,
    get: async (kind, key) => {
      gets += 1;
      check();
      return whole.get(kind, key);
    },
    put: async (...call) => (check(), whole.put(...call)),
    list: async (...call) => (check(), whole.list(...call)),
    remove: async (...call) => (check(), whole.remove(...call)),
  };
  return { state, breakIt: () => void (broken = true), gets: () => gets };
}
