import { expect } from 'chai';
import * as fc from 'fast-check';
import { pastEvents } from '../../src/as-of/past-events.js';
import { troubledTests } from '../../src/as-of/troubled.js';
import { pastHistory } from '../../projections/history/past-history.js';
import { runChunkDocuments } from '../../projections/comparisons/run-chunks.js';
import { resultsIn, type Chunk } from '../../src/domain/comparison/packed-results.js';
import { foldBatch } from '../../src/projecting/fold.js';
import { pastDocuments } from '../../src/as-of/documents.js';
import { asChunks } from '../domain/item-chunks.js';
import { histories } from '../projections/result-histories.js';
import type { RecordedEvent } from '../../src/domain/event.js';

describe('tests without trouble', () => {
  /**
   * The lines of all runs, without the numbers of tests, which statistics alone count by. Keys of tests say only which lines are
   * of one test, and its title.
   */
  async function linesOf(events: readonly RecordedEvent[], also: string | null) {
    const troubled = troubledTests(also);
    events.forEach(troubled.add);
    const { of } = pastEvents(troubled);
    const documents = pastDocuments(pastHistory);
    documents.keep(await foldBatch(pastHistory, documents.load, events.flatMap(of)));
    const all = documents.of(runChunkDocuments.name);
    const numbers = new Map<string, number>();
    const lines = [...all].map(([id, chunk]) => [
      id,
      resultsIn(chunk as unknown as Chunk).map(({ ordinal: _, test, ...result }) => {
        if (!numbers.has(test)) numbers.set(test, numbers.size);
        return { ...result, test: numbers.get(test), title: test.slice(0, 4) };
      }),
    ]);
    return { lines: Object.fromEntries(lines), tests: [...documents.of('tests').keys()] };
  }

  it('have the same lines in their runs as with their histories', async () => {
    let quiet = 0;
    await fc.assert(
      fc.asyncProperty(histories, async (history) => {
        const events = asChunks(history) as RecordedEvent[];
        const [some, all] = [await linesOf(events, null), await linesOf(events, 'all')];
        expect(some.lines).to.deep.equal(all.lines);
        expect(all.tests).to.include.members(some.tests);
        quiet += all.tests.length - some.tests.length;
      }),
      { numRuns: 12 },
    );
    // Else this would say nothing.
    expect(quiet).to.be.above(0);
  }).timeout(120_000);
});
