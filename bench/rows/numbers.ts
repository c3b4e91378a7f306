/** Numbers of a long history: its statistics, its table for analysts, and a run as of a moment of the past. */
import { mkdtemp } from 'node:fs/promises';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { dayOf } from '../../src/domain/instant.js';
import { measureNode, type Measured } from '../processes/command.js';
import { outboxShown, startServer, type Server } from '../processes/server.js';
import { metered } from '../processes/usage.js';
import { compare, median, quantile, type Compared, type Row } from '../table/table.js';
import { undisturbed } from '../table/turns.js';
import { seedSubmissions } from '../test-data/seed.submissions.js';
import { submissionBody } from '../test-data/test-results.js';

const DAYS = 400;
const DAY_MS = 86_400_000;
const REQUESTS = 50;
const ENOUGH_MS = { statistics: 50, first: 2_000, again: 100 };
const ENOUGH_OF_TABLE = { ms: 60_000, addedMs: 3_000, MiB: 300 };
const ADDED = 10_000;
const AS_OF = { results: 50_000, failing: 1_000, others: 2_000, ofEach: 25 };

type Sizes = { runs: number; items: number };

/** Of one run after the other, over 400 days. */
export async function statisticsRows(folder: string, { runs, items }: Sizes): Promise<Row[]> {
  const server = await startServer(await seedSubmissions(folder, { runs, items, failing: 100, days: DAYS }));
  await outboxShown(server);
  const today = Date.now();
  const window = `from=${dayAt(today - (DAYS - 1) * DAY_MS)}&to=${dayAt(today)}`;
  const path = `/v1/projects/${server.project}`;
  const queries = ['by=day', 'by=week', 'by=day&branch=main'];
  const { value: times, usage } = await metered(async () => {
    const all: number[] = [];
    for (const query of queries) all.push(...(await timesOf(server, `${path}/stats?${window}&${query}`)));
    return all;
  });
  const each = ((usage?.processorSeconds ?? NaN) * 1_000) / times.length;
  const sorted = `${path}/tests?sort=duration&${window}`;
  const anew: number[] = [];
  for (let n = 0; n < REQUESTS / 5; n += 1) {
    await submit(server, 25);
    anew.push(await undisturbed(() => timeOf(server, sorted)));
  }
  const rows = [
    inMs('statistics of 400 days, p99', [quantile(times, 0.99)], ENOUGH_MS.statistics, {
      note: `${(runs * items).toLocaleString('en')} results; by day, by week and of a branch; median ${quantile(times, 0.5).toFixed(1)} ms, ${each.toFixed(1)} ms of the processor`,
    }),
    inMs('  tests by duration, after a new run, median', anew, ENOUGH_MS.statistics),
    ...(await tableRows(server, folder)),
  ];
  await server.stop();
  return rows;
}

/** `testledger export results` to a folder of Parquet, and what came since. */
async function tableRows(server: Server, folder: string): Promise<Row[]> {
  let to = '';
  const whole = await undisturbed(async () => exported(server, (to = await mkdtemp(join(folder, 'table-')))));
  const added: Measured[] = [];
  for (let n = 0; n < 3; n += 1) {
    await submit(server, ADDED);
    added.push(await exported(server, to, '--resume'));
  }
  const { ms, addedMs, MiB } = ENOUGH_OF_TABLE;
  const processor = (all: readonly Measured[]) =>
    `${median(all.map(({ processorSeconds }) => processorSeconds)).toFixed(1)} s of the processor for the command`;
  return [
    inMs('export of all results to Parquet', [whole.seconds * 1_000], ms, { note: processor([whole]) }),
    compare({
      figure: '  resident memory of the command',
      unit: 'MiB',
      measured: [whole.peakMiB],
      reference: MiB,
      atLeast: 1,
    }),
    inMs(`  ${ADDED.toLocaleString('en')} more`, millisecondsOf(added), addedMs, { note: processor(added) }),
  ];
}

const main = fileURLToPath(new URL('../../program/cli.js', import.meta.url));

