/** The rows of the table, in groups. Each measure takes turns with its reference. */
import { startChild } from './child.js';
import type { Load } from './load.js';
import {
  bodiesOf,
  CONNECTIONS,
  echoRate,
  lasting,
  newRuns,
  readRate,
  writeRate,
  type Rate,
} from './rates.js';
import type { RebuildOptions } from './rebuild.child.js';
import type { Server } from './server.js';
import { compare, median, quantile, type Row } from './table.js';
import { inTurns, undisturbed } from './turns.js';

export type Bench = {
  load: Load;
  /** The URL of the reference. */
  echo: string;
  /** With 10,000 results stored. */
  small: Server;
  /** With 1,000,000; null in a bench without it. */
  large: Server | null;
  turns: number;
  /** The length of one measure. */
  seconds: number;
};

const MANY = 'with 1,000,000 stored, beside 10,000';

/** `top`: writes a second with few results stored. */
export async function writeRows(bench: Bench): Promise<{ rows: Row[]; top: number }> {
  const figure = 'durable POST /result/, projected';
  const { rows, rate } = await rateRows(bench, figure, 0.33, writeRate);
  return { rows, top: rate };
}

export async function readRows(bench: Bench): Promise<Row[]> {
  return (await rateRows(bench, 'GET /result/{id}', 0.6, readRate)).rows;
}

async function rateRows(
  { load, echo, small, large, turns, seconds }: Bench,
  figure: string,
  atLeast: number,
  rateOf: (load: Load, server: Server) => Rate,
): Promise<{ rows: Row[]; rate: number }> {
  const rates = [echoRate(load, echo, small), ...servers(small, large).map((server) => rateOf(load, server))];
  const measures = [];
  for (const rate of rates) measures.push(await undisturbed(() => lasting(rate, seconds)));
  const [reference = [], few = [], many] = await inTurns(turns, measures);
  const rows = [
    compare({ figure, unit: '/s', measured: few, reference, atLeast, note: 'reference: echo' }),
    ...(many === undefined
      ? []
      : [compare({ figure: `  ${MANY}`, unit: '/s', measured: many, reference: few, atLeast: 0.8 })]),
  ];
  return { rows, rate: median(few) };
}

/** Measures from the answer to a write until a GET shows it, at half of `top` writes a second. */
export async function visibleRows(
  { load, small, large, turns, seconds }: Bench,
  top: number,
): Promise<Row[]> {
  const notes: string[] = [];
  const p99 = (server: Server, note: boolean) => async () => {
    const { url, key, project } = server;
    const rate = top / 2;
    const { visible, rate: reached } = await load.paced({
      url,
      key,
      path: '/v1/test/result/',
      bodies: bodiesOf(project, await newRuns(server)),
      connections: CONNECTIONS,
      rate,
      probeEvery: Math.max(1, Math.round(rate / PROBES_A_SECOND)),
      seconds,
    });
    if (note) notes.push(`p50 ${quantile(visible, 0.5).toFixed(1)} ms at ${Math.round(reached)}/s`);
    return quantile(visible, 0.99);
  };
  const measures = servers(small, large).map((server) => p99(server, server === small));
  for (const warmUp of measures) await undisturbed(warmUp);
  const [few = [], many] = await inTurns(turns, measures);
  const figure = 'write to visible in a GET, p99';
  return [
    compare({ figure, unit: 'ms', measured: few, reference: 50, atLeast: 1, note: notes.at(-1)! }),
    ...(many === undefined
      ? []
      : [compare({ figure: `  ${MANY}`, unit: 'ms', measured: many, reference: few, atLeast: 0.8 })]),
  ];
}

const PROBES_A_SECOND = 200;

/** Folds the whole log again, in a process of its own. */
export async function rebuildRow(folder: string, turns: number, figure: string, note: string): Promise<Row> {
  const child = startChild<RebuildOptions, number[]>('./rebuild.child.js');
  const measured = await child.ask({ folder, times: turns });
  await child.stop();
  return compare({ figure, unit: '/s', measured, reference: 50_000, atLeast: 1, note });
}

export async function memoryRow(server: Server): Promise<Row> {
  const figure = 'resident memory, 1,000,000 results, after load';
  const measured = [await server.residentMiB()];
  return compare({ figure, unit: 'MiB', measured, reference: 300, atLeast: 1 });
}

function servers(small: Server, large: Server | null): Server[] {
  return large === null ? [small] : [small, large];
}
