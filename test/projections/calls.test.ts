import { expect } from 'chai';
import type { ResultDocument, RunDocument } from '../../projections/records/run-documents.js';
import { findResult, findResults, someResults } from '../../src/queries/results/run-results.js';
import type { LedgerEvent } from '../../src/domain/events.js';
import { openMemoryLedger } from '../domain/memory-ledger.js';
import { foldedViews } from './folded-views.js';
import { wholeTeam } from '../../src/domain/teams/access.js';
import { fold } from './folding.js';

describe('the read model of a run from many calls', () => {
  const shard = (attempt: number) => ({ shard: { index: 1, total: 1, attempt } });

  /** What readers see of the run after each of these events. */
  async function seenAt(events: readonly LedgerEvent[], run: string, end: number) {
    const { texts } = await fold(events.slice(0, end));
    const views = foldedViews(texts);
    const page = await findResults(views, wholeTeam('team'), run, { limit: 100 }).catch(() => null);
    if (page === null) return null;
    const {
      position: _,
      active_at: __,
      arriving: ___,
      ...shown
    } = page.run as RunDocument & { position: string };
    const items = page.items.map(({ test_result_id, superseded_by }) => [test_result_id, superseded_by]);
    expect(page.total).to.equal(items.length);
    return { run: shown, items, shards: texts.get(`shards/${run}`) };
  }

  it('never shows a part of a call, wherever a batch ends', async () => {
    const ledger = openMemoryLedger();
    const project = ledger.project(ledger.team());
    const whole: number[] = [ledger.events.length];
    const call = (
      ...args: Parameters<typeof ledger.call> extends [unknown, unknown, ...infer R] ? R : never
    ) => {
      const called = ledger.call(project, 'a key', ...args);
      whole.push(ledger.events.length);
      return called;
    };
    const items = ['adds up', 'subtracts', 'divides'].map((test_name) => ({
      test_name,
      status: 'Failed' as const,
    }));
    const first = call(items, { ...shard(2), started_at: '2026-11-20T00:00:00.000Z' });
    call([{ test_name: 'adds up' }, { test_name: 'subtracts' }], { ...shard(3), label: 'nightly' });
    call([{ test_name: 'adds up' }, { test_name: 'new' }], shard(1));
    const { id } = first.run;
    for (let end = whole[0]!; end < ledger.events.length; end += 1) {
      const last = whole.findLast((at) => at <= end)!;
      expect(await seenAt(ledger.events, id, end), `after ${end} events`).to.deep.equal(
        await seenAt(ledger.events, id, last),
      );
    }
    const all = (await seenAt(ledger.events, id, ledger.events.length))!;
    expect(all.run.counts).to.include({ total: 4, passed: 3, failed: 1 });
    expect(all.items).to.have.length(7);
  });

  it('hides a single result and what it supersedes until its call is folded', async () => {
    const ledger = openMemoryLedger();
    const project = ledger.project(ledger.team());
    const [former] = ledger.call(project, 'a key', [{ status: 'Failed' }], shard(1)).results;
    const [later] = ledger.call(project, 'a key', [{ status: 'Passed' }], shard(2)).results;
    const end = ledger.events.findLastIndex(({ type }) => type === 'ResultSubmitted') + 1;
    const shownAt = async (at: number) => {
      const views = foldedViews((await fold(ledger.events.slice(0, at))).texts);
      const one = async (id: string) =>
        findResult(views, wholeTeam('team'), id, false).then(
          ({ result }) => result.superseded_by,
          () => 'missing',
        );
      const some = await someResults(views, wholeTeam('team'), [former!.id, later!.id], false);
      return { former: await one(former!.id), later: await one(later!.id), some: some.map(idOf) };
    };
    const idOf = ({ test_result_id }: Pick<ResultDocument, 'test_result_id'>) => test_result_id;
    expect(await shownAt(end)).to.deep.equal({ former: null, later: 'missing', some: [former!.id] });
    expect(await shownAt(ledger.events.length)).to.deep.equal({
      former: later!.id,
      later: null,
      some: [former!.id, later!.id],
    });
  });
});