function exported({ url, key }: Server, to: string, ...options: string[]): Promise<Measured> {
  return measureNode([main, 'export', 'results', '--to', to, ...options], {
    env: { ...process.env, TESTLEDGER_URL: url, TESTLEDGER_API_KEY: key },
  });
}

function millisecondsOf(all: readonly Measured[]): number[] {
  return all.map(({ seconds }) => seconds * 1_000);
}

/** A large run beside many small ones. In each turn a new process answers, whose first question it is. */
export async function asOfRows(folder: string, turns: number): Promise<Row[]> {
  const { results, failing, others, ofEach } = AS_OF;
  const seeded = await seedSubmissions(folder, { runs: others, items: ofEach });
  let server = await startServer(seeded);
  const run = await submit(server, results, failing);
  const path = `/v1/test-runs/${run}`;
  const at = await positionOf(server, path);
  const moments: string[] = [];
  for (let turn = 0; turn < turns; turn += 1) {
    await submit(server, ofEach);
    moments.push(await positionOf(server, path));
  }
  // The newest position is no past.
  await submit(server, ofEach);
  const first: number[] = [];
  const further: number[] = [];
  const processor: number[] = [];
  const again: number[] = [];
  for (let turn = 0; turn < turns; turn += 1) {
    const { value, usage } = await undisturbed(async () => {
      await server.stop();
      server = await startServer(seeded);
      return metered(() => timeOf(server, `${path}?as_of=${at}`));
    });
    first.push(value);
    processor.push(usage?.processorSeconds ?? NaN);
    for (const of of ['', '/results', '/failures', '/comparison'])
      again.push(...(await timesOf(server, `${path}${of}?as_of=${at}`)));
    further.push(await timeOf(server, `${path}?as_of=${moments[turn]}`));
  }
  await server.stop();
  const what = `${results.toLocaleString('en')} results, ${failing.toLocaleString('en')} of them failing, beside ${others.toLocaleString('en')} runs of ${ofEach}`;
  return [
    inMs('a run as of a moment, the first answer of a process', first, ENOUGH_MS.first, {
      note: `${what}; ${median(processor).toFixed(1)} s of the processor with its other threads`,
    }),
    inMs('  of another moment', further, ENOUGH_MS.first),
    inMs('  again, p99', [quantile(again, 0.99)], ENOUGH_MS.again, {
      note: 'the run, its results, failures and comparison',
    }),
  ];
}

function inMs(
  figure: string,
  measured: readonly number[],
  reference: number,
  { note = '' }: Pick<Compared, 'note'> = {},
): Row {
  return compare({ figure, unit: 'ms', measured, reference, atLeast: 1, note });
}

function dayAt(ms: number): string {
  return dayOf(new Date(ms).toISOString());
}

/** The id of the run, once its comparison can be seen. `failing`: left out, as many as in other rows. */
async function submit(server: Server, count: number, failing?: number): Promise<string> {
  const { results, ...body } = submissionBody(server.project, count);
  const every = failing === undefined ? null : count / failing;
  const own = results.map((result, n) =>
    every === null
      ? result
      : { ...result, name: `of the large run ${n}`, status: n % every === 0 ? 'failed' : 'passed' },
  );
  const made = await server.call('POST', '/v1/test-runs', { ...body, results: own });
  await outboxShown(server);
  return (made.body as { data: { id: string } }).data.id;
}

async function positionOf({ url, key }: Server, path: string): Promise<string> {
  const { headers } = await fetch(url + path, { headers: { authorization: key } });
  const position = headers.get('x-as-of');
  if (position === null) throw new Error(`${path} does not say of which position it is`);
  return position;
}

async function timesOf(server: Server, path: string): Promise<number[]> {
  const times: number[] = [];
  for (let n = 0; n < REQUESTS; n += 1) times.push(await timeOf(server, path));
  return times;
}

async function timeOf({ call }: Server, path: string): Promise<number> {
  const began = performance.now();
  await call('GET', path);
  return performance.now() - began;
}
