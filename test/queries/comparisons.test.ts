import { setImmediate } from 'node:timers/promises';
import { expect } from 'chai';
import { runChunkDocuments } from '../../projections/comparisons/run-chunks.js';
import { openAdmission } from '../../src/admission/admission.js';
import type { ViewReader } from '../../src/ports/views.js';
import { openComparisons } from '../../src/queries/comparisons.js';
import { openMemoryLedger } from '../domain/memory-ledger.js';
import { embeddedStores } from '../stores.js';
import { foldHistory } from './fold-history.js';

const passed = { status: 'Passed' } as const;

describe('comparisons with other runs than the baseline', () => {
  const stores = embeddedStores('each test', { log: false });

  /** Folds a ledger, and counts the reads of packed results. */
  async function queriesOver({ events }: ReturnType<typeof openMemoryLedger>) {
    await foldHistory(stores, events);
    const reads = { now: 0, most: 0, all: 0 };
    const reader: ViewReader = {
      ...stores.reader,
      async get(spec, collection, ids) {
        if (collection !== runChunkDocuments.name) return stores.reader.get(spec, collection, ids);
        reads.all += 1;
        reads.now += 1;
        reads.most = Math.max(reads.most, reads.now);
        // Others begin meanwhile, unless they wait.
        await setImmediate();
        const found = await stores.reader.get(spec, collection, ids);
        reads.now -= 1;
        return found;
      },
    };
    return { reads, comparisons: openComparisons(reader, openAdmission()) };
  }

  it('are made one after the other for a team, and equal ones once', async () => {
    const ledger = openMemoryLedger();
    const project = ledger.project(ledger.team());
    const runs = Array.from({ length: 5 }, () => ledger.submit(project, [passed, passed]).run);
    const { reads, comparisons } = await queriesOver(ledger);
    const { id: runId, team } = runs.pop()!;
    const asked = [...runs, ...runs].map(({ id: baseline }) => ({ team, runId, baseline }));
    const summaries = await Promise.all(asked.map((each) => comparisons.summary(each)));
    expect(summaries.map(({ baseline }) => baseline?.id)).to.deep.equal(
      asked.map(({ baseline }) => baseline),
    );
    expect(reads).to.deep.equal({ now: 0, most: 1, all: 5 });
  });

  it('are made for two teams at the same time, and for a third one after them', async () => {
    const ledger = openMemoryLedger();
    const asked = Array.from({ length: 3 }, () => {
      const project = ledger.project(ledger.team());
      const [{ run: baseline }, { run }] = [
        ledger.submit(project, [passed]),
        ledger.submit(project, [passed]),
      ];
      return { team: run.team, runId: run.id, baseline: baseline.id };
    });
    const { reads, comparisons } = await queriesOver(ledger);
    await Promise.all(asked.map((each) => comparisons.summary(each)));
    expect(reads).to.deep.equal({ now: 0, most: 2, all: 6 });
  });
});
