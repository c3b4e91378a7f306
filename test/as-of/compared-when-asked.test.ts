import { expect } from 'chai';
import * as fc from 'fast-check';
import { pastDocuments } from '../../src/as-of/documents.js';
import { comparedWhenAsked } from '../../src/as-of/compared-when-asked.js';
import { pastEvents } from '../../src/as-of/past-events.js';
import { troubledTests } from '../../src/as-of/troubled.js';
import { pastHistory } from '../../projections/history/past-history.js';
import { lateRunSummaries, runSummaries } from '../../projections/comparisons/run-summaries.js';
import {
  comparedListDocuments,
  runSummaryDocuments,
  type RunSummaryDocument,
} from '../../projections/comparisons/run-summary-documents.js';
import type { RecordedEvent } from '../../src/domain/event.js';
import { foldBatch } from '../../src/projecting/fold.js';
import { asChunks } from '../domain/item-chunks.js';
import { batchSizes } from '../projections/result-histories.js';
import { runHistories } from '../projections/statistics/run-histories.js';

/** The same, with each comparison at the completion of its run. */
const comparedAtOnce: typeof pastHistory = {
  ...pastHistory,
  parts: pastHistory.parts!.map((part) => (part === lateRunSummaries ? runSummaries : part)),
};

describe('comparisons that are made when a run of a past is asked for', () => {
  async function folded(events: readonly RecordedEvent[], sizes: readonly number[]) {
    const [atOnce, past] = [pastDocuments(comparedAtOnce), pastDocuments(pastHistory)];
    const { of } = pastEvents(troubledTests('all'));
    for (let [at, n] = [0, 0]; at < events.length; n += 1) {
      const size = sizes[n % sizes.length]!;
      const batch = events.slice(at, at + size).flatMap(of);
      atOnce.keep(await foldBatch(comparedAtOnce, atOnce.load, batch));
      past.keep(await foldBatch(pastHistory, past.load, batch));
      at += size;
    }
    return { atOnce, past: comparedWhenAsked(past) };
  }

  it('say the same as those that were made when it was completed, with their gates and lists', async () => {
    const seen = { baselines: 0, failed: 0, lists: 0 };
    const cases = fc.sample(fc.tuple(runHistories, batchSizes), { numRuns: 16, seed: 1 });
    for (const [events, sizes] of cases) {
      const { atOnce, past } = await folded(asChunks(events), sizes);
      for (const [id, document] of atOnce.of(runSummaryDocuments.name)) {
        const [run] = past.get(runSummaryDocuments.name, [id]);
        expect(run, id).to.deep.equal(document);
        const { comparison, gate } = document as unknown as RunSummaryDocument;
        if (comparison?.baseline != null) seen.baselines += 1;
        if (gate?.gate === 'failed') seen.failed += 1;
      }
      const made = past.of(comparedListDocuments.name);
      const lists = atOnce.of(comparedListDocuments.name);
      expect([...made.keys()].sort()).to.deep.equal([...lists.keys()].sort());
      for (const [id, { position: _, ...list }] of lists) expect(made.get(id), id).to.deep.equal(list);
      seen.lists += lists.size;
    }
    // Else this would say nothing.
    for (const count of Object.values(seen)) expect(count).to.be.above(0);
  }).timeout(60_000);
});
