/**
 * `npm run bench`: prints the table of speeds, each beside its reference from the same run (docs/benchmark.md).
 * `--quick` leaves out the million results and has shorter turns. `--stack` measures on EventStoreDB and MongoDB.
 * `--only get`, or several names with commas, measures these rows of the table. `--pinned` keeps the load away from the
 * processors of the server.
 */
import { mkdirSync, rmSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { parseArgs } from 'node:util';
import { partsOf } from './parts.js';
import { machineFacts } from './processes/machine.js';
import { pinProcesses } from './processes/pinning.js';
import { stackRows } from './stack/rows.js';
import { render, type Row } from './table/table.js';

const flag = { type: 'boolean', default: false } as const;
const { quick, stack, pinned, only } = parseArgs({
  options: { quick: flag, stack: flag, pinned: flag, only: { type: 'string' } },
}).values;
const [turns, seconds] = quick ? [3, 3] : [5, 6];

const began = new Date();
const root = fileURLToPath(new URL('../../', import.meta.url));
const results = join(root, 'bench', 'results');
// On the disk of the repository: the folder for temporary files may be in memory, where nothing is durable.
const data = join(results, `data-${process.pid}`);
process.on('exit', () => rmSync(data, { recursive: true, force: true }));
process.on('SIGINT', () => process.exit(130));
process.on('SIGTERM', () => process.exit(143));

if (pinned) pinProcesses();
const parts = partsOf({ data, quick, turns, seconds, progress });
const wanted = only === undefined ? Object.keys(parts) : namesIn(only);
const machine = machineFacts(root);
console.log(
  `${machine.model}, ${machine.processors} processors, node ${machine.node}, commit ${machine.commit}, load before ${machine.load_at_start.toFixed(1)}`,
);

/** Rows that could not be measured, with the reason. */
const missing: string[] = [];
const rows = stack ? await stackRows({ data, quick, turns, seconds, progress }) : await embeddedRows();

console.log(`\n${render(rows)}\n`);
const file = join(results, `${began.toISOString().slice(0, 19).replaceAll(':', '-')}.json`);
const took = Math.round((Date.now() - began.getTime()) / 1_000);
const options = { quick, stack, pinned, only: only ?? null, turns, seconds_a_turn: seconds };
mkdirSync(results, { recursive: true });
writeFileSync(
  file,
  JSON.stringify({ at: began, took_seconds: took, machine, options, rows, missing }, null, 2),
);
console.log(`took ${took} s; written to ${file}`);
for (const row of missing) console.error(`not measured: ${row}`);
process.exit(missing.length === 0 ? 0 : 1);

/** @throws Error for a name of no row */
function namesIn(list: string): string[] {
  const names = list.split(',');
  const unknown = names.find((name) => !Object.hasOwn(parts, name));
  if (unknown === undefined) return Object.keys(parts).filter((name) => names.includes(name));
  throw new Error(`there is no row ${unknown}; the rows are ${Object.keys(parts).join(', ')}`);
}

async function embeddedRows(): Promise<Row[]> {
  const rows: Row[] = [];
  for (const name of wanted) {
    progress(name);
    // One row that fails must not cost the others their figures, after an hour.
    try {
      rows.push(...(await parts[name]!()));
    } catch (error) {
      missing.push(`${name}: ${error instanceof Error ? error.message : String(error)}`);
    }
  }
  return rows;
}

function progress(what: string): void {
  process.stderr.write(`${((Date.now() - began.getTime()) / 1_000).toFixed(0).padStart(4)} s  ${what}\n`);
}
