import { expect } from 'chai';
import { typeid } from 'typeid-js';
import { plainResult } from '../domain/comparison/plain-result.js';
import { projection, type Handler } from '../../projections/projection.js';
import { chunkId, runChunkDocuments } from '../../projections/comparisons/run-chunks.js';
import { completion } from '../../projections/comparisons/run-comparisons.js';
import {
  completedRunsDocuments,
  completedRunsId,
  runSummaryDocuments,
  type RunSummaryDocument,
} from '../../projections/comparisons/run-summary-documents.js';
import { emptyChunk, withResults, type Chunk } from '../../src/domain/comparison/packed-results.js';
import type { LedgerEvent } from '../../src/domain/events.js';
import type { Document } from '../../src/domain/projection.js';
import { historyEvent } from '../../src/domain/test-history/result-change.js';
import { history } from '../../projections/history/history.js';
import type { Change } from '../../src/ports/views.js';
import { openMemoryLedger } from '../domain/memory-ledger.js';
import { foldBatch } from '../../src/projecting/fold.js';
import type { LoadDocuments } from '../../src/projecting/build-store.js';

const failed = { ...plainResult, status: 'Failed' } as const;

/** A chunk with one failure of each of these tests. */
function chunkOf(tests: number): Chunk {
  const keyOf = (n: number) => String(n).padStart(13, '0');
  const first = withResults(emptyChunk, [
    { ...failed, test: keyOf(0), result_id: typeid('result').toString() },
  ]);
  const rest = first.lines.slice(13);
  return { ...first, lines: Array.from({ length: tests }, (_, n) => keyOf(n) + rest).join(' ') };
}

describe('the gate of a completed run', () => {
  it('counts a later result once, also if its batch fails and is folded again', async () => {
    const ledger = openMemoryLedger();
    const project = ledger.project(ledger.team());
    const run = ledger.run(project, null, { branch: 'main', commit: 'c' });
    for (const status of ['Running', 'Completed'] as const) ledger.updateRun(run, { status });
    ledger.result(run, 'Passed', { name: 'pays' });
    ledger.result(run, 'Passed', { name: 'refunds' });

    async function summaryAfter(tries: number): Promise<RunSummaryDocument> {
      const documents = new Map<string, Document | null>();
      // As the cache of a fold: the objects that the last batch has left.
      const load: LoadDocuments = async (keys) =>
        keys.map(({ collection, id }) => documents.get(`${collection} ${id}`) ?? null);
      for (const event of ledger.events.map(historyEvent)) {
        let changes: Change[] = [];
        for (let n = 0; n < tries; n += 1) changes = await foldBatch(history, load, [event]);
        for (const { collection, id, after } of changes) documents.set(`${collection} ${id}`, after);
      }
      return documents.get(`${runSummaryDocuments.name} ${run.id}`) as unknown as RunSummaryDocument;
    }

    const once = await summaryAfter(1);
    expect(once.tests).to.equal(2);
    expect(await summaryAfter(3)).to.deep.equal(once);
  });
});

describe('the comparison of a completed run', () => {
  const stored = new Map<string, Document>();
  const put = (collection: string, id: string, document: object) =>
    stored.set(`${collection} ${id}`, { ...document, position: '1' });
  const load: LoadDocuments = async (keys) =>
    keys.map(({ collection, id }) => stored.get(`${collection} ${id}`) ?? null);

  /** Stores a run. */
  function run(
    project_id: string,
    id: string,
    branch: string,
    created_position: string,
    tests: number,
  ): void {
    const chunk = { run_id: id, ...chunkOf(tests) };
    put(runChunkDocuments.name, chunkId(id, 0), chunk);
    put(runSummaryDocuments.name, id, {
      team_id: 'team',
      project_id,
      branch,
      commit: null,
      tool: null,
      environment: '',
      created_at: '2026-01-01T00:00:00.000Z',
      created_position,
      // One chunk, however many tests it has.
      lines: 1,
      arriving: false,
      // Those of the default branch are in the list of completed runs.
      tests,
      completed: branch === 'main',
      comparison: null,
      gate: null,
      started_at: null,
      counted: null,
    } satisfies RunSummaryDocument);
    if (branch !== 'main') return;
    const list = completedRunsId({ project_id, tool: null, environment: '' }, 'main');
    put(completedRunsDocuments.name, list, { runs: [{ id, created: created_position, tests }] });
  }

  const complete = async (project_id: string, run_id: string, loading = load) => {
    const event = {
      type: 'RunCompleted',
      position: '9',
      data: { run_id, project_id, completion: 1 },
      meta: { team_id: 'team' },
    } as unknown as LedgerEvent<'RunCompleted'>;
    const changes = await foldBatch<LedgerEvent<'RunCompleted'>>(completion, loading, [event]);
    const summary = changes.find(
      ({ collection, id }) => collection === runSummaryDocuments.name && id === run_id,
    );
    return (summary!.after as unknown as RunSummaryDocument).comparison!.counts;
  };

  it('holds its baseline, also if another fold needs the memory meanwhile', async () => {
    run('one', 'base', 'main', '1', 1);
    run('one', 'first', 'feature', '2', 1);
    run('one', 'second', 'feature', '3', 2);
    // As many as the fold keeps in all.
    run('two', 'large base', 'main', '1', 199_999);
    run('two', 'other', 'feature', '2', 1);
    await complete('one', 'first');
    const counts = await complete('one', 'second', async (keys) => {
      const chunks = keys.filter(({ collection }) => collection === runChunkDocuments.name);
      if (chunks.length > 0) {
        expect(chunks.map(({ id }) => id)).to.deep.equal([chunkId('second', 0)]);
        await complete('two', 'other');
      }
      return load(keys);
    });
    expect(counts).to.include({ new_failures: 1, still_failing: 1, removed: 0 });
  });

  it('counts a result of its baseline that came in the same batch, after another comparison', async () => {
    run('three', 'growing', 'main', '1', 1);
    run('three', 'earlier', 'feature', '2', 3);
    run('three', 'later', 'feature', '3', 3);
    const results: Handler<'ResultCreated'> = {
      touches: () => [runSummaryDocuments.at('growing'), runChunkDocuments.at(chunkId('growing', 0))],
      apply(documents, { position }) {
        const lines = position === '2' ? 2 : 3;
        Object.assign(documents.edit(runChunkDocuments, chunkId('growing', 0)), chunkOf(lines));
        // As the fold of the results does it, so that the document may stay the same object.
        documents.change(runSummaryDocuments, 'growing', { lines });
      },
    };
    const both = projection({
      name: 'both',
      version: 1,
      collections: [],
      on: { RunCompleted: completion, ResultCreated: results },
    });
    const result = (position: string) => ({ type: 'ResultCreated', position, data: {}, meta: {} });
    const completed = (position: string, run_id: string) => {
      const data = { run_id, project_id: 'three', completion: 1 };
      return { type: 'RunCompleted', position, data, meta: { team_id: 'team' } };
    };
    const events = [result('2'), completed('3', 'earlier'), result('4'), completed('5', 'later')];
    const changes = await foldBatch(both, load, events as unknown as LedgerEvent[]);
    const countsOf = (id: string) => {
      const { after } = changes.find(
        (each) => each.collection === runSummaryDocuments.name && each.id === id,
      )!;
      return (after as unknown as RunSummaryDocument).comparison!.counts;
    };
    expect(countsOf('earlier')).to.include({ new_failures: 1, still_failing: 2 });
    expect(countsOf('later')).to.include({ new_failures: 0, still_failing: 3 });
  });
});
