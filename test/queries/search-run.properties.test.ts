import { expect } from 'chai';
import * as fc from 'fast-check';
import { history } from '../../projections/history/history.js';
import { environmentOfResult, type ResultDocument } from '../../projections/records/run-documents.js';
import { isFinal } from '../../src/domain/results/result.js';
import { historyEvent } from '../../src/domain/test-history/result-change.js';
import { openSearchRun } from '../../src/queries/results/search-run.js';
import { tagsIn } from '../../src/domain/understood.js';
import { fold } from '../projections/folding.js';
import { foldedReader, foldedViews } from '../projections/folded-views.js';
import { naiveResults } from '../projections/naive-results.js';
import { batchSizes, environments, histories, runsIn } from '../projections/result-histories.js';

const facts = [{ owner: '@shop' }, { tag: 'slow' }, { not_tag: 'slow' }, { owner: '@shop', not_tag: 'cart' }];

type Fact = Partial<Record<'owner' | 'tag' | 'not_tag', string>>;

function isLike({ metadata }: ResultDocument, { owner, tag, not_tag }: Fact): boolean {
  const tags = tagsIn(metadata) ?? [];
  return (
    (owner === undefined || metadata?.['owner'] === owner) &&
    (tag === undefined || tags.includes(tag)) &&
    (not_tag === undefined || !tags.includes(not_tag))
  );
}

describe('the results of a run, for any history', () => {
  it('are found by environment, owner and tags as if each were kept by itself, also with a status', async () => {
    await fc.assert(
      fc.asyncProperty(
        histories,
        batchSizes,
        fc.integer({ min: 1, max: 50 }),
        async (events, batches, limit) => {
          const { texts } = await fold(events, batches);
          const search = openSearchRun(
            foldedReader((await fold(events.map(historyEvent), batches, history)).texts),
            foldedViews(texts),
          );
          const all = naiveResults(events).filter(
            ({ status: of, superseded_by, replaced_by = [] }) =>
              isFinal(of) && superseded_by === null && replaced_by.length === 0,
          );
          for (const runId of runsIn(texts)) {
            const run = { team: events[0]!.meta.team_id, runId, projectId: 'project' };
            for (const fact of facts) {
              const wanted = { status: undefined, words: [], environment: undefined, ...fact };
              const own = all.filter((each) => each.test_run_id === runId && isLike(each, fact));
              const found = await search(run, wanted, { offset: 0, limit: own.length + 1 });
              expect(found.total).to.equal(own.length);
              expect(found.ids).to.have.members(own.map(({ test_result_id }) => test_result_id));
            }
            for (const environment of environments) {
              for (const of of [undefined, 'failed'] as const) {
                const wanted = { status: of, words: [], environment };
                const own = all.filter(
                  (each) =>
                    each.test_run_id === runId &&
                    environmentOfResult(each) === environment &&
                    (of === undefined || each.status === 'Failed'),
                );
                const found = await search(run, wanted, { offset: 0, limit: own.length + 1 });
                expect(found.total).to.equal(own.length);
                expect(found.ids).to.have.members(own.map(({ test_result_id }) => test_result_id));
                const part = await search(run, wanted, { offset: limit, limit });
                const second = { ...found, offset: limit, ids: found.ids.slice(limit, 2 * limit) };
                expect(part).to.deep.equal(second);
                // Each result leads to the page that has it.
                for (const around of found.ids.slice(0, 5)) {
                  const offset = limit * Math.floor(found.ids.indexOf(around) / limit);
                  expect(await search(run, wanted, { offset: 0, limit, around })).to.deep.equal({
                    ...found,
                    offset,
                    ids: found.ids.slice(offset, offset + limit),
                  });
                }
                const sorted = await search(run, wanted, {
                  offset: limit,
                  limit,
                  sorting: { sort: 'duration', order: 'desc' },
                });
                const durations = new Map<string, number>(
                  own.map((each) => [each.test_result_id, each.execution_time_ms ?? -1]),
                );
                const byDuration = found.ids.toSorted((a, b) => durations.get(b)! - durations.get(a)!);
                expect(sorted.ids).to.deep.equal(byDuration.slice(limit, 2 * limit));
                const nowhere = await search(run, wanted, { offset: 0, limit, around: 'another result' });
                expect(nowhere).to.deep.equal({ ...found, ids: [] });
              }
            }
          }
        },
      ),
      { numRuns: 8 },
    );
  }).timeout(240_000);
});
