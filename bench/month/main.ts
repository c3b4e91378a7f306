/**
 * `node dist/bench/month/main.js`: thirty simulated days of 100,000 results, with contents kept for seven. Prints how large
 * the log is after each day, what a verdict takes, which share of freed bytes goes back to the file system, whether rebuilt
 * views equal the live ones, and how long a POST takes while a real server cleans (docs/benchmark.md). `--results` and
 * `--days` make it smaller.
 */
import { createHash, randomBytes } from 'node:crypto';
import { readdir, stat } from 'node:fs/promises';
import { join } from 'node:path';
import { setTimeout as pause } from 'node:timers/promises';
import { parseArgs } from 'node:util';
import { logFile } from '../../src/adapters/sqlite/log/file.js';
import { newIds, type CommandIds } from '../../src/commands/ids.js';
import { createTeam } from '../../src/commands/teams.js';
import { wholeTeam } from '../../src/domain/teams/access.js';
import { findResults } from '../../src/queries/results/run-results.js';
import type { TeamViews } from '../../src/queries/team-views.js';
import { DAY_MS, openRetained, type Retained, type Sent } from '../../test/retention/given.js';
import { paced } from '../load/paced.js';
import { startServer, type Server } from '../processes/server.js';
import { quantile } from '../table/table.js';
import { resultBody, testName } from '../test-data/test-results.js';

const { values } = parseArgs({
  options: { days: { type: 'string', default: '30' }, results: { type: 'string', default: '100000' } },
});
const [days, resultsADay] = [Number(values.days), Number(values.results)];
// The report compares days after contents went, before those that the real server cleans.
if (days < 12) throw new Error('--days must be 12 or more');
const RUNS_A_DAY = 20;
const STEPS_A_DAY = 4;
const KEPT_DAYS = 7;
/** These last days are left to the real server. */
const UNSWEPT_DAYS = 2;
const WALK_MS = 11_000;
const POSTS_A_SECOND = 100;

// The threads of the stores keep no process alive.
setInterval(() => {}, 60_000);
const kept = await openRetained();
kept.clock.forward(Date.now() - days * DAY_MS - kept.clock().getTime());
const ids: CommandIds = {
  ...newIds,
  created: (type) => (type === 'team' ? kept.team : newIds.created(type)),
};
const { team } = await createTeam(kept.commands, { ...kept.context(), ids }, 'Month');
await kept.retain({ contents: `P${KEPT_DAYS}D`, passed_contents: `P${KEPT_DAYS}D` });

const runs: string[] = [];
let written = 0;
type Day = { day: number; file: number; contents: number; views: number };
const table: Day[] = [];

for (let day = 0; day < days; day += 1) {
  const began = performance.now();
  for (let step = 0; step < STEPS_A_DAY; step += 1) {
    const before = await bytesOfContents(kept);
    for (let n = 0; n < RUNS_A_DAY / STEPS_A_DAY; n += 1) runs.push(await kept.submit(oneRun()));
    written += (await bytesOfContents(kept)) - before;
    kept.clock.forward(DAY_MS / STEPS_A_DAY);
    if (day < days - UNSWEPT_DAYS) await sweepAll(kept);
  }
  await kept.caughtUp();
  const line = { day: day + 1, ...(await sizes(kept)) };
  table.push(line);
  const seconds = ((performance.now() - began) / 1_000).toFixed(0);
  console.log(
    `day ${line.day}: log ${mb(line.file)} MB, contents ${mb(line.contents)} MB, views ${mb(line.views)} MB; ${seconds} s`,
  );
}

report();
await compareRebuilt();
// The real server goes on in the folder.
await kept.closeStores();
const server = await startServer({
  folder: kept.folder,
  stores: {},
  key: team.key,
  project: kept.project_id,
  runs,
  resultsARun: resultsADay / RUNS_A_DAY,
  results: [],
});
await measurePosts(server);
await server.stop();
console.log(`the folder stays: ${kept.folder}`);
process.exit();

/** A tenth fails with a stack of its own, three tenths have an output, and the others have verdicts alone. */
function oneRun(): Sent[] {
  return Array.from({ length: resultsADay / RUNS_A_DAY }, (_, n): Sent => {
    const test_name = testName(n);
    const text = (bytes: number) => randomBytes((bytes * 3) / 4).toString('base64');
    if (n % 10 === 0) return { test_name, status: 'Failed', error_message: text(2_000) };
    if (n % 10 <= 3) return { test_name, metadata: { output: text(400) } };
    return { test_name };
  });
}

/** A round works for 250 ms: until the walks find nothing more. */
async function sweepAll(stores: Retained): Promise<void> {
  for (let before = await bytesOfContents(stores), same = 0; same < 2;) {
    stores.clock.forward(WALK_MS);
    await stores.sweep();
    const now = await bytesOfContents(stores);
    same = before === now ? same + 1 : 0;
    before = now;
  }
}

async function bytesOfContents({ contents, project_id }: Retained): Promise<number> {
  return (await contents.bytesOf([project_id])).get(project_id) ?? 0;
}

