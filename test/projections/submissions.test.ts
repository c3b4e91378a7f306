import { expect } from 'chai';
import { noCounts } from '../../src/domain/counts.js';
import type { RunDocument } from '../../projections/run-documents.js';
import { openMemoryLedger } from '../domain/memory-ledger.js';
import type { Item } from '../domain/submission.js';
import { document, fold, resultOf, runOf } from './folding.js';

function submitted(items: readonly Item[], more: { started_at?: string } = {}) {
  const ledger = openMemoryLedger();
  const project = ledger.project(ledger.team());
  return { ledger, project, ...ledger.submit(project, items, more) };
}

describe('the read model of a submitted run', () => {
  const items: Item[] = [
    { test_name: 'adds up', status: 'Failed' },
    { test_name: 'subtracts', status: 'KnownFail' },
    { test_name: 'adds up', status: 'Passed', attempt: 2 },
    { test_name: 'multiplies', status: 'Skipped' },
  ];
  const counts = { ...noCounts, total: 4, passed: 1, failed: 1, skipped: 1, known_fail: 1 };

  it('is not listed until it is complete, with all its items and the snapshot of their counts', async () => {
    const { ledger, run } = submitted(items, { started_at: '2026-11-20T00:00:00.000Z' });
    const last = ledger.events.findLastIndex(({ type }) => type === 'RunCompleted');
    for (let end = 0; end < last; end += 1) {
      const { texts, totals } = await fold(ledger.events.slice(0, end + 1));
      expect(texts.has(`runs/${run.id}`), `after event ${end}`).to.equal(false);
      expect([...totals.keys()].filter((name) => name.startsWith('runs/'))).to.deep.equal([]);
    }
    const whole = await fold(ledger.events.slice(0, last + 1));
    const stored = JSON.parse(whole.texts.get(`runs/${run.id}`) ?? 'null') as RunDocument;
    expect(stored).to.deep.include({ status: 'Completed', counts });
    expect(stored.count_snapshot).to.deep.include(counts);
    expect([...whole.texts.keys()].filter((name) => name.startsWith('submissions/'))).to.deep.equal([]);
  });

  it('is the same for batches of any size', async () => {
    const { ledger } = submitted(items, { started_at: '2026-11-20T00:00:00.000Z' });
    const one = (await fold(ledger.events)).texts;
    for (let size = 2; size <= ledger.events.length; size += 1) {
      expect((await fold(ledger.events, [size])).texts, `in batches of ${size}`).to.deep.equal(one);
    }
  });

  it('has its counts and their snapshot, and an outcome without superseded items', async () => {
    const { ledger, run } = submitted(items);
    const { at } = ledger.events.at(-1)!.meta;
    expect(await runOf(ledger.events, run)).to.deep.include({
      status: 'Completed',
      items: 4,
      completions: 1,
      counts,
      count_snapshot: { ...counts, at },
      standing: { ...counts, total: 3, failed: 0 },
      outcome: 'passed',
    });
  });

  it('has the start that was sent, or none', async () => {
    const started_at = '2026-11-20T00:00:00.000Z';
    const early = submitted(items, { started_at });
    expect(await runOf(early.ledger.events, early.run)).to.include({ started_at, status: 'Completed' });
    const never = submitted(items);
    expect((await runOf(never.ledger.events, never.run)).started_at).to.equal(null);
  });

  it('is counted once in its project, under its status and its outcome', async () => {
    const { ledger, project } = submitted([{ status: 'Failed' }]);
    ledger.submit(project, [{ status: 'Passed' }]);
    ledger.run(project);
    const { totals } = await fold(ledger.events);
    const total = (fields: string, values: string) => totals.get(`runs/${fields}/${values}`);
    expect(total('project_id', project.id)).to.equal(3);
    expect(total('project_id,status', `${project.id},Completed`)).to.equal(2);
    expect(total('project_id,outcome', `${project.id},failed`)).to.equal(1);
    expect(total('project_id,outcome', `${project.id},passed`)).to.equal(1);
    expect(totals.get(`submissions/project_id/${project.id}`)).to.equal(undefined);
  });

  it('names for each item the attempt that superseded it', async () => {
    const { ledger, results } = submitted([...items, { test_name: 'adds up', attempt: 3, status: 'Failed' }]);
    const superseders = await Promise.all(
      results.map(async (each) => (await resultOf(ledger.events, each)).superseded_by),
    );
    expect(superseders).to.deep.equal([results[2]!.id, null, results[4]!.id, null, null]);
  });

  it('counts a superseded item again when the item that superseded it is deleted', async () => {
    const { ledger, run, results } = submitted([{ status: 'Failed' }, { status: 'Failed' }, { attempt: 2 }]);
    expect((await runOf(ledger.events, run)).outcome).to.equal('passed');
    ledger.updateResult(results[0]!, { status: 'Skipped' });
    ledger.deleteResult(results[2]!);
    expect(await runOf(ledger.events, run)).to.deep.include({
      counts: { ...noCounts, total: 2, failed: 1, skipped: 1 },
      standing: { ...noCounts, total: 2, failed: 1, skipped: 1 },
      outcome: 'failed',
    });
    for (const each of results.slice(0, 2)) {
      expect((await resultOf(ledger.events, each)).superseded_by).to.equal(null);
    }
  });

  it('accepts an update, a retry and a deletion of an item like those of any result; the snapshot stays', async () => {
    const { ledger, run, results } = submitted([{ status: 'Failed' }, { status: 'Passed' }]);
    const { count_snapshot } = await runOf(ledger.events, run);
    const [first, second] = [results[0]!, results[1]!];
    ledger.updateResult(first, { status: 'KnownFail', error_message: 'known' });
    expect(await resultOf(ledger.events, first)).to.include({ status: 'KnownFail', error_message: 'known' });
    const retry = ledger.retry(first, 'Failed');
    expect((await resultOf(ledger.events, first)).superseded_by).to.equal(retry.id);
    ledger.deleteResult(second);
    expect(await document(ledger.events, 'results', second)).to.equal(null);
    expect(await runOf(ledger.events, run)).to.deep.include({
      counts: { ...noCounts, total: 2, failed: 1, known_fail: 1 },
      standing: { ...noCounts, total: 1, failed: 1 },
      outcome: 'failed',
      count_snapshot,
    });
  });

  it('has its items in the order of their ordinals, however many they are', async () => {
    const count = 1_200;
    const { ledger, run } = submitted(Array.from({ length: count }, (_, n) => ({ test_name: `test ${n}` })));
    const { texts } = await fold(ledger.events, [500]);
    const positions = [...texts]
      .filter(([name]) => name.startsWith('results/'))
      .map(([, text]) => JSON.parse(text) as { created_position: string; test_name: string })
      .sort((a, b) => (a.created_position < b.created_position ? -1 : 1));
    expect(positions.map(({ test_name }) => test_name)).to.deep.equal(
      Array.from({ length: count }, (_, n) => `test ${n}`),
    );
    const stored = JSON.parse(texts.get(`runs/${run.id}`) ?? 'null') as RunDocument;
    expect(stored.counts.total).to.equal(count);
  });
});
