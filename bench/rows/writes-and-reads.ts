/** Writes, how soon they are visible, reads and memory, on servers with more and with fewer results stored. */
import { setTimeout as pause } from 'node:timers/promises';
import type { Load } from '../load/load.js';
import {
  bodiesOf,
  CONNECTIONS,
  echoRate,
  lasting,
  newRuns,
  readRate,
  writeRate,
  type Rate,
} from '../load/rates.js';
import { outboxShown, type Server } from '../processes/server.js';
import { compare, quantile, type Row, type Unit } from '../table/table.js';
import { inTurns, undisturbed } from '../table/turns.js';

export type Bench = {
  load: Load;
  /** The URL of the reference. */
  echo: string;
  /** With 10,000 results stored. */
  small: Server;
  /** With more, in ascending order. */
  larger: readonly Stored[];
  turns: number;
  /** The length of one measure. */
  seconds: number;
};

/** A server with this many results stored. */
export type Stored = { results: number; server: Server };

export async function writeRows(bench: Bench): Promise<Row[]> {
  return rateRows(bench, 'durable POST /result/, projected', 0.33, writeRate);
}

export async function readRows(bench: Bench): Promise<Row[]> {
  return rateRows(bench, 'GET /result/{id}', 0.5, readRate);
}

async function rateRows(
  { load, echo, small, larger, turns, seconds }: Bench,
  figure: string,
  atLeast: number,
  rateOf: (load: Load, server: Server) => Rate,
): Promise<Row[]> {
  const servers = serversOf({ small, larger });
  const rates = [echoRate(load, echo, small), ...servers.map((server) => rateOf(load, server))];
  const measures = [];
  for (const rate of rates) measures.push(await undisturbed(() => lasting(rate, seconds)));
  // An outbox folds on for seconds after a load, and would take processor time from the next measure.
  const caughtUp = async () => {
    for (const server of servers) await outboxShown(server);
  };
  await caughtUp();
  const [reference = [], few = [], ...more] = await inTurns(turns, measures, caughtUp);
  return [
    compare({ figure, unit: '/s', measured: few, reference, atLeast, note: 'reference: echo' }),
    ...withMore(larger, '/s', few, more),
  ];
}

function serversOf({ small, larger }: Pick<Bench, 'small' | 'larger'>): Server[] {
  return [small, ...larger.map(({ server }) => server)];
}

/** The same with more results stored, each beside the one with the fewest. */
function withMore(
  larger: readonly Stored[],
  unit: Unit,
  few: readonly number[],
  more: readonly (readonly number[])[],
): Row[] {
  return larger.map(({ results }, n) =>
    compare({
      figure: `  with ${results.toLocaleString('en')} stored, beside 10,000`,
      unit,
      measured: more[n]!,
      reference: few,
      atLeast: 0.8,
    }),
  );
}

/** Measures from the answer to a write until a GET shows it, at half of the rate that the first server reaches. */
export async function visibleRows({ load, small, larger, turns, seconds }: Bench): Promise<Row[]> {
  const notes: string[] = [];
  const top = await (await undisturbed(() => lasting(writeRate(load, small), seconds)))();
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
  const measures = serversOf({ small, larger }).map((server) => p99(server, server === small));
  for (const warmUp of measures) await undisturbed(warmUp);
  const [few = [], ...more] = await inTurns(turns, measures);
  const figure = 'write to visible in a GET, p99';
  return [
    compare({ figure, unit: 'ms', measured: few, reference: 50, atLeast: 1, note: notes.at(-1)! }),
    ...withMore(larger, 'ms', few, more),
  ];
}

const PROBES_A_SECOND = 200;

/** An idle thread collects its garbage after 10 to 15 s (`src/memory/collect-when-idle.ts`). */
const IDLE_MS = 30_000;

/** Of the server with the most results, after writes and reads: at once, and once it is idle. */
export async function memoryRows({ load, small, larger, seconds }: Bench): Promise<Row[]> {
  const { results, server } = larger.at(-1) ?? { results: 10_000, server: small };
  for (const rateOf of [writeRate, readRate]) {
    const measure = await undisturbed(() => lasting(rateOf(load, server), seconds));
    await undisturbed(measure);
  }
  const row = async (figure: string, most: number) =>
    compare({ figure, unit: 'MiB', measured: [await server.residentMiB()], reference: most, atLeast: 1 });
  const atOnce = await row(`resident memory, ${results.toLocaleString('en')} results, after load`, 300);
  await outboxShown(server);
  await pause(IDLE_MS);
  return [atOnce, await row('  once it is idle', 180)];
}
