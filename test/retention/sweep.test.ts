import { expect } from 'chai';
import { deleteResult } from '../../src/commands/delete-result.js';
import { changeResult } from '../../src/commands/results.js';
import { refusal } from '../contract/event-log/events.js';
import { DAY_MS, openRetained, type Retained } from './given.js';

describe('retention', () => {
  let kept: Retained;
  beforeEach(async () => {
    kept = await openRetained();
  });
  afterEach(async () => {
    expect(kept.faults).to.deep.equal([]);
    await kept.close();
  });

  const passed = (name: string, more: object = {}) => ({
    test_name: name,
    metadata: { worker: name, ...more },
  });
  const failed = (name: string, error_message = `${name} is broken`) =>
    ({ test_name: name, status: 'Failed', error_message }) as const;

  it('forgets what passed results said after its time, and keeps what failures said', async () => {
    const run = await kept.submit([passed('a'), failed('b')]);
    kept.clock.forward(90 * DAY_MS - 1_000);
    await kept.sweep();
    expect(await kept.kept(run)).to.deep.equal({ a: 'kept', b: 'kept' });
    kept.clock.forward(60_000);
    await kept.sweep();
    expect(await kept.kept(run)).to.deep.equal({ a: 'expired', b: 'kept' });
  });

  it('forgets failures by a policy of the project, the titles of their groups too', async () => {
    await kept.retain({ contents: 'P7D', passed_contents: null });
    const run = await kept.submit([passed('a'), failed('b')]);
    const other = await kept.submit([passed('a')], 'main');
    kept.clock.forward(7 * DAY_MS + 1_000);
    await kept.sweep();
    expect(await kept.kept(run)).to.deep.equal({ a: 'kept', b: 'expired' });
    expect(await kept.kept(other)).to.deep.equal({ a: 'kept' });
    await kept.retain({ passed_contents: 'P7D' });
    await kept.sweep();
    kept.clock.forward(10_000);
    await kept.sweep();
    expect(await kept.count()).to.equal(0);
  });

  it('keeps failures of the default branch, and everything of a pinned run until it is unpinned', async () => {
    await kept.retain({ contents: 'P1D', passed_contents: 'P1D' });
    const main = await kept.submit([passed('a'), failed('b')], 'main');
    const pinned = await kept.submit([passed('c'), failed('d')]);
    await kept.pin(pinned, true);
    kept.clock.forward(2 * DAY_MS);
    await kept.sweep();
    expect(await kept.kept(main)).to.deep.equal({ a: 'expired', b: 'kept' });
    expect(await kept.kept(pinned)).to.deep.equal({ c: 'kept', d: 'kept' });
    await kept.pin(pinned, false);
    await kept.caughtUp();
    kept.clock.forward(60_000);
    await kept.sweep();
    expect(await kept.kept(pinned)).to.deep.equal({ c: 'expired', d: 'expired' });
  });

  it('counts from when each result was recorded, however long its run takes', async () => {
    const run = await kept.submit([passed('first')]);
    kept.clock.forward(3 * DAY_MS);
    const late = await kept.record(run, 'late', { metadata: { worker: 'late' } });
    kept.clock.forward(87 * DAY_MS + 1_000);
    await kept.sweep();
    expect(await kept.kept(run)).to.deep.equal({ first: 'expired', late: 'kept' });
    kept.clock.forward(3 * DAY_MS);
    await kept.sweep();
    expect(await kept.keptOf(late.test_result_id)).to.equal('expired');
  });

  it('forgets a result that is recorded, or changed, after its run was swept', async () => {
    await kept.retain({ contents: null, passed_contents: 'P1D' });
    const run = await kept.submit([passed('a'), failed('b')]);
    kept.clock.forward(5 * DAY_MS);
    await kept.sweep();
    const late = await kept.record(run, 'late', { metadata: { worker: 'late' } });
    const mended = await kept.record(run, 'mended', { status: 'Failed', metadata: { worker: 'm' } });
    kept.clock.forward(2 * DAY_MS);
    await kept.sweep();
    expect(await kept.keptOf(late.test_result_id)).to.equal('expired');
    expect(await kept.keptOf(mended.test_result_id)).to.equal('kept');
    const { at } = kept.context();
    const changes = { status: 'Passed' } as const;
    const update = { type: 'UpdateResult', at, changes } as const;
    const changed = { id: mended.test_result_id, marked: kept.contents.marked };
    await changeResult(kept.commands, kept.context(), changed, update);
    await kept.caughtUp();
    kept.clock.forward(60_000);
    await kept.sweep();
    expect(await kept.keptOf(mended.test_result_id)).to.equal('expired');
  });

  it('collects the contents of an update whose append was lost, though they are kept before it on a server', async () => {
    await kept.retain({ contents: null, passed_contents: null });
    const { test_result_id: alone } = await kept.record(null, 'alone', { metadata: { worker: 1 } });
    const run = await kept.submit([passed('a')]);
    const { test_result_id: inRun } = await kept.record(run, 'b', { metadata: { worker: 2 } });
    const before = await kept.bytesKept();
    for (const id of [alone, inRun]) {
      const { at } = kept.context();
      const update = { type: 'UpdateResult', at, changes: { error_message: `lost by ${id}` } } as const;
      const changed = { id, marked: kept.contents.marked };
      await refusal(changeResult(kept.losing, kept.context(), changed, update), 'write_conflict');
    }
    expect(await kept.bytesKept()).to.be.above(before);
    kept.clock.forward(3_600_000);
    await kept.sweep();
    expect(await kept.bytesKept()).to.equal(before);
    expect(await kept.keptOf(alone)).to.equal('kept');
    expect(await kept.kept(run)).to.deep.equal({ a: 'kept', b: 'kept' });
  });

  it('keeps a content that a later run names, until that is over', async () => {
    await kept.retain({ contents: 'P7D' });
    const first = await kept.submit([failed('a', 'no card')]);
    kept.clock.forward(5 * DAY_MS);
    const second = await kept.submit([failed('a', 'no card')]);
    kept.clock.forward(3 * DAY_MS);
    await kept.sweep();
    expect(await kept.kept(first)).to.deep.equal({ a: 'kept' });
    expect(await kept.kept(second)).to.deep.equal({ a: 'kept' });
    kept.clock.forward(5 * DAY_MS);
    await kept.sweep();
    expect(await kept.kept(first)).to.deep.equal({ a: 'expired' });
    expect(await kept.count()).to.equal(0);
  });

  it('forgets results without a run', async () => {
    const old = await kept.record(null, 'a', { metadata: { worker: 'a' } });
    kept.clock.forward(30 * DAY_MS);
    const young = await kept.record(null, 'b', { metadata: { worker: 'b' } });
    kept.clock.forward(61 * DAY_MS);
    await kept.sweep();
    expect(await kept.keptOf(old.test_result_id)).to.equal('expired');
    expect(await kept.keptOf(young.test_result_id)).to.equal('kept');
  });

  it('removes the bytes of one deleted result of a run, where no other result of it has them', async () => {
    await kept.submit([failed('a', 'in another run')]);
    const run = await kept.submit([
      failed('a', 'a secret'),
      failed('b', 'shared'),
      failed('c', 'shared'),
      failed('d', 'in another run'),
    ]);
    await kept.caughtUp();
    const before = await kept.count();
    for (const ordinal of [0, 1, 3]) {
      const id = `result_${run.slice('run_'.length)}_${ordinal}`;
      const stores = { log: kept.log, forgetting: { contents: kept.contents, state: kept.state } };
      await deleteResult(kept.commands, stores, kept.context(), id);
    }
    await kept.sweep();
    // Its message, and the title of its group.
    expect(await kept.count()).to.equal(before - 2);
    expect(await kept.kept(run)).to.deep.equal({ c: 'kept' });
  });

  it('keeps a content that comes again while it is about to be removed', async () => {
    const run = await kept.submit([passed('a')]);
    const removed = await kept.record(run, 'b', { metadata: { worker: 'same' } });
    const stores = { log: kept.log, forgetting: { contents: kept.contents, state: kept.state } };
    await deleteResult(kept.commands, stores, kept.context(), removed.test_result_id);
    await kept.caughtUp();
    const question = kept.contents.question.bind(kept.contents);
    let again: string | undefined;
    kept.contents.question = async (holder) => {
      const asked = await question(holder);
      again ??= (await kept.record(run, 'c', { metadata: { worker: 'same' } })).test_result_id;
      return asked;
    };
    await kept.sweep();
    kept.clock.forward(60_000);
    await kept.sweep();
    expect(await kept.keptOf(again!)).to.equal('kept');
  });

  it('takes old runs from lists, but for pinned ones and those of the default branch', async () => {
    await kept.retain({ runs: 'P7D' });
    const [old, pinned, main] = [
      await kept.submit([passed('a')]),
      await kept.submit([passed('a')]),
      await kept.submit([passed('a')], 'main'),
    ];
    await kept.pin(pinned, true);
    kept.clock.forward(8 * DAY_MS);
    const young = await kept.submit([passed('a')]);
    await kept.sweep();
    expect(await kept.listed()).to.deep.equal([young, main, pinned]);
    for (const offset of [0, 1, 2, 3]) {
      const page = await kept.listed({ offset, limit: 2 });
      expect(page).to.deep.equal([young, main, pinned].slice(offset, offset + 2));
    }
    // They are there again by a longer time, and by their id all along.
    expect(Object.keys(await kept.kept(old))).to.deep.equal(['a']);
    await kept.retain({ runs: 'P30D' });
    await kept.caughtUp();
    kept.clock.forward(60_000);
    await kept.sweep();
    await kept.retain({ runs: null });
    expect(await kept.listed()).to.deep.equal([young, main, pinned, old]);
  });

  it('says what a policy would free, and frees nothing', async () => {
    await kept.submit([passed('a'), failed('b', 'x'.repeat(1_000))]);
    await kept.submit([failed('c')], 'main');
    kept.clock.forward(3 * DAY_MS);
    const none = await kept.effect({});
    expect(none).to.deep.include({ runs: 0, results: 0, bytes: 0, is_whole: true });
    const { bytes, ...of } = await kept.effect({ contents: 'P1D', passed_contents: 'P1D' });
    expect(of).to.deep.include({ runs: 1, results: 2, is_whole: true });
    expect(bytes).to.be.within(1_000, 2_500);
    expect((await kept.effect({ contents: 'P5D' })).results).to.equal(0);
    await kept.sweep();
    expect(await kept.count()).to.equal(5);
  });

  it('walks over no run twice', async () => {
    await kept.retain({ contents: 'P1D', passed_contents: 'P1D' });
    for (let n = 0; n < 120; n += 1) await kept.submit([failed(`t${n}`)]);
    kept.clock.forward(2 * DAY_MS);
    // A round works for a limited time.
    for (let round = 0; round < 10; round += 1) {
      await kept.sweep();
      kept.clock.forward(10_000);
    }
    expect(await kept.count()).to.equal(0);
    const find = kept.views.find.bind(kept.views);
    const read: string[] = [];
    kept.views.find = async (collection, query) => {
      const found = await find(collection, query);
      read.push(...found.items.map(() => collection.name));
      return found;
    };
    kept.clock.forward(60_000);
    await kept.sweep();
    // Its project alone.
    expect(new Set(read)).to.deep.equal(new Set(['projects']));
  });
});
