/** Two processes that answer HTTP, beside one process that does everything (docs/decisions/028-http-workers.md). */
import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { startLoad } from './load.js';
import { lasting, postRate, readRate, type Rate } from './rates.js';
import { seed } from './seed.js';
import { startServer, type Server } from './server.js';
import { compare, median, type Row } from './table.js';
import { inTurns, undisturbed } from './turns.js';
import { processorSeconds, watchUsage } from './usage.js';

const WORKERS = 2;

type Options = { turns: number; seconds: number };

export async function httpWorkerRows(folder: string, options: Options): Promise<Row[]> {
  const load = startLoad();
  const one = await startServer(await seed(join(folder, 'one'), { results: 10_000 }));
  const many = await startServer(await seed(join(folder, 'many'), { results: 10_000 }), {
    httpWorkers: WORKERS,
  });
  const watched = workersOf(many).map(watchUsage);
  const rows = [
    await row(`durable POST /result/, HTTP_WORKERS=${WORKERS}`, [one, many], options, (server) =>
      postRate(load, server),
    ),
    await row(`GET /result/{id}, HTTP_WORKERS=${WORKERS}`, [one, many], options, (server) =>
      readRate(load, server),
    ),
  ];
  for (const end of watched) end();
  await Promise.all([load.stop(), one.stop(), many.stop()]);
  return rows;
}

async function row(
  figure: string,
  [one, many]: [Server, Server],
  { turns, seconds }: Options,
  rateOf: (server: Server) => Rate,
): Promise<Row> {
  const busiest: number[][] = [[], []];
  const measures = [];
  for (const [n, server] of [one, many].entries()) {
    const measured = rateOf(server);
    const rate: Rate = async (amount) => {
      const threads = [server.pid, ...workersOf(server)];
      const before = threads.map(mainThreadSeconds);
      const reached = await measured(amount);
      const used = threads.map((pid, at) => mainThreadSeconds(pid) - before[at]!);
      busiest[n]!.push((Math.max(...used) * 1_000_000) / amount);
      return reached;
    };
    measures.push(await undisturbed(() => lasting(rate, seconds)));
  }
  const [reference = [], measured = []] = await inTurns(turns, measures);
  const [ofOne, ofMany] = busiest.map((each) => `${median(each).toFixed(0)} µs`);
  const note = `reference: one process; its main thread takes ${ofOne} a request, the busiest of these ${ofMany}`;
  return compare({ figure, unit: '/s', measured, reference, atLeast: null, note });
}

function workersOf({ pid }: Server): number[] {
  const text = readFileSync(`/proc/${pid}/task/${pid}/children`, 'utf8').trim();
  return text === '' ? [] : text.split(' ').map(Number);
}

/** 0 where the system does not say. */
function mainThreadSeconds(pid: number): number {
  return processorSeconds(pid, pid) ?? 0;
}
