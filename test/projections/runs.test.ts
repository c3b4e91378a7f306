import { expect } from 'chai';
import { noCounts } from '../../src/domain/counts.js';
import { openPlay } from '../domain/play.js';
import { document, resultOf, runOf } from './folding.js';

function startedRun() {
  const play = openPlay();
  const run = play.run(play.project(play.team()), 'nightly', { branch: 'main' });
  return { play, run };
}

describe('a run and its results, as they are read', () => {
  it('begin with counts of nothing, no snapshot and no outcome', async () => {
    const { play, run } = startedRun();
    expect(await runOf(play.events, run)).to.include({
      label: 'nightly',
      status: 'Pending',
      count_snapshot: null,
      outcome: null,
    });
    expect((await runOf(play.events, run)).counts).to.deep.equal(noCounts);
  });

  it('count each result under its present status', async () => {
    const { play, run } = startedRun();
    const [first, second] = [play.result(run, 'Pending'), play.result(run, 'Running')];
    play.result(run, 'KnownFail');
    play.start(first);
    play.finish(second, { status: 'Passed' });
    play.update(first, { status: 'Skipped' });
    const counts = { ...noCounts, total: 3, passed: 1, skipped: 1, known_fail: 1 };
    expect((await runOf(play.events, run)).counts).to.deep.equal(counts);
  });

  it('do not count a deleted result', async () => {
    const { play, run } = startedRun();
    const [first] = [play.result(run, 'Failed'), play.result(run, 'Passed')];
    play.delete(first);
    const { counts, outcome } = await runOf(play.events, run);
    expect(counts).to.deep.equal({ ...noCounts, total: 1, passed: 1 });
    expect(outcome).to.equal('passed');
    expect(await document(play.events, 'results', first)).to.equal(null);
  });

  it('leave the results of other runs and of none out', async () => {
    const { play, run } = startedRun();
    const project = { team: run.team, id: run.project };
    const other = play.run(project);
    play.result(other, 'Failed');
    const loose = play.result(project, 'Failed');
    play.finish(loose);
    expect((await runOf(play.events, run)).counts.total).to.equal(0);
    expect((await runOf(play.events, other)).counts.total).to.equal(1);
    expect(await resultOf(play.events, loose)).to.include({ test_run_id: null, status: 'Failed' });
  });

  describe('the snapshot', () => {
    it('stays when a late result arrives, while the counts move on', async () => {
      const { play, run } = startedRun();
      play.result(run, 'Passed');
      play.turn(run, { status: 'Completed' });
      const { at } = play.events.at(-1)!.meta;
      play.result(run, 'Failed');
      const { counts, count_snapshot, outcome, finished_at } = await runOf(play.events, run);
      expect(counts).to.deep.equal({ ...noCounts, total: 2, passed: 1, failed: 1 });
      expect(count_snapshot).to.deep.equal({ ...noCounts, total: 1, passed: 1, at });
      expect([outcome, finished_at]).to.deep.equal(['failed', at]);
    });

    it('stays when a result changes, is retried or deleted, and when the run runs again', async () => {
      const { play, run } = startedRun();
      const result = play.result(run, 'Failed');
      play.turn(run, { status: 'Completed' });
      const { count_snapshot } = await runOf(play.events, run);
      play.update(result, { status: 'Passed' });
      play.retry(result, 'Passed');
      play.delete(result);
      play.turn(run, { status: 'Running' });
      play.turn(run, { status: 'Pending', label: 'weekly' });
      expect((await runOf(play.events, run)).count_snapshot).to.deep.equal(count_snapshot);
    });

    it('is taken anew with each completion, an idle one too', async () => {
      const { play, run } = startedRun();
      play.turn(run, { status: 'Completed' });
      play.result(run, 'Passed');
      play.turn(run, { status: 'Completed' });
      const snapshot = async () => (await runOf(play.events, run)).count_snapshot;
      const taken = { ...noCounts, total: 1, passed: 1, at: play.events.at(-1)!.meta.at };
      expect(await snapshot()).to.deep.equal(taken);
      play.turn(run, { status: 'Running' });
      play.result(run, 'Skipped');
      play.idle(run);
      const again = { ...taken, total: 2, skipped: 1, at: play.events.at(-1)!.meta.at };
      expect(await snapshot()).to.deep.equal(again);
      expect(await runOf(play.events, run)).to.include({ completions: 3, status: 'Completed' });
    });

    it('counts superseded results, as the counts do', async () => {
      const { play, run } = startedRun();
      play.retry(play.result(run, 'Failed'), 'Passed');
      play.turn(run, { status: 'Completed' });
      const { counts, count_snapshot, outcome } = await runOf(play.events, run);
      expect(counts).to.deep.equal({ ...noCounts, total: 2, passed: 1, failed: 1 });
      expect(count_snapshot).to.include(counts);
      expect(outcome).to.equal('passed');
    });
  });

  describe('a superseded result', () => {
    it('names its retry, and leaves the outcome', async () => {
      const { play, run } = startedRun();
      const result = play.result(run, 'Failed');
      const retry = play.retry(result, 'Passed');
      expect(await resultOf(play.events, result)).to.include({ superseded_by: retry.id, status: 'Failed' });
      expect(await resultOf(play.events, retry)).to.include({ retry_of: result.id, superseded_by: null });
      expect((await runOf(play.events, run)).outcome).to.equal('passed');
    });

    it('is not superseded by a claim alone', async () => {
      const { play, run } = startedRun();
      const result = play.result(run, 'Failed');
      play.claim(result);
      expect(await resultOf(play.events, result)).to.include({ superseded_by: null });
      expect((await runOf(play.events, run)).outcome).to.equal('failed');
    });

    it('does not move the outcome by what becomes of it', async () => {
      const { play, run } = startedRun();
      const result = play.result(run, 'Passed');
      play.retry(result, 'Skipped');
      play.update(result, { status: 'Failed' });
      const { counts, outcome } = await runOf(play.events, run);
      expect(counts).to.deep.equal({ ...noCounts, total: 2, failed: 1, skipped: 1 });
      expect(outcome).to.equal('skipped');
    });

    it('counts again, as it is by then, when its retry is deleted', async () => {
      const { play, run } = startedRun();
      const result = play.result(run, 'Passed');
      const retry = play.retry(result, 'Passed');
      play.update(result, { status: 'Failed' });
      play.delete(retry);
      expect(await resultOf(play.events, result)).to.include({ superseded_by: null });
      expect((await runOf(play.events, run)).outcome).to.equal('failed');
      const again = play.retry(result, 'Passed');
      expect(await resultOf(play.events, result)).to.include({ superseded_by: again.id });
      expect((await runOf(play.events, run)).outcome).to.equal('passed');
    });

    it('may be deleted, and its retry stands', async () => {
      const { play, run } = startedRun();
      const result = play.result(run, 'Failed');
      const retry = play.retry(result, 'Passed');
      play.delete(result);
      const { counts, standing, outcome } = await runOf(play.events, run);
      expect(counts).to.deep.equal({ ...noCounts, total: 1, passed: 1 });
      expect(standing).to.deep.equal(counts);
      expect(outcome).to.equal('passed');
      play.delete(retry);
      expect(await runOf(play.events, run)).to.deep.include({
        counts: noCounts,
        standing: noCounts,
        outcome: null,
      });
    });

    it('is one of a chain: only the last attempt stands', async () => {
      const { play, run } = startedRun();
      play.retry(play.retry(play.result(run, 'Failed'), 'Failed'), 'KnownFail');
      const { counts, standing, outcome } = await runOf(play.events, run);
      expect(counts).to.deep.equal({ ...noCounts, total: 3, failed: 2, known_fail: 1 });
      expect(standing).to.deep.equal({ ...noCounts, total: 1, known_fail: 1 });
      expect(outcome).to.equal('passed');
    });

    it('that is deleted while its retry is under way leaves nothing behind', async () => {
      const { play, run } = startedRun();
      const result = play.result(run, 'Failed');
      const retry = play.claim(result);
      play.delete(result);
      play.recordRetry(retry, result, 'Passed');
      expect(await runOf(play.events, run)).to.deep.include({
        counts: { ...noCounts, total: 1, passed: 1 },
        standing: { ...noCounts, total: 1, passed: 1 },
      });
    });
  });

  it('tell when anything last happened in them', async () => {
    const { play, run } = startedRun();
    const activeAt = async () => (await runOf(play.events, run)).active_at;
    const now = () => play.events.at(-1)!.meta.at;
    const steps = [
      () => play.turn(run, { status: 'Running' }),
      () => play.result(run, 'Pending'),
      () => play.turn(run, { label: 'weekly' }),
    ];
    for (const step of steps) {
      step();
      expect(await activeAt()).to.equal(now());
    }
    const result = play.result(run, 'Pending');
    for (const change of [play.start, play.finish, play.delete]) {
      change(result);
      expect(await activeAt()).to.equal(now());
    }
    const before = now();
    play.result(play.run({ team: run.team, id: run.project }), 'Passed');
    expect(await activeAt()).to.equal(before);
  });

  it('are as active as their latest event, though one may come that is older than those before it', async () => {
    const { play, run } = startedRun();
    play.turn(run, { status: 'Running' });
    const { active_at } = await runOf(play.events, run);
    play.result(run, 'Passed');
    play.turn(run, { label: 'weekly' });
    const [first] = play.events;
    // Requests that are resumed carry the instant of their first try.
    const late = play.events
      .slice(-2)
      .map((event) => ({ ...event, meta: { ...event.meta, at: first!.meta.at } }));
    const { active_at: still, label } = await runOf([...play.events.slice(0, -2), ...late], run);
    expect([still, label]).to.deep.equal([active_at, 'weekly']);
  });
});
