/**
 * Two processes that answer HTTP, beside one process that does everything (docs/decisions/028-http-workers.md): requests a
 * second, and the processor time of the busiest main thread and of all threads. A machine of two processors has no third
 * one for the load, so the generator is one that takes little.
 */
import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { setTimeout as pause } from 'node:timers/promises';
import { CONNECTIONS, newRuns, postsOf, readsOf } from '../load/rates.js';
import type { Request } from 'autocannon';
import { startRawLoad, type RawLoad } from '../load/raw-load.js';
import { seed } from '../test-data/seed.js';
import { outboxShown, startServer, type Server } from '../processes/server.js';
import { compare, type Row } from '../table/table.js';
import { inTurns } from '../table/turns.js';
import { processorSeconds } from '../processes/usage.js';

const WORKERS = 2;
/** By then the workers have evened out new connections (`src/roles/http-workers/balance.ts`). */
const EVENED_OUT_MS = 5_000;
const WARM_UP = 10_000;

type Options = { turns: number; seconds: number };

/** What one measure found. `busiest` and `all`: microseconds a request, of the main threads and of all threads. */
type Measured = { rate: number; busiest: number; all: number };

export async function httpWorkerRows(folder: string, options: Options): Promise<Row[]> {
  const load = startRawLoad();
  const one = await startServer(await seed(join(folder, 'one'), { results: 10_000 }));
  const many = await startServer(await seed(join(folder, 'many'), { results: 10_000 }), {
    httpWorkers: WORKERS,
  });
  const both: [Server, Server] = [one, many];
  const posts = async (server: Server) => postsOf(server, await newRuns(server));
  const rows = [
    ...(await rowsOf('durable POST /result/', load, both, posts, options)),
    ...(await rowsOf('GET /result/{id}', load, both, async (server) => readsOf(server), options)),
  ];
  await Promise.all([load.stop(), one.stop(), many.stop()]);
  return rows;
}

async function rowsOf(
  figure: string,
  load: RawLoad,
  servers: [Server, Server],
  requestsOf: (server: Server) => Promise<Request[]>,
  { turns, seconds }: Options,
): Promise<Row[]> {
  const found: [Measured[], Measured[]] = [[], []];
  const measureOf = (server: Server, n: 0 | 1) => async () => {
    const measured = await measure(load, server, await requestsOf(server), seconds);
    found[n].push(measured);
    return measured.rate;
  };
  const settled = async () => void (await Promise.all(servers.map(outboxShown)));
  const [reference = [], measured = []] = await inTurns(
    turns,
    [measureOf(servers[0], 0), measureOf(servers[1], 1)],
    settled,
  );
  // A turn that was measured again has left its first values in `found`.
  const ofOne = reference.map((rate) => found[0].find((each) => each.rate === rate)!);
  const ofMany = measured.map((rate) => found[1].find((each) => each.rate === rate)!);
  const processor = (name: string, field: 'busiest' | 'all', atLeast: number): Row =>
    compare({
      figure: `… processor time of ${name}, a request`,
      unit: 'µs',
      measured: ofMany.map((each) => each[field]),
      reference: ofOne.map((each) => each[field]),
      atLeast,
      note: 'reference: one process',
    });
  return [
    compare({
      figure: `${figure}, HTTP_WORKERS=${WORKERS}`,
      unit: '/s',
      // A copy, so that the row shows no processor time: that of a turn includes the warm-up.
      measured: [...measured],
      reference,
      atLeast: null,
      note: 'reference: one process',
    }),
    processor('the busiest main thread', 'busiest', 2),
    processor('all threads', 'all', 1 / 1.1),
  ];
}

async function measure(
  load: RawLoad,
  server: Server,
  requests: Request[],
  seconds: number,
): Promise<Measured> {
  await load.open({ port: Number(new URL(server.url).port), connections: CONNECTIONS, requests });
  const warm = await Promise.all([load.measure(WARM_UP), pause(EVENED_OUT_MS)]);
  const amount = Math.max(WARM_UP, Math.round((WARM_UP / warm[0]) * seconds));
  const processes = [server.pid, ...workersOf(server)];
  const before = processes.map(secondsOf);
  const took = await load.measure(amount);
  const used = processes.map((pid, n) => {
    const now = secondsOf(pid);
    return { main: now.main - before[n]!.main, all: now.all - before[n]!.all };
  });
  await load.close();
  return {
    rate: amount / took,
    busiest: (Math.max(...used.map(({ main }) => main)) * 1e6) / amount,
    all: (used.reduce((sum, { all }) => sum + all, 0) * 1e6) / amount,
  };
}

function workersOf({ pid }: Server): number[] {
  const text = readFileSync(`/proc/${pid}/task/${pid}/children`, 'utf8').trim();
  return text === '' ? [] : text.split(' ').map(Number);
}

/** Zero where the system does not say. */
function secondsOf(pid: number): { main: number; all: number } {
  return { main: processorSeconds(pid, pid) ?? 0, all: processorSeconds(pid) ?? 0 };
}