async function sizes({ folder, ...stores }: Retained): Promise<Omit<Day, 'day'>> {
  const files = await readdir(folder);
  const sizeOf = async (of: string) => {
    const own = files.filter((name) => name.startsWith(of));
    const all = await Promise.all(own.map(async (name) => (await stat(join(folder, name))).size));
    return all.reduce((sum, size) => sum + size, 0);
  };
  return {
    file: (await stat(logFile(folder))).size,
    contents: await bytesOfContents({ folder, ...stores }),
    views: await sizeOf('records'),
  };
}

function report(): void {
  const swept = table.slice(KEPT_DAYS + 1, days - UNSWEPT_DAYS);
  const [first, last] = [swept[0]!, swept.at(-1)!];
  const verdict = (last.file - first.file) / ((last.day - first.day) * resultsADay);
  const ofContents = swept.map((line) => line.file - verdict * line.day * resultsADay);
  const [least, most] = [Math.min(...ofContents), Math.max(...ofContents)];
  const freed = written - table.at(-1)!.contents;
  console.log(`bytes of a verdict: ${verdict.toFixed(0)}`);
  console.log(
    `the log without its verdicts, day ${first.day} to ${last.day}: ${mb(least)} to ${mb(most)} MB (${(((most - least) / least) * 100).toFixed(1)} %)`,
  );
  // Before anything was freed, the file took this much for a byte of contents.
  const full = table[KEPT_DAYS - 2]!;
  const each = (full.file - verdict * full.day * resultsADay) / full.contents;
  const held = last.file - verdict * last.day * resultsADay;
  const back = 1 - (held - each * last.contents) / (each * freed);
  console.log(
    `contents written ${mb(written)} MB, freed ${mb(freed)} MB; the file has ${mb(held)} MB for ${mb(last.contents)} MB of them, so ${(back * 100).toFixed(1)} % of the freed bytes came back`,
  );
}

async function compareRebuilt(): Promise<void> {
  const began = performance.now();
  const rebuilt = await kept.rebuilt();
  let [same, other] = [0, 0];
  for (const run of runs) {
    if ((await digest(kept.views, run)) === (await digest(rebuilt.views, run))) same += 1;
    else other += 1;
  }
  await rebuilt.close();
  console.log(
    `rebuilt views: ${same} runs equal, ${other} not; ${((performance.now() - began) / 1_000).toFixed(0)} s`,
  );
}

async function digest(views: TeamViews, run: string): Promise<string> {
  const hash = createHash('sha256');
  for (let after: Parameters<typeof findResults>[3]['after']; ;) {
    const { items, next } = await findResults(views, wholeTeam(kept.team), run, {
      limit: 1_000,
      ...(after !== undefined && { after }),
    });
    hash.update(JSON.stringify(items));
    if (next === null) return hash.digest('hex');
    after = next;
  }
}

/** In turns without and with a day of contents that goes, because other programs may need the machine meanwhile, too. */
async function measurePosts({ url, key, project, call }: Server): Promise<void> {
  const { body } = await call('POST', '/v1/test/run/', { project_id: project });
  const run = (body as { test_run_id: string }).test_run_id;
  const p99 = async () => {
    const { answered } = await paced({
      url,
      key,
      path: '/v1/test/result/',
      bodies: Array.from({ length: 1_000 }, (_, n) => JSON.stringify(resultBody(n, project, run))),
      connections: 32,
      rate: POSTS_A_SECOND,
      probeEvery: 1_000_000,
      seconds: 15,
    });
    return quantile(answered, 0.99);
  };
  const bytes = () => contentBytes(call, project);
  const cleaned = async () => {
    for (let before = await bytes(), same = 0; same < 3;) {
      await pause(WALK_MS / 2);
      const now = await bytes();
      same = now === before ? same + 1 : 0;
      before = now;
    }
  };
  const [first, file] = [await bytes(), (await stat(logFile(kept.folder))).size];
  await p99();
  await cleaned();
  const [quiet, cleaning]: [number[], number[]] = [[], []];
  for (let days = KEPT_DAYS - 1; days >= 1; days -= 1) {
    quiet.push(await p99());
    const before = await bytes();
    const retention = { contents: `P${days}D`, passed_contents: `P${days}D` };
    await call('PATCH', `/v1/projects/${project}`, { retention });
    while ((await bytes()) >= before) await pause(200);
    cleaning.push(await p99());
    const went = mb(before - (await bytes()));
    console.log(
      `  POST p99: ${quiet.at(-1)!.toFixed(1)} ms, ${cleaning.at(-1)!.toFixed(1)} ms while ${went} MB went`,
    );
    await cleaned();
  }
  const [without, during] = [quantile(quiet, 0.5), quantile(cleaning, 0.5)];
  const more = ((during / without - 1) * 100).toFixed(0);
  console.log(
    `POST p99, medians: ${without.toFixed(1)} ms, ${during.toFixed(1)} ms while it cleans (${more} % more)`,
  );
  const back = file - (await stat(logFile(kept.folder))).size;
  console.log(
    `the server freed ${mb(first - (await bytes()))} MB of contents, and its file shrank by ${mb(back)} MB`,
  );
}

async function contentBytes(call: Server['call'], project: string): Promise<number> {
  const { body } = await call('GET', '/v1/usage');
  const { data } = body as { data: { project_id: string; contents: { bytes: number } }[] };
  return data.find(({ project_id }) => project_id === project)?.contents.bytes ?? 0;
}

function mb(bytes: number): string {
  return (bytes / 1e6).toFixed(1);
}
