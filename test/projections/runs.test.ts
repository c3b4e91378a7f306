import { expect } from 'chai';
import { noCounts } from '../../src/domain/counts.js';
import { openMemoryLedger } from '../domain/memory-ledger.js';
import { document, resultOf, runOf } from './folding.js';

function startedRun() {
  const ledger = openMemoryLedger();
  const run = ledger.run(ledger.project(ledger.team()), 'nightly', { branch: 'main' });
  return { ledger, run };
}

describe('the read models of a run and its results', () => {
  it('begin with counts of zero, no snapshot and no outcome', async () => {
    const { ledger, run } = startedRun();
    expect(await runOf(ledger.events, run)).to.include({
      label: 'nightly',
      status: 'Pending',
      count_snapshot: null,
      outcome: null,
    });
    expect((await runOf(ledger.events, run)).counts).to.deep.equal(noCounts);
  });

  it('count each result under its present status', async () => {
    const { ledger, run } = startedRun();
    const [first, second] = [ledger.result(run, 'Pending'), ledger.result(run, 'Running')];
    ledger.result(run, 'KnownFail');
    ledger.startResult(first);
    ledger.finishResult(second, { status: 'Passed' });
    ledger.updateResult(first, { status: 'Skipped' });
    const counts = { ...noCounts, total: 3, passed: 1, skipped: 1, known_fail: 1 };
    expect((await runOf(ledger.events, run)).counts).to.deep.equal(counts);
  });

  it('do not count a deleted result', async () => {
    const { ledger, run } = startedRun();
    const [first] = [ledger.result(run, 'Failed'), ledger.result(run, 'Passed')];
    ledger.deleteResult(first);
    const { counts, outcome } = await runOf(ledger.events, run);
    expect(counts).to.deep.equal({ ...noCounts, total: 1, passed: 1 });
    expect(outcome).to.equal('passed');
    expect(await document(ledger.events, 'results', first)).to.equal(null);
  });

  it('leave out results of other runs and results without a run', async () => {
    const { ledger, run } = startedRun();
    const project = { team: run.team, id: run.project };
    const other = ledger.run(project);
    ledger.result(other, 'Failed');
    const loose = ledger.result(project, 'Failed');
    ledger.finishResult(loose);
    expect((await runOf(ledger.events, run)).counts.total).to.equal(0);
    expect((await runOf(ledger.events, other)).counts.total).to.equal(1);
    expect(await resultOf(ledger.events, loose)).to.include({ test_run_id: null, status: 'Failed' });
  });

  describe('the snapshot', () => {
    it('stays when a late result arrives, while the counts move on', async () => {
      const { ledger, run } = startedRun();
      ledger.result(run, 'Passed');
      ledger.updateRun(run, { status: 'Completed' });
      const { at } = ledger.events.at(-1)!.meta;
      ledger.result(run, 'Failed');
      const { counts, count_snapshot, outcome, finished_at } = await runOf(ledger.events, run);
      expect(counts).to.deep.equal({ ...noCounts, total: 2, passed: 1, failed: 1 });
      expect(count_snapshot).to.deep.equal({ ...noCounts, total: 1, passed: 1, at });
      expect([outcome, finished_at]).to.deep.equal(['failed', at]);
    });

    it('stays when a result changes, is retried or deleted, and when the run runs again', async () => {
      const { ledger, run } = startedRun();
      const result = ledger.result(run, 'Failed');
      ledger.updateRun(run, { status: 'Completed' });
      const { count_snapshot } = await runOf(ledger.events, run);
      ledger.updateResult(result, { status: 'Passed' });
      ledger.retry(result, 'Passed');
      ledger.deleteResult(result);
      ledger.updateRun(run, { status: 'Running' });
      ledger.updateRun(run, { status: 'Pending', label: 'weekly' });
      expect((await runOf(ledger.events, run)).count_snapshot).to.deep.equal(count_snapshot);
    });

    it('is replaced at each completion, also of an idle run', async () => {
      const { ledger, run } = startedRun();
      ledger.updateRun(run, { status: 'Completed' });
      ledger.result(run, 'Passed');
      ledger.updateRun(run, { status: 'Completed' });
      const snapshot = async () => (await runOf(ledger.events, run)).count_snapshot;
      const taken = { ...noCounts, total: 1, passed: 1, at: ledger.events.at(-1)!.meta.at };
      expect(await snapshot()).to.deep.equal(taken);
      ledger.updateRun(run, { status: 'Running' });
      ledger.result(run, 'Skipped');
      ledger.completeIdleRun(run);
      const again = { ...taken, total: 2, skipped: 1, at: ledger.events.at(-1)!.meta.at };
      expect(await snapshot()).to.deep.equal(again);
      expect(await runOf(ledger.events, run)).to.include({ completions: 3, status: 'Completed' });
    });

    it('counts superseded results, as the counts do', async () => {
      const { ledger, run } = startedRun();
      ledger.retry(ledger.result(run, 'Failed'), 'Passed');
      ledger.updateRun(run, { status: 'Completed' });
      const { counts, count_snapshot, outcome } = await runOf(ledger.events, run);
      expect(counts).to.deep.equal({ ...noCounts, total: 2, passed: 1, failed: 1 });
      expect(count_snapshot).to.include(counts);
      expect(outcome).to.equal('passed');
    });
  });

  describe('a superseded result', () => {
    it('names its retry, and no longer counts for the outcome', async () => {
      const { ledger, run } = startedRun();
      const result = ledger.result(run, 'Failed');
      const retry = ledger.retry(result, 'Passed');
      expect(await resultOf(ledger.events, result)).to.include({ superseded_by: retry.id, status: 'Failed' });
      expect(await resultOf(ledger.events, retry)).to.include({ retry_of: result.id, superseded_by: null });
      expect((await runOf(ledger.events, run)).outcome).to.equal('passed');
    });

    it('is not superseded by a claim alone', async () => {
      const { ledger, run } = startedRun();
      const result = ledger.result(run, 'Failed');
      ledger.claimRetry(result);
      expect(await resultOf(ledger.events, result)).to.include({ superseded_by: null });
      expect((await runOf(ledger.events, run)).outcome).to.equal('failed');
    });

    it('does not change the outcome when it changes', async () => {
      const { ledger, run } = startedRun();
      const result = ledger.result(run, 'Passed');
      ledger.retry(result, 'Skipped');
      ledger.updateResult(result, { status: 'Failed' });
      const { counts, outcome } = await runOf(ledger.events, run);
      expect(counts).to.deep.equal({ ...noCounts, total: 2, failed: 1, skipped: 1 });
      expect(outcome).to.equal('skipped');
    });

    it('counts again, with its present status, when its retry is deleted', async () => {
      const { ledger, run } = startedRun();
      const result = ledger.result(run, 'Passed');
      const retry = ledger.retry(result, 'Passed');
      ledger.updateResult(result, { status: 'Failed' });
      ledger.deleteResult(retry);
      expect(await resultOf(ledger.events, result)).to.include({ superseded_by: null });
      expect((await runOf(ledger.events, run)).outcome).to.equal('failed');
      const again = ledger.retry(result, 'Passed');
      expect(await resultOf(ledger.events, result)).to.include({ superseded_by: again.id });
      expect((await runOf(ledger.events, run)).outcome).to.equal('passed');
    });

    it('may be deleted, and its retry still counts', async () => {
      const { ledger, run } = startedRun();
      const result = ledger.result(run, 'Failed');
      const retry = ledger.retry(result, 'Passed');
      ledger.deleteResult(result);
      const { counts, standing, outcome } = await runOf(ledger.events, run);
      expect(counts).to.deep.equal({ ...noCounts, total: 1, passed: 1 });
      expect(standing).to.deep.equal(counts);
      expect(outcome).to.equal('passed');
      ledger.deleteResult(retry);
      expect(await runOf(ledger.events, run)).to.deep.include({
        counts: noCounts,
        standing: noCounts,
        outcome: null,
      });
    });

    it('may be one of a chain, of which only the last attempt counts', async () => {
      const { ledger, run } = startedRun();
      ledger.retry(ledger.retry(ledger.result(run, 'Failed'), 'Failed'), 'KnownFail');
      const { counts, standing, outcome } = await runOf(ledger.events, run);
      expect(counts).to.deep.equal({ ...noCounts, total: 3, failed: 2, known_fail: 1 });
      expect(standing).to.deep.equal({ ...noCounts, total: 1, known_fail: 1 });
      expect(outcome).to.equal('passed');
    });

    it('that is deleted while its retry is under way leaves nothing behind', async () => {
      const { ledger, run } = startedRun();
      const result = ledger.result(run, 'Failed');
      const retry = ledger.claimRetry(result);
      ledger.deleteResult(result);
      ledger.recordRetry(retry, result, 'Passed');
      expect(await runOf(ledger.events, run)).to.deep.include({
        counts: { ...noCounts, total: 1, passed: 1 },
        standing: { ...noCounts, total: 1, passed: 1 },
      });
    });
  });

  it('have the instant of their latest event', async () => {
    const { ledger, run } = startedRun();
    const activeAt = async () => (await runOf(ledger.events, run)).active_at;
    const now = () => ledger.events.at(-1)!.meta.at;
    const steps = [
      () => ledger.updateRun(run, { status: 'Running' }),
      () => ledger.result(run, 'Pending'),
      () => ledger.updateRun(run, { label: 'weekly' }),
    ];
    for (const step of steps) {
      step();
      expect(await activeAt()).to.equal(now());
    }
    const result = ledger.result(run, 'Pending');
    for (const change of [ledger.startResult, ledger.finishResult, ledger.deleteResult]) {
      change(result);
      expect(await activeAt()).to.equal(now());
    }
    const before = now();
    ledger.result(ledger.run({ team: run.team, id: run.project }), 'Passed');
    expect(await activeAt()).to.equal(before);
  });

  it('keep the latest instant when an event with an earlier instant follows', async () => {
    const { ledger, run } = startedRun();
    ledger.updateRun(run, { status: 'Running' });
    const { active_at } = await runOf(ledger.events, run);
    ledger.result(run, 'Passed');
    ledger.updateRun(run, { label: 'weekly' });
    const [first] = ledger.events;
    // Requests that are resumed carry the instant of their first try.
    const late = ledger.events
      .slice(-2)
      .map((event) => ({ ...event, meta: { ...event.meta, at: first!.meta.at } }));
    const { active_at: still, label } = await runOf([...ledger.events.slice(0, -2), ...late], run);
    expect([still, label]).to.deep.equal([active_at, 'weekly']);
  });
});
