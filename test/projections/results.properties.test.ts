import { expect } from 'chai';
import * as fc from 'fast-check';
import type { ResultDocument } from '../../projections/records/run-documents.js';
import { bulkOriginOf } from '../../src/domain/ids.js';
import type { ResultStatus } from '../../src/domain/results/result.js';
import type { Cursor } from '../../src/ports/views.js';
import { findResults } from '../../src/queries/results/run-results.js';
import { resultsById } from '../../src/queries/results/results-by-id.js';
import type { TeamViews } from '../../src/queries/team-views.js';
import { openMemoryLedger } from '../domain/memory-ledger.js';
import type { Item } from '../domain/submission.js';
import { fold } from './folding.js';
import { foldedViews } from './folded-views.js';
import { naiveResults } from './naive-results.js';
import { wholeTeam } from '../../src/domain/teams/access.js';
import { batchSizes, histories, runsIn } from './result-histories.js';

describe('the results of a run, for any history', () => {
  it('are listed and read as if each were kept by itself', async () => {
    await fc.assert(
      fc.asyncProperty(
        histories,
        batchSizes,
        fc.integer({ min: 1, max: 50 }),
        fc.array(fc.nat(3_000), { maxLength: 4 }),
        async (events, batches, limit, offsets) => {
          const { texts } = await fold(events, batches);
          const views = foldedViews(texts);
          const all = naiveResults(events);
          const found = await resultsById(
            views,
            wholeTeam('team'),
            all.map(({ test_result_id }) => test_result_id),
          );
          expect(found.map(bare)).to.deep.equal(all.map(bare));
          for (const run of runsIn(texts)) {
            const own = all.filter(({ test_run_id }) => test_run_id === run);
            // Some pages, however many results there are.
            const most = Math.max(limit, Math.ceil(own.length / 10));
            for (const of of [undefined, 'Passed', 'Failed', 'Running'] as const)
              await expectList(views, run, own, { status: of, limit: most, offsets });
          }
        },
      ),
      { numRuns: 20 },
    );
  }).timeout(240_000);

  it('are stored as the same documents, wherever the batches of a fold end', async () => {
    await fc.assert(
      fc.asyncProperty(histories, batchSizes, async (events, batches) => {
        const one = inOrder((await fold(events)).texts);
        expect(inOrder((await fold(events, batches)).texts)).to.equal(one);
        expect(inOrder((await fold(events, [events.length + 1])).texts)).to.equal(one);
      }),
      { numRuns: 12 },
    );
  });

  it('are of all kinds in these histories', async () => {
    // Else the properties above would say less than they seem to.
    const seen = new Set<string>();
    for (const events of fc.sample(histories, { numRuns: 60, seed: 1 })) {
      const all = naiveResults(events);
      const { texts } = await fold(events, [1_000]);
      for (const run of runsIn(texts)) {
        const own = all.filter(({ test_run_id }) => test_run_id === run);
        const isItem = ({ test_result_id: id }: Pick<ResultDocument, 'test_result_id'>) =>
          bulkOriginOf(id) !== null;
        if (own.some(isItem) && !own.every(isItem)) seen.add('posted and submitted');
        if (own.filter((each) => isItem(each) && each.superseded_by !== null).length > 0)
          seen.add('superseded');
        if (own.some(({ replaced_by = [] }) => replaced_by.length > 1)) seen.add('replaced twice');
      }
      for (const name of texts.keys()) {
        if (name.startsWith('changed_results/')) seen.add('changed');
        if (name.startsWith('packs/') && name.endsWith('#2')) seen.add('three packs');
      }
      for (const { type, data } of events)
        if (type === 'ResultDeleted' && bulkOriginOf(data.result_id) !== null) seen.add('deleted');
    }
    const kinds = [
      'posted and submitted',
      'superseded',
      'replaced twice',
      'changed',
      'three packs',
      'deleted',
    ];
    expect([...seen]).to.include.members(kinds);
  });

  it('are listed from any place of a submission that fills more than a block of its directory', async () => {
    const ledger = openMemoryLedger();
    const count = 33_000;
    const of = (n: number): Item => ({
      test_name: `test ${n}`,
      ...(n % 1_000 === 999 && { status: 'Failed' }),
    });
    const { run } = ledger.submit(
      ledger.project(ledger.team()),
      Array.from({ length: count }, (_, n) => of(n)),
    );
    const { texts } = await fold(ledger.events, [10]);
    // A body for 125 of them, a head for four bodies, the directory, and the project, its usage and the run.
    expect(texts.size).to.be.within(264 + 66 + 2, 264 + 66 + 2 + 4);
    const own = naiveResults(ledger.events);
    for (const status of [undefined, 'Failed'] as const) {
      const offsets = [0, 31, 499, 500, 31_999, 32_000, count - 1, count];
      await expectList(foldedViews(texts), run.id, own, { status, limit: 20_000, offsets });
    }
  });
});

type List = { status: ResultStatus | undefined; limit: number; offsets: readonly number[] };

/** Reads the whole list by pages, and a page at each of some offsets. */
async function expectList(
  views: TeamViews,
  run: string,
  all: readonly Omit<ResultDocument, 'contents'>[],
  { status: of, limit, offsets }: List,
): Promise<void> {
  const own = all.filter((each) => of === undefined || each.status === of);
  const walked: Omit<ResultDocument, 'contents'>[] = [];
  for (let after: Cursor | null | undefined; after !== null;) {
    const page: Awaited<ReturnType<typeof findResults>> = await findResults(views, wholeTeam('team'), run, {
      status: of,
      limit,
      ...(after && { after }),
    });
    walked.push(...page.items);
    expect(page.total).to.equal(all.length);
    expect(page.next === null).to.equal(walked.length === own.length);
    after = page.next;
  }
  expect(walked.map(listed)).to.deep.equal(own.map(listed));
  for (const offset of offsets) {
    const { items: page } = await findResults(views, wholeTeam('team'), run, { status: of, offset, limit });
    expect(page.map(listed), `from ${offset}`).to.deep.equal(own.slice(offset, offset + limit).map(listed));
  }
}

function listed({ test_result_id, status: of, created_position }: Omit<ResultDocument, 'contents'>) {
  return [test_result_id, of, created_position];
}

function bare(result: Omit<ResultDocument, 'contents'>): object {
  const {
    position: _,
    context: __,
    ...others
  } = result as Omit<ResultDocument, 'contents'> & { position?: string; context?: object };
  return others;
}

function inOrder(texts: ReadonlyMap<string, string>): string {
  return [...texts]
    .map(([name, text]) => `${name} ${text}`)
    .sort()
    .join('\n');
}
