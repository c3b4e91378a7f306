import { expect } from 'chai';
import { FILE_BYTES, openAttached } from './given-artifacts.js';
import { DAY_MS, openRetained, type Retained } from './given.js';

describe('retention of artifacts', () => {
  let kept: Retained;
  let files: ReturnType<typeof openAttached>;
  let run: string;
  let result: string;
  beforeEach(async () => {
    kept = await openRetained();
    files = openAttached(kept);
    run = await kept.submit([{ test_name: 'a' }]);
    result = (await kept.record(run, 'b')).test_result_id;
  });
  afterEach(async () => {
    expect(kept.faults).to.deep.equal([]);
    await kept.close();
  });

  it('moves the end of those that are there by a shorter policy, and deletes them in their order', async () => {
    await kept.retain({ artifacts: 'P20D' });
    await files.attach(result);
    kept.clock.forward(3 * DAY_MS);
    const second = await files.attach(result);
    kept.clock.forward(2 * DAY_MS);
    await files.clean();
    expect(await files.left()).to.have.length(2);
    await kept.retain({ artifacts: 'P4D' });
    await files.clean();
    expect(await files.left()).to.deep.equal([second]);
    kept.clock.forward(2 * DAY_MS);
    await files.clean();
    expect(await files.left()).to.deep.equal([]);
  });

  it('moves the end of those that are there by a longer policy, for ever too, and back', async () => {
    await kept.retain({ artifacts: 'P2D' });
    const id = await files.attach(result);
    kept.clock.forward(DAY_MS);
    await kept.retain({ artifacts: 'P10D' });
    kept.clock.forward(3 * DAY_MS);
    await files.clean();
    expect(await files.left()).to.deep.equal([id]);
    await kept.retain({ artifacts: null });
    kept.clock.forward(100 * DAY_MS);
    await files.clean();
    expect(await files.left()).to.deep.equal([id]);
    await kept.retain({ artifacts: 'P30D' });
    await files.clean();
    expect(await files.left()).to.deep.equal([]);
  });

  it('takes a policy where there was none, also for those that were made with a later end', async () => {
    const id = await files.attach(result);
    kept.clock.forward(2 * DAY_MS);
    await files.clean();
    expect(await files.left()).to.deep.equal([id]);
    await kept.retain({ artifacts: 'P1D' });
    await files.clean();
    expect(await files.left()).to.deep.equal([]);
  });

  it('leaves those of a pinned run until it is unpinned', async () => {
    await kept.retain({ artifacts: 'P1D' });
    const id = await files.attach(result);
    await kept.pin(run, true);
    kept.clock.forward(3 * DAY_MS);
    await files.clean();
    expect(await files.left()).to.deep.equal([id]);
    await kept.pin(run, false);
    kept.clock.forward(3_600_000);
    await files.clean();
    expect(await files.left()).to.deep.equal([]);
  });

  it('says how many files and bytes a policy would free, and how many runs would leave the lists', async () => {
    await files.attach(result);
    const pinned = await kept.submit([{ test_name: 'a' }]);
    await files.attach((await kept.record(pinned, 'b')).test_result_id);
    await kept.pin(pinned, true);
    await kept.submit([{ test_name: 'a' }], 'main');
    kept.clock.forward(3 * DAY_MS);
    await files.attach(result);
    const effect = await kept.effect({ artifacts: 'P2D', runs: 'P2D' });
    expect(effect).to.deep.include({ artifacts: 1, artifact_bytes: FILE_BYTES, unlisted_runs: 1 });
    const none = await kept.effect({ artifacts: 'P4D', runs: 'P4D' });
    expect(none).to.deep.include({ artifacts: 0, artifact_bytes: 0, unlisted_runs: 0 });
    expect((await kept.effect({})).artifacts).to.equal(0);
    await kept.retain({ runs: 'P2D' });
    await kept.sweep();
    expect((await kept.effect({ runs: 'P1D' })).unlisted_runs).to.equal(0);
  });
});
