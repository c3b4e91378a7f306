/** Rebuilds the read models of a folder as the thread of the projector does, without a server beside it. */
import { records } from '../../projections/records/records.js';
import { foldInto } from '../../src/projecting/fold.js';
import { openForProjector } from '../../src/adapters/open.js';
import { readConfig } from '../../src/config.js';
import { instant, systemClock } from '../../src/clock.js';
import { openFoldFeed } from '../../src/log/feed.js';
import { limitHeapGrowth } from '../../src/memory/limit-heap-growth.js';
import type { ProjectorReport } from '../../src/projecting/leading.js';
import { runProjector } from '../../src/projecting/projector.js';
import { readRebuild, requestRebuild } from '../../src/projecting/rebuild.js';
import { answerRequests } from '../processes/child.js';
import { within } from '../processes/server.js';

export type RebuildOptions = { folder: string; times: number };

// As the program does.
limitHeapGrowth();

/** Returns the events a second of each rebuild, from its begin until its build is live. */
answerRequests(async ({ folder, times }: RebuildOptions): Promise<number[]> => {
  const { storedLog: log, views, state } = await openForProjector(readConfig({ DATA_DIR: folder }));
  const stop = new AbortController();
  let began = 0;
  let ended: number | null = null;
  let fault: unknown;
  const report = (event: ProjectorReport) => {
    if (event.type === 'failed') fault ??= event.error;
    else if (event.type === 'rebuilding') began = performance.now();
    else ended = performance.now();
  };
  const running = runProjector({
    projection: records,
    fold: foldInto(records, views),
    feed: openFoldFeed(log),
    views,
    state,
    holder: { boot: 'bench', alone: true },
    clock: systemClock,
    signal: stop.signal,
    report,
  });
  try {
    const head = await log.head();
    // First, the live build has to be at the head and idle, as on a running server.
    await within(600_000, 'the live build', async () => {
      const [build] = await views.builds(records.name);
      return build?.position === head ? true : null;
    });
    const rates: number[] = [];
    for (let n = 0; n < times; n += 1) {
      ended = null;
      await requestRebuild(state, records, instant(systemClock));
      const end = await within(600_000, 'the rebuild', () => {
        if (fault !== undefined) throw fault;
        return ended;
      });
      const { events } = (await readRebuild(state, records.name))!;
      rates.push(events / ((end - began) / 1_000));
    }
    return rates;
  } finally {
    stop.abort();
    await running;
    await state.close();
    await views.close();
    await log.close();
  }
});
