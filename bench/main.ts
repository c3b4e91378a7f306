/**
 * `npm run bench`: prints the table of speeds, each beside its reference from the same run (docs/benchmark.md).
 * `--quick` leaves out the million results and has shorter turns. `--stack` measures on EventStoreDB and MongoDB.
 * `--only reporter`, or several names with commas, measures these parts of the table.
 */
import { mkdirSync, rmSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { parseArgs } from 'node:util';
import { artifactRows } from './artifacts.js';
import { bulkRow, pageRows } from './bulk.js';
import { startChild } from './child.js';
import { diskRows } from './disk.js';
import { httpWorkerRows } from './http-workers.js';
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
import { startServer, type Server } from './server.js';
import { smallSubmissionRows } from './small-submissions.js';
import { stackRows } from './stack.js';
import { render, type Row } from './table.js';
import { viewersRow } from './viewers.js';
import { passRow, webhookRows } from './webhooks.js';

const flag = { type: 'boolean', default: false } as const;
const { quick, stack, only } = parseArgs({
  options: { quick: flag, stack: flag, only: { type: 'string' } },
}).values;
const parts = {
  writes: null,
  reads: null,
  replay: null,
  'http-workers': () => httpWorkerRows(join(data, 'http-workers'), { turns, seconds }),
  bulk: bulkRows,
  'small-submissions': smallRows,
  disk: () => diskRows(join(data, 'disk')),
  artifacts: artifactsRows,
  import: importedRows,
  reporter: reportedRows,
  shards: shardRows,
  viewers: viewersRows,
  pages: pagesRows,
  'large-requests': () => largeRequestRows(join(data, 'large-requests')),
  rebuild: rebuildRows,
  webhooks: webhooksRows,
} satisfies Record<string, (() => Promise<Row[]>) | null>;
type Part = keyof typeof parts;
const wanted = only === undefined ? null : new Set(only.split(',').map(partNamed));
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
const options = { quick, stack, only: only ?? null, turns, seconds_a_turn: seconds };
mkdirSync(results, { recursive: true });
writeFileSync(file, JSON.stringify({ at: began, took_seconds: took, machine, options, rows }, null, 2));
console.log(`took ${took} s; written to ${file}`);
process.exit();

/** @throws Error for a name of no part */
function partNamed(name: string): Part {
  if (Object.hasOwn(parts, name)) return name as Part;
  throw new Error(`there is no part ${name}; the parts are ${Object.keys(parts).join(', ')}`);
}

function isWanted(...names: readonly Part[]): boolean {
  return wanted === null || names.some((name) => wanted.has(name));
}

async function embeddedRows(): Promise<Row[]> {
  const rows = isWanted('writes', 'reads', 'replay') ? await serviceRows() : [];
  for (const [name, measure] of Object.entries(parts)) {
    if (measure === null || !isWanted(name as Part)) continue;
    progress(name);
    rows.push(...(await measure()));
  }
  return rows;
}

/** The parts that share the servers with 10,000 and with 1,000,000 results. */
async function serviceRows(): Promise<Row[]> {
  progress('storing 10,000 results');
  const small = await startServer(await seed(join(data, 'small'), { results: 10_000 }));
  if (!quick) progress('storing 1,000,000 results');
  const large = quick ? null : await startServer(await seed(join(data, 'large'), { results: 1_000_000 }));
  const reference = startChild<object, string>('./echo.js');
  const bench = { load: startLoad(), echo: await reference.ask({}), small, large, turns, seconds };
  const rows: Row[] = [];
  if (isWanted('writes')) {
    progress('writes');
    const { rows: writes, top } = await writeRows(bench);
    progress('from write to visible');
    rows.push(...writes, ...(await visibleRows(bench, top)));
  }
  if (isWanted('reads')) {
    progress('reads');
    rows.push(...(await readRows(bench)));
  }
  if (large !== null) rows.push(await memoryRow(large));
  if (isWanted('replay')) {
    progress('replay');
    rows.push(...(await replayRows({ ...bench, folder: join(data, 'replay') })));
  }
  await Promise.all([bench.load.stop(), reference.stop(), small.stop(), large?.stop()]);
  return rows;
}

async function rebuildRows(): Promise<Row[]> {
  const reported = await seed(join(data, 'rebuild'), { results: rebuilt, steps: 3 });
  const whole = await seedSubmissions(join(data, 'rebuild-bulk'), { runs: rebuilt / 4_000, items: 10_000 });
  return [
    await rebuildRow(
      reported.folder,
      turns,
      'rebuild of the ledger views',
      'events; runs of 1,000 results, 3 events a result',
    ),
    await rebuildRow(whole.folder, turns, '  runs submitted whole', 'events; runs of 10,000 results'),
  ];
}

async function webhooksRows(): Promise<Row[]> {
  const pass = await passRow(join(data, 'pass'), { turns, results: rebuilt });
  return [pass, ...(await webhookRows(data, turns, seconds))];
}

/** Measures with a server of its own on a thousand results. */
async function onServer(name: string, measure: (server: Server) => Promise<Row[]>): Promise<Row[]> {
  const server = await startServer(await seed(join(data, name), { results: 1_000 }));
  const rows = await measure(server);
  await server.stop();
  return rows;
}

async function bulkRows(): Promise<Row[]> {
  return onServer('bulk', async (server) => [
    await bulkRow(server, { folder: join(data, 'bare'), turns, seconds }),
  ]);
}

async function smallRows(): Promise<Row[]> {
  return onServer('small-submissions', (server) => smallSubmissionRows(server, turns));
}

async function artifactsRows(): Promise<Row[]> {
  return onServer('artifacts', (server) => artifactRows(server, { folder: join(data, 'files'), turns }));
}

async function importedRows(): Promise<Row[]> {
  const bytes = quick ? 10_000_000 : 100_000_000;
  return onServer('imported', (server) => importRows(server, { folder: join(data, 'import'), turns, bytes }));
}

async function reportedRows(): Promise<Row[]> {
  return onServer('reported', (server) =>
    reporterRows(server, { folder: join(data, 'reporter'), turns: quick ? 1 : 5 }),
  );
}

async function shardRows(): Promise<Row[]> {
  return onServer('insight', (server) => insightRows(server, { turns, seconds }));
}

async function viewersRows(): Promise<Row[]> {
  return onServer('viewers', async (server) => [await viewersRow(server, turns)]);
}

async function pagesRows(): Promise<Row[]> {
  const many = await startServer(await seedSubmissions(join(data, 'runs'), { runs: 100_000, items: 1 }));
  const rows = await pageRows(many, turns);
  await many.stop();
  return rows;
}

function progress(what: string): void {
  process.stderr.write(`${((Date.now() - began.getTime()) / 1_000).toFixed(0).padStart(4)} s  ${what}\n`);
}
