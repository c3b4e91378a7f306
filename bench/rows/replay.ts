/** The replay: how fast it sends the whole log, and how much live readers slow down writers. */
import { setTimeout as pause } from 'node:timers/promises';
import { startChild } from '../processes/child.js';
import { bodiesOf, lasting, newRuns, writeRate } from '../load/rates.js';
import type { ReplayRequest } from './replay.child.js';
import type { Bench } from './writes-and-reads.js';
import { seedSubmissions } from '../test-data/seed.submissions.js';
import { startServer, type Server } from '../processes/server.js';
import { compare, median, quantile, type Row } from '../table/table.js';
import { inTurns, undisturbed } from '../table/turns.js';

const READERS = 50;
const WRITES = 500;

export async function replayRows({ folder, ...bench }: Bench & { folder: string }): Promise<Row[]> {
  const { small, larger, turns } = bench;
  const whole = await startServer(await seedSubmissions(folder, { runs: 10, items: 10_000 }));
  try {
    return [
      await wholeRow(larger.at(-1)?.server ?? small, turns, 'replay GET /v1/events as NDJSON'),
      await wholeRow(whole, turns, '  of runs submitted whole'),
    ];
  } finally {
    await whole.stop();
  }
}

/** The effect of live readers on writers. */
export async function readerRows(bench: Bench): Promise<Row[]> {
  return [await liveRow(bench), await idleRow(bench)];
}

/** Reads all events, from the first to the last. */
async function wholeRow(server: Server, turns: number, figure: string): Promise<Row> {
  const { url, key, folder } = server;
  const bare = startChild<ReplayRequest, number>('rows/replay.child.js');
  const client = startChild<ReplayRequest, number>('rows/replay.child.js', 'load');
  const scan = () => bare.ask({ bare: { folder } });
  let highest = 0;
  const replay = async () => {
    let over = false;
    const lines = client.ask({ lines: { url: `${url}/v1/events`, key } }).finally(() => (over = true));
    while (!over) {
      highest = Math.max(highest, await server.residentMiB());
      await pause(LOOK_EVERY_MS);
    }
    return lines;
  };
  await undisturbed(scan);
  await undisturbed(replay);
  const before = await server.residentMiB();
  highest = 0;
  const [reference = [], measured = []] = await inTurns(turns, [scan, replay]);
  await Promise.all([bare.stop(), client.stop()]);
  const note = `reference: the same events as whole rows, read and serialised; ${before.toFixed(0)} MiB resident, at most ${highest.toFixed(0)} meanwhile`;
  return compare({ figure, unit: '/s', measured, reference, atLeast: 0.5, note });
}

const LOOK_EVERY_MS = 250;

/** Measures the answers to writes while readers follow their team live. */
async function liveRow({ load, small, turns, seconds }: Bench): Promise<Row> {
  const { url, key, project } = small;
  const notes: number[] = [];
  const writes = async () => {
    const { answered, rate } = await load.paced({
      url,
      key,
      path: '/v1/test/result/',
      bodies: bodiesOf(project, await newRuns(small)),
      connections: 64,
      rate: WRITES,
      probeEvery: Number.MAX_SAFE_INTEGER,
      seconds,
    });
    notes.push(rate);
    return quantile(answered, 0.99);
  };
  const followed = () => whileFollowed(small, key, writes);
  await undisturbed(writes);
  await undisturbed(followed);
  const [reference = [], measured = []] = await inTurns(turns, [writes, followed]);
  const figure = `POST /result/, p99, ${READERS} live readers`;
  const note = `at ${Math.round(median(notes))}/s; reference: without the readers`;
  return compare({ figure, unit: 'ms', measured, reference, atLeast: 1 / 1.2, note });
}

/** Measures writes of one team while readers follow another team, which is idle. */
async function idleRow({ load, small, seconds, turns }: Bench): Promise<Row> {
  const { body } = await small.call('POST', '/v1/teams', { name: 'Another team' });
  const { key } = (body as { data: { key: string } }).data;
  const measure = await undisturbed(() => lasting(writeRate(load, small), seconds));
  const followed = () => whileFollowed(small, key, measure);
  const [reference = [], measured = []] = await inTurns(turns, [measure, followed]);
  const figure = `  top rate, ${READERS} readers of an idle team`;
  return compare({ figure, unit: '/s', measured, reference, atLeast: 0.9 });
}

async function whileFollowed<T>({ url }: Server, key: string, work: () => Promise<T>): Promise<T> {
  const readers = startChild<ReplayRequest, number>('rows/replay.child.js', 'load');
  try {
    const after = await endOf(url, key);
    await readers.ask({ follow: { url: `${url}/v1/events`, key, after, readers: READERS } });
    return await work();
  } finally {
    await readers.stop();
  }
}

/** Returns the position of the newest event. */
async function endOf(url: string, key: string): Promise<string> {
  for (let after = ''; ;) {
    const response = await fetch(`${url}/v1/events?types=TeamCreated&after=${after}`, {
      headers: { authorization: key },
    });
    const { next, caught_up } = (await response.json()) as { next: string; caught_up: boolean };
    if (caught_up) return next;
    after = next;
  }
}
