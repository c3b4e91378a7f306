/**
 * `node dist/bench/profile.js writes|reads|shards|small-submissions|deliveries|stack-writes|stack-reads [seconds]`: shows
 * where the processor time of each thread of the server goes, under the load of the bench. Time in which a thread waits is
 * left out. `stack-` is on a stand-in of EventStoreDB and a real mongod.
 * `rebuild|rebuild-submitted|history|history-known-tests|history-many-tests`, without seconds: the same for the fold of this row of the bench, without
 * a server and at the size of `--quick`.
 */
import { mkdirSync, readdirSync, readFileSync, rmSync } from 'node:fs';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { startStandIn } from '../test/stack/esdb.js';
import { startMongod } from '../test/stack/mongod.js';
import { emptyStores, type StoreUrls } from '../test/kit/store-urls.js';
import { startLoad, type Load } from './load/load.js';
import { lasting, readRate, writeRate } from './load/rates.js';
import { partsOf } from './parts.js';
import { startChild } from './processes/child.js';
import { startServer, type Server } from './processes/server.js';
import { comparedAt, shardedRun } from './rows/insight.js';
import { smallSubmissionRows } from './rows/small-submissions.js';
import { deliveryRate } from './rows/webhooks.js';
import type { SeedAnswer, SeedRequest } from './stack/seed.child.js';
import { seed } from './test-data/seed.js';

type Node = {
  id: number;
  callFrame: { functionName: string; url: string; lineNumber: number };
  children?: number[];
};
type Profile = { nodes: Node[]; samples: number[]; timeDeltas: number[] };
type Share = { name: string; milliseconds: number };

const LINES = 40;
const LONGEST_GAP_MS = 20;
const WAITING = new Set(['(idle)', '(root)']);

/**
 * The threads, each with files that no other thread loads (`src/roles/threads.ts`, `src/adapters/sqlite`). The last two are
 * processes of the bench.
 */
const threads = [
  ['thread writer', 'sqlite/writer.thread.js'],
  ['thread bulk', 'roles/bulk.thread.js'],
  ['thread webhooks', 'roles/webhooks.thread.js'],
  ['thread projector', 'roles/projector.thread.js'],
  ['thread of the fold', 'rows/rebuild.child.js'],
  ['thread of the fold', 'rows/history.child.js'],
] as const;

/** Rows of the bench that fold in a process of their own. */
const FOLDS = ['rebuild', 'rebuild-submitted', 'history', 'history-known-tests', 'history-many-tests'];

const [what = 'writes', seconds = '10'] = process.argv.slice(2);
const root = fileURLToPath(new URL('../../', import.meta.url));
const data = join(root, 'bench', 'results', `data-${process.pid}`);
const profiles = join(root, 'bench', 'results', `profile-${what}`);
process.on('exit', () => rmSync(data, { recursive: true, force: true }));
rmSync(profiles, { recursive: true, force: true });
mkdirSync(profiles, { recursive: true });

const profiling = ['--cpu-prof', `--cpu-prof-dir=${profiles}`];
await (FOLDS.includes(what) ? profileFold() : profileServer());
for (const file of readdirSync(profiles)) {
  console.log(report(JSON.parse(readFileSync(join(profiles, file), 'utf8')) as Profile));
}
process.exit();

async function profileServer(): Promise<void> {
  const servers = what.startsWith('stack-') ? await startServers() : null;
  const seeded = servers === null ? await seed(data, { results: 10_000 }) : await seedStores(servers.stores);
  const load = startLoad();
  const toUs = { ...seeded, stores: { ...seeded.stores, WEBHOOK_ALLOW: '127.0.0.0/8' } };
  const server = await startServer(toUs, { nodeOptions: profiling, program: 'modules' });
  console.log(await measure(server, load));
  await server.stop();
  await load.stop();
  await servers?.stop();
}

/** `startChild` passes the options of this process on to the fold. This process itself has started without them. */
async function profileFold(): Promise<void> {
  process.execArgv.push(...profiling);
  const parts = partsOf({ data, quick: true, turns: 1, seconds: 1, progress: () => undefined });
  const [row] = await parts[what]!();
  console.log(`${what}: ${Math.round(row!.measured)} ${row!.unit} while profiled\n`);
}

async function startServers() {
  const [standIn, mongod] = [await startStandIn(), await startMongod()];
  const stores = emptyStores({ events: standIn.url, views: mongod.url });
  return { stores, stop: () => Promise.all([standIn.stop(), mongod.stop()]) };
}

