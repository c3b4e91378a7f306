import { expect } from 'chai';
import { openCommandHandler } from '../../src/commands/command-handler.js';
import {
  BYTES,
  DAY,
  expectNothingLeft,
  givenResultAndJanitor,
  givenJanitor,
  HOUR,
  leftToDo,
  SETTLED_MS,
} from '../commands/artifacts.given.js';
import { embeddedStores } from '../stores.js';

describe('the janitor, when a store fails,', () => {
  const stores = embeddedStores('each test');
  const given = () => givenResultAndJanitor(stores);

  it('reports storage that is away, calls it less and less often, and goes on when it is back', async () => {
    const { confirmed, remove, round, blobs, reported } = await given();
    for (let n = 0; n < 40; n += 1) await remove(await confirmed());
    blobs.away = true;
    let asked = 0;
    blobs.before = async () => void (asked += 1);
    for (let second = 0; second < 300; second += 1) {
      await round();
      stores.clock.forward(1_000);
    }
    expect(asked).to.be.within(40, 400);
    expect(reported.errors.length).to.be.within(3, 30);
    blobs.away = false;
    stores.clock.forward(300_000);
    await round();
    await round();
    expectNothingLeft(blobs);
  });

  it('goes on at once when the clock is set back by weeks during a pause', async () => {
    const { confirmed, remove, round, blobs } = await given();
    const before = await confirmed();
    const after = await confirmed();
    stores.clock.forward(20 * DAY);
    await remove(before);
    blobs.away = true;
    await round();
    stores.clock.forward(-20 * DAY);
    blobs.away = false;
    const size = blobs.size;
    await remove(after);
    await round();
    expect(blobs.size).to.equal(size - 2 * BYTES.length);
  });

  it('clears the others when one place cannot be cleared', async () => {
    const { confirmed, remove, round, blobs, reported } = await given();
    const broken = await confirmed();
    await remove(broken);
    const fault = new Error('a file that cannot be deleted');
    blobs.before = async (_, { artifact }) => {
      if (artifact === broken) throw fault;
    };
    for (let n = 0; n < 40; n += 1) await remove(await confirmed());
    await round();
    expect(blobs.size).to.equal(2 * BYTES.length);
    expect(reported.errors).to.deep.equal([fault]);
    blobs.before = async () => undefined;
    stores.clock.forward(2_000);
    await round();
    expectNothingLeft(blobs);
  });

  for (const step of ['append', 'put', 'remove', 'clear', 'list', 'read'] as const) {
    it(`at any ${step}, is replaced by a new one that leaks nothing and deletes nothing that is visible`, async () => {
      const { confirmed, uploaded, remove, blobs, placeOf, happened } = await given();
      const visible = await confirmed();
      await uploaded();
      await remove(await confirmed());
      // The first janitor dies at the first such step, the next one at the second, and so on.
      for (let dies = 1, died = true; died && dies < 60; dies += 1) {
        let steps = 0;
        died = false;
        const count = () => {
          if ((steps += 1) < dies) return;
          died = true;
          throw new Error('died');
        };
        blobs.before = async (what) => void (what === 'clear' && step === 'clear' && count());
        const log = {
          ...stores.log,
          append: async (...call: Parameters<typeof stores.log.append>) => {
            if (step === 'append') count();
            return stores.log.append(...call);
          },
        };
        const state = { ...stores.state };
        if (step === 'put') state.put = async (...call) => (count(), stores.state.put(...call));
        if (step === 'remove') state.remove = async (...call) => (count(), stores.state.remove(...call));
        if (step === 'list') state.list = async (...call) => (count(), stores.state.list(...call));
        const { round, janitor } = givenJanitor(stores, blobs, {
          state,
          commands: openCommandHandler(log),
          holder: { boot: `start ${step} ${dies}`, alone: true },
        });
        if (step === 'read') {
          const { read } = janitor.feed;
          janitor.feed.read = async (...call) => (count(), read(...call));
        }
        stores.clock.forward(dies === 1 ? HOUR : SETTLED_MS);
        await round().catch(() => undefined);
        expect(blobs.at(placeOf(visible)).versions).to.deep.equal([BYTES]);
      }
      blobs.before = async () => undefined;
      const { round, reported } = givenJanitor(stores, blobs, { holder: { boot: 'last', alone: true } });
      for (let n = 0; n < 4; n += 1) {
        stores.clock.forward(SETTLED_MS + 1_000);
        await round();
      }
      expect(reported.errors).to.deep.equal([]);
      expect(blobs.size).to.equal(BYTES.length);
      expect(blobs.at(placeOf(visible)).versions).to.deep.equal([BYTES]);
      const ends = (await happened()).filter((each) => each.startsWith('ArtifactDeleted'));
      expect(ends.sort()).to.deep.equal(['ArtifactDeleted never_confirmed', 'ArtifactDeleted requested']);
      // The expiry of the visible artifact.
      expect(await leftToDo(stores)).to.equal(1);
    });
  }

  it('finds all tasks again when State was lost', async () => {
    const { confirmed, uploaded, remove, round, blobs, placeOf } = await given();
    const [visible, coming] = [await confirmed(), await uploaded()];
    await remove(await confirmed());
    await round();
    for (const kind of ['blob-due', 'janitor', 'lease']) {
      for (const { key } of await stores.state.list(kind, { limit: 1_000 })) {
        await stores.state.remove(kind, key, 'any');
      }
    }
    stores.clock.forward(HOUR);
    const { round: roundOfNext } = givenJanitor(stores, blobs);
    await roundOfNext();
    expect(blobs.at(placeOf(coming)).upload).to.equal(null);
    expect(blobs.at(placeOf(visible)).versions).to.deep.equal([BYTES]);
    stores.clock.forward(30 * DAY);
    await roundOfNext();
    await roundOfNext();
    expectNothingLeft(blobs);
  });
});
