/**
 * `npm run bench`: prints the table of speeds, each beside its reference from the same run (docs/benchmark.md).
 * `--quick` leaves out the million results and has shorter turns. `--stack` measures on EventStoreDB and MongoDB.
 */
import { mkdirSync, rmSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { parseArgs } from 'node:util';
import { artifactRows } from './artifacts.js';
import { bulkRow, pageRows } from './bulk.js';
import { startChild } from './child.js';
import { importRows } from './import.js';
import { insightRows } from './insight.js';
import { largeRequestRows } from './large-requests.js';
import { machineFacts } from './machine.js';
import { startLoad } from './load.js';
import { replayRows } from './replay.js';
import { reporterRows } from './reporter.js';
import { memoryRow, readRows, rebuildRow, visibleRows, writeRows } from './rows.js';
import { seed } from './seed.js';
import { seedSubmissions } from './seed.submissions.js';
import { startServer } from './server.js';
import { stackRows } from './stack.js';
import { render, type Row } from './table.js';
import { passRow, webhookRows } from './webhooks.js';

const flag = { type: 'boolean', default: false } as const;
const { quick, stack } = parseArgs({ options: { quick: flag, stack: flag } }).values;
const [turns, seconds, rebuilt] = quick ? [3, 3, 40_000] : [5, 6, 120_000];

const began = new Date();
const root = fileURLToPath(new URL('../../', import.meta.url));
const results = join(root, 'bench', 'results');
// On the disk of the repository: the folder for temporary files may be in memory, where nothing is durable.
const data = join(results, `data-${process.pid}`);
process.on('exit', () => rmSync(data, { recursive: true, force: true }));
process.on('SIGINT', () => process.exit(130));
process.on('SIGTERM', () => process.exit(143));

const machine = machineFacts(root);
console.log(
  `${machine.model}, ${machine.processors} processors, node ${machine.node}, commit ${machine.commit}, load before ${machine.load_at_start.toFixed(1)}`,
);

const rows = stack ? await stackRows({ data, quick, turns, seconds, progress }) : await embeddedRows();

console.log(`\n${render(rows)}\n`);
const file = join(results, `${began.toISOString().slice(0, 19).replaceAll(':', '-')}.json`);
const took = Math.round((Date.now() - began.getTime()) / 1_000);
const options = { quick, stack, turns, seconds_a_turn: seconds };
mkdirSync(results, { recursive: true });
writeFileSync(file, JSON.stringify({ at: began, took_seconds: took, machine, options, rows }, null, 2));
console.log(`took ${took} s; written to ${file}`);
process.exit();

async function embeddedRows(): Promise<Row[]> {
  progress('storing 10,000 results');
  const small = await startServer(await seed(join(data, 'small'), { results: 10_000 }));
  if (!quick) progress('storing 1,000,000 results');
  const large = quick ? null : await startServer(await seed(join(data, 'large'), { results: 1_000_000 }));
  const reference = startChild<object, string>('./echo.js');
  const bench = { load: startLoad(), echo: await reference.ask({}), small, large, turns, seconds };

  progress('writes');
  const { rows: writes, top } = await writeRows(bench);
  progress('reads');
  const reads = await readRows(bench);
  progress('from write to visible');
  const visible = await visibleRows(bench, top);
  const memory = large === null ? [] : [await memoryRow(large)];
  progress('replay');
  const replay = await replayRows({ ...bench, folder: join(data, 'replay') });
  await Promise.all([bench.load.stop(), reference.stop(), small.stop(), large?.stop()]);
  progress('rebuild');
  const reported = await seed(join(data, 'rebuild'), { results: rebuilt, steps: 3 });
  const whole = await seedSubmissions(join(data, 'rebuild-bulk'), { runs: rebuilt / 4_000, items: 10_000 });
  const rebuild = 'rebuild of the ledger views';
  const rebuilds = [
    await rebuildRow(reported.folder, turns, rebuild, 'events; runs of 1,000 results, 3 events a result'),
    await rebuildRow(whole.folder, turns, '  runs submitted whole', 'events; runs of 10,000 results'),
  ];
  progress('webhooks');
  const pass = await passRow(join(data, 'pass'), { turns, results: rebuilt });
  const webhooks = [pass, ...(await webhookRows(data, turns, seconds))];
  return [
    ...writes,
    ...reads,
    ...(await bulkRows()),
    ...rebuilds,
    ...replay,
    ...webhooks,
    ...visible,
    ...memory,
  ];
}

async function bulkRows(): Promise<Row[]> {
  progress('bulk');
  const bulk = await startServer(await seed(join(data, 'bulk'), { results: 1_000 }));
  const taken = await bulkRow(bulk, { folder: join(data, 'bare'), turns, seconds });
  progress('artifacts');
  const artifacts = await artifactRows(bulk, { folder: join(data, 'files'), turns });
  progress('import');
  const size = quick ? 10_000_000 : 100_000_000;
  const imports = await importRows(bulk, { folder: join(data, 'import'), turns, bytes: size });
  progress('reporter');
  const reporter = await reporterRows(bulk, { folder: join(data, 'reporter'), turns: quick ? 1 : 5 });
  await bulk.stop();
  progress('shards and comparisons');
  const insight = await startServer(await seed(join(data, 'insight'), { results: 1_000 }));
  const insights = await insightRows(insight, { turns, seconds });
  await insight.stop();
  progress('storing 100,000 runs');
  const many = await startServer(await seedSubmissions(join(data, 'runs'), { runs: 100_000, items: 1 }));
  progress('pages');
  const pages = await pageRows(many, turns);
  await many.stop();
  progress('large requests');
  const largeRequests = await largeRequestRows(join(data, 'large-requests'));
  return [taken, ...imports, ...reporter, ...insights, ...pages, ...artifacts, ...largeRequests];
}

function progress(what: string): void {
  process.stderr.write(`${((Date.now() - began.getTime()) / 1_000).toFixed(0).padStart(4)} s  ${what}\n`);
}