async function seedStores(stores: StoreUrls) {
  mkdirSync(data, { recursive: true });
  const seeder = startChild<SeedRequest, SeedAnswer>('stack/seed.child.js');
  const history = await seeder.ask({ url: stores.EVENTS_URL, results: 10_000, steps: 1 });
  await seeder.stop();
  return { ...history, folder: data, stores };
}

async function measure(server: Server, load: Load): Promise<string> {
  if (what === 'shards') return compareRuns(server, load);
  if (what === 'deliveries')
    return `deliveries: ${Math.round(await deliveryRate(server))} /s while profiled\n`;
  if (what !== 'small-submissions') return measureRate(server, load);
  const rows = await smallSubmissionRows(server, 1);
  return rows.map(({ figure, measured, unit }) => `${figure}: ${Math.round(measured)} ${unit}`).join('\n');
}

async function measureRate(server: Server, load: Load): Promise<string> {
  const rate = (what.endsWith('reads') ? readRate : writeRate)(load, server);
  const perSecond = await (await lasting(rate, Number(seconds)))();
  return `${what}: ${Math.round(perSecond)} /s while profiled\n`;
}

/** Two runs in shards, the second compared with the first. */
async function compareRuns(server: Server, load: Load): Promise<string> {
  const times: string[] = [];
  for (const [shift, branch] of ['main', 'feature'].entries()) {
    const began = performance.now();
    const { run, ended } = await shardedRun(server, load, { branch, shift });
    const compared = await comparedAt(server, run);
    times.push(
      `posted in ${((ended - began) / 1_000).toFixed(1)} s, compared ${((compared - ended) / 1_000).toFixed(1)} s later`,
    );
  }
  return `shards: ${times.join('; ')}, while profiled\n`;
}

function report({ nodes, samples, timeDeltas }: Profile): string {
  const own = new Map<number, number>();
  // A sample comes each millisecond. In a longer gap, another process ran.
  const elapsed = timeDeltas.map((delta) => Math.min(delta / 1_000, LONGEST_GAP_MS));
  samples.forEach((id, n) => own.set(id, (own.get(id) ?? 0) + elapsed[n]!));
  const self: Map<string, number> = new Map();
  const module: Map<string, number> = new Map();
  const inclusive: Map<string, number> = new Map();
  const byId = new Map(nodes.map((node) => [node.id, node]));
  let busy = 0;

  // Adds up a call tree. A function that is on the stack already does not count twice.
  const walk = (node: Node, above: ReadonlySet<string>): number => {
    const name = nameOf(node);
    const mine = WAITING.has(name) ? 0 : (own.get(node.id) ?? 0);
    busy += mine;
    add(self, name, mine);
    add(module, moduleOf(node), mine);
    const on = new Set(above).add(name);
    let all = mine;
    for (const child of node.children ?? []) all += walk(byId.get(child)!, on);
    if (!above.has(name)) add(inclusive, name, all);
    return all;
  };
  walk(nodes[0]!, new Set());

  const thread = threads.find(([, file]) => nodes.some(({ callFrame }) => callFrame.url.includes(file)));
  const list = (title: string, shares: Map<string, number>) =>
    [title, ...top(shares).map(({ name, milliseconds }) => line(milliseconds, busy, name))].join('\n');
  return [
    `== ${thread?.[0] ?? 'main thread'}: busy ${Math.round(busy)} ms`,
    list('by module', module),
    list('self', self),
    list('with what it calls', inclusive),
    '',
  ].join('\n');
}

function top(shares: Map<string, number>): Share[] {
  const all = [...shares].map(([name, milliseconds]) => ({ name, milliseconds }));
  return all.sort((a, b) => b.milliseconds - a.milliseconds).slice(0, LINES);
}

function line(milliseconds: number, busy: number, name: string): string {
  return `  ${((100 * milliseconds) / busy).toFixed(1).padStart(5)} %  ${name}`;
}

function nameOf({ callFrame: { functionName, url, lineNumber } }: Node): string {
  return url === '' ? functionName : `${functionName || '(anonymous)'} ${short(url)}:${lineNumber + 1}`;
}

function moduleOf({ callFrame: { functionName, url } }: Node): string {
  return url === '' ? functionName : short(url);
}

/** The name of a package, or the path of a file of this repository. */
function short(url: string): string {
  const [, inPackage] = /.*\/node_modules\/((?:@[^/]+\/)?[^/]+)/.exec(url) ?? [];
  return inPackage ?? url.replace(/^file:.*?\/(?=(?:src|projections|bench)\/)/, '');
}

function add(shares: Map<string, number>, name: string, milliseconds: number): void {
  shares.set(name, (shares.get(name) ?? 0) + milliseconds);
}
