/**
 * The rows of the table by name, in the order of the table. A name stands for one row, or for the rows that one load gives
 * at once. Each has processes of its own.
 */
import { join } from 'node:path';
import { startLoad } from './load/load.js';
import { startChild } from './processes/child.js';
import { startServer, type Server } from './processes/server.js';
import { artifactRows } from './rows/artifacts.js';
import { bulkRow, pageRows } from './rows/bulk.js';
import { dashboardRows } from './rows/dashboard.js';
import { diskRows } from './rows/disk.js';
import { historyOfKnownTestsRows, historyOfManyTestsRow, historyRow, rebuildRow } from './rows/folds.js';
import { importRows } from './rows/import.js';
import { comparisonHistoryRow, comparisonRows, shardedRow } from './rows/insight.js';
import { largeRequestRows } from './rows/large-requests.js';
import { readerRows, replayRows } from './rows/replay.js';
import { mcpRow } from './rows/mcp.js';
import { asOfRows, statisticsRows } from './rows/numbers.js';
import { reporterRows } from './rows/reporter.js';
import { smallSubmissionRows } from './rows/small-submissions.js';
import { viewersRow } from './rows/viewers.js';
import { deliveriesRow, firstAttemptRows } from './rows/webhooks.js';
import { memoryRows, readRows, visibleRows, writeRows, type Bench } from './rows/writes-and-reads.js';
import type { Row } from './table/table.js';
import { seed, type Seeded } from './test-data/seed.js';
import { seedSubmissions } from './test-data/seed.submissions.js';

export type Settings = {
  /** The folder for the data of all servers. */
  data: string;
  quick: boolean;
  turns: number;
  /** The length of one measure. */
  seconds: number;
  progress: (what: string) => void;
};

type Part = () => Promise<Row[]>;

/** Long because it is the list of everything that is measured. */
export function partsOf({ data, quick, turns, seconds, progress }: Settings): Record<string, Part> {
  const folder = (name: string) => join(data, name);
  const results = quick ? 40_000 : 120_000;
  const stored = storedServers({ data, sizes: quick ? [] : [100_000, 1_000_000], turns, seconds, progress });
  const onServer = (name: string, measure: (server: Server) => Promise<Row | Row[]>): Part => {
    return async () => {
      const server = await startServer(await seed(folder(name), { results: 1_000 }));
      const rows = [await measure(server)].flat();
      await server.stop();
      return rows;
    };
  };
  return {
    post: () => stored(writeRows),
    visible: () => stored(visibleRows),
    get: () => stored(readRows),
    memory: () => stored(memoryRows),
    replay: () => stored((bench) => replayRows({ ...bench, folder: folder('replay') })),
    readers: () => stored(readerRows),
    bulk: onServer('bulk', (server) => bulkRow(server, { folder: folder('bare'), turns, seconds })),
    'small-submissions': onServer('small-submissions', (server) => smallSubmissionRows(server, turns)),
    disk: () => diskRows(folder('disk')),
    artifacts: onServer('artifacts', (server) => artifactRows(server, { folder: folder('files'), turns })),
    import: onServer('imported', (server) => {
      return importRows(server, { folder: folder('import'), turns, bytes: quick ? 10_000_000 : 100_000_000 });
    }),
    reporter: onServer('reported', (server) => {
      return reporterRows(server, { folder: folder('reporter'), turns: quick ? 1 : 5 });
    }),
    shards: onServer('shards', (server) => shardedRow(server, { turns, seconds })),
    comparison: onServer('comparison', (server) => comparisonRows(server, turns)),
    'comparison-history': onServer('history', (server) => comparisonHistoryRow(server, turns)),
    viewers: onServer('viewers', (server) => viewersRow(server, turns)),
    pages: async () => {
      const server = await startServer(await seedSubmissions(folder('runs'), { runs: 100_000, items: 1 }));
      const rows = await pageRows(server, turns);
      await server.stop();
      return rows;
    },
    dashboard: async () => {
      const runs = quick ? 1_000 : 100_000;
      const server = await startServer(await seedSubmissions(folder('dashboard'), { runs, items: 1 }));
      const rows = await dashboardRows(server);
      await server.stop();
      return rows;
    },
    mcp: async () => {
      const runs = quick ? 20 : 1_000;
      const server = await startServer(await seedSubmissions(folder('mcp'), { runs, items: 1_000 }));
      const row = await mcpRow(server, runs * 1_000);
      await server.stop();
      return [row];
    },
    statistics: () =>
      statisticsRows(folder('statistics'), quick ? { runs: 400, items: 50 } : { runs: 1_000, items: 1_000 }),
    'as-of': () => asOfRows(folder('as-of'), turns),
    'large-requests': () => largeRequestRows(folder('large-requests')),
    rebuild: async () => {
      const seeded = await seed(folder('rebuild'), { results, steps: 3 });
      const note = 'events; runs of 1,000 results, 3 events a result';
      return [await rebuildRow(seeded.folder, turns, 'rebuild of the records', note)];
    },
    'rebuild-submitted': async () => {
      const seeded = await seedSubmissions(folder('rebuild-bulk'), { runs: results / 4_000, items: 10_000 });
      const figure = '  of runs submitted whole';
      return [await rebuildRow(seeded.folder, turns, figure, 'events; runs of 10,000 results')];
    },
    history: async () => [await historyRow(folder('history'), { turns, results })],
    'history-known-tests': () => historyOfKnownTestsRows(folder('history-known-tests'), { turns, results }),
    'history-many-tests': async () => [
      await historyOfManyTestsRow(folder('history-many-tests'), { turns, results }),
    ],
    deliveries: async () => [await deliveriesRow(folder('deliveries'), turns)],
    'first-attempt': () => firstAttemptRows(folder('first-attempt'), turns, seconds),
  };
}

type StoredOptions = Omit<Settings, 'quick'> & { sizes: readonly number[] };

/**
 * Servers with 10,000 results stored, and with as many more as `sizes` says. They are stored once. The servers are started
 * for each measure.
 */
function storedServers({ data, sizes, turns, seconds, progress }: StoredOptions) {
  const seeds = new Map<number, Seeded>();
  const start = async (results: number): Promise<Server> => {
    const known = seeds.get(results);
    if (known === undefined) progress(`storing ${results.toLocaleString('en')} results`);
    const seeded = known ?? (await seed(join(data, `stored-${results}`), { results }));
    seeds.set(results, seeded);
    return startServer(seeded);
  };
  return async (measure: (bench: Bench) => Promise<Row[]>): Promise<Row[]> => {
    const small = await start(10_000);
    const larger = [];
    for (const results of sizes) larger.push({ results, server: await start(results) });
    const reference = startChild<object, string>('load/echo.child.js');
    const bench = { load: startLoad(), echo: await reference.ask({}), small, larger, turns, seconds };
    const rows = await measure(bench);
    const servers = [small, ...larger.map(({ server }) => server)];
    await Promise.all([bench.load, reference, ...servers].map((each) => each.stop()));
    return rows;
  };
}
