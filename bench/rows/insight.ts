/** Runs from many shards, and what is new in them: how fast they are taken, and how soon the answers are there. */
import { randomUUID } from 'node:crypto';
import { setTimeout as pause } from 'node:timers/promises';
import { submissionBody } from '../test-data/test-results.js';
import { startLoad, type Load } from '../load/load.js';
import { within, type Server } from '../processes/server.js';
import { compare, quantile, type Row } from '../table/table.js';
import { inTurns, undisturbed } from '../table/turns.js';

const SHARDS = 200;
const ITEMS = 250;
const RESULTS = SHARDS * ITEMS;
/** Every tenth result fails. */
const FAILING = RESULTS / 10;
const CLIENTS = 40;
const CONNECTIONS = 8;
const ENOUGH_MS = { ready: 1_000, page: 50 };
/** Of a run that is sent at a steady pace: it takes 25 s, 120,000 results a minute. */
const SHARDS_A_SECOND = 8;
const REQUESTS = 50;

type Options = { turns: number; seconds: number };

/** Shards of one run beside submissions of the same items that are runs of their own. */
export async function shardedRow(server: Server, { turns, seconds }: Options): Promise<Row> {
  const load = startLoad();
  const { results } = submissionBody(server.project, ITEMS);
  const rate = async (amount: number, body: (n: number) => object) => {
    const requests = Array.from({ length: amount }, (_, n) => post(server, { ...body(n), results }));
    const { began, ended } = await load.burst({
      url: server.url,
      connections: CONNECTIONS,
      amount,
      requests,
      eachOnce: true,
    });
    return (amount * ITEMS) / ((ended - began) / 1_000);
  };
  const project_id = server.project;
  const single = (amount: number) => rate(amount, () => ({ project_id }));
  const sharded = (amount: number) => {
    const run_key = randomUUID();
    return rate(amount, (n) => ({ project_id, run_key, shard: { index: n + 1, total: amount } }));
  };
  const warm = await undisturbed(() => single(40));
  await undisturbed(() => sharded(40));
  const wanted = Math.min(SHARDS, Math.max(40, (warm * seconds) / ITEMS));
  // A multiple, because each connection sends the same number of shards.
  const amount = Math.floor(wanted / CONNECTIONS) * CONNECTIONS;
  const [reference = [], measured = []] = await inTurns(turns, [() => single(amount), () => sharded(amount)]);
  await load.stop();
  return compare({
    figure: 'shards of one run: results',
    unit: '/s',
    measured,
    reference,
    atLeast: 0.9,
    note: `${amount} shards of ${ITEMS}; reference: the same items as runs of their own`,
  });
}

/** From the answer to the last shard until the comparison of the run is there, and then its pages. */
export async function comparisonRows(server: Server, turns: number): Promise<Row[]> {
  const load = startLoad();
  const before = await shardedRun(server, load, { branch: 'main', shift: 0 });
  await comparedAt(server, before.run);
  const ready: number[] = [];
  const paced: number[] = [];
  const pages: number[][] = [[], [], []];
  for (let turn = 0; turn < turns; turn += 1) {
    const { run, ended } = await shardedRun(server, load, { branch: 'feature', shift: 1 + turn });
    ready.push((await comparedAt(server, run)) - ended);
    const paths = [
      `/v1/test-runs/${run}/comparison/new_failures?per_page=100`,
      `/v1/test-runs/${run}/comparison/new_failures?page=${FAILING / 100}&per_page=100`,
      `/v1/test-runs/${run}/failures?per_page=100`,
    ];
    for (const [n, path] of paths.entries()) pages[n]!.push(await slowest(server, path));
  }
  for (let turn = 0; turn < turns; turn += 1) {
    const sent = { branch: 'feature', shift: 1 + turns + turn, aSecond: SHARDS_A_SECOND };
    const { run, ended } = await shardedRun(server, load, sent);
    paced.push((await comparedAt(server, run)) - ended);
  }
  await load.stop();
  const ms = { unit: 'ms', atLeast: 1 } as const;
  const named = [
    'comparison: first page, p99',
    '  last page of the failures, p99',
    '  groups of the run, p99',
  ];
  const what = `${RESULTS.toLocaleString('en')} results, ${FAILING.toLocaleString('en')} of them failing`;
  return [
    compare({
      ...ms,
      figure: 'last shard answered to comparison, longest',
      measured: [quantile(ready, 1)],
      reference: ENOUGH_MS.ready,
      note: `${what}, in ${SHARDS} shards by ${CLIENTS} clients as fast as they are answered; ${turns} runs, median ${quantile(ready, 0.5).toFixed(0)} ms`,
    }),
    compare({
      ...ms,
      figure: '  of a run whose shards take 25 s, longest',
      measured: [quantile(paced, 1)],
      reference: ENOUGH_MS.ready,
      note: `the same run at ${(SHARDS_A_SECOND * ITEMS * 60).toLocaleString('en')} results a minute; ${turns} runs, median ${quantile(paced, 0.5).toFixed(0)} ms`,
    }),
    ...named.map((figure, n) =>
      compare({
        ...ms,
        figure,
        measured: pages[n]!,
        reference: ENOUGH_MS.page,
        note: n === 0 ? `${what}; one request at a time` : '',
      }),
    ),
  ];
}

/** The time from the answer to a run until its comparison is there, with few and with many runs before it. */
export async function comparisonHistoryRow(server: Server, turns: number): Promise<Row> {
  const { body } = await server.call('POST', '/v1/projects', { name: 'History' });
  const project_id = (body as { data: { id: string } }).data.id;
  const { results } = submissionBody(project_id, 1_000);
  const submit = async (branch: string) => {
    const sent = { project_id, metadata: { branch }, results };
    const made = (await server.call('POST', '/v1/test-runs', sent)).body as { data: { id: string } };
    const answered = performance.now();
    await comparedAt(server, made.data.id);
    return performance.now() - answered;
  };
  const measure = async () => {
    const times: number[] = [];
    for (let n = 0; n < turns * 3; n += 1) times.push(await submit('feature'));
    return quantile(times, 0.5);
  };
  for (let n = 0; n < 10; n += 1) await submit('main');
  const few = await undisturbed(measure);
  const { results: small } = submissionBody(project_id, 10);
  for (let n = 0; n < 1_000; n += 1) {
    await server.call('POST', '/v1/test-runs', { project_id, metadata: { branch: 'other' }, results: small });
  }
  const many = await undisturbed(measure);
  return compare({
    figure: 'run of 1,000 results to its comparison, 1,000 runs before',
    unit: 'ms',
    measured: [many],
    reference: [few],
    atLeast: 0.8,
    note: 'median; reference: with 10 runs before it',
  });
}

type Submitted = { run: string; ended: number };

/** `aSecond`: the shards of each second; if it is left out, they are sent as fast as they are answered. */
type ShardedRun = { branch: string; shift: number; aSecond?: number };

/** One run of 50,000 results in shards; every tenth result fails, others with each `shift`. Ends with the last answer. */
export async function shardedRun(
  server: Server,
  load: Load,
  { branch, shift, aSecond }: ShardedRun,
): Promise<Submitted> {
  const { url, project: project_id } = server;
  const run_key = randomUUID();
  const requests = Array.from({ length: SHARDS }, (_, shard) => {
    const results = Array.from({ length: ITEMS }, (_each, item) => resultOf(shard * ITEMS + item, shift));
    const sent = { project_id, run_key, metadata: { branch }, shard: { index: shard + 1, total: SHARDS } };
    return post(server, { ...sent, results });
  });
  const send = (part: typeof requests, connections: number) =>
    load.burst({ url, connections, amount: part.length, requests: part, eachOnce: true });
  const began = performance.now();
  const atOnce = aSecond ?? SHARDS;
  let ended = 0;
  for (let from = 0; from < SHARDS; from += atOnce) {
    await pause(Math.max(0, began + (from / atOnce) * 1_000 - performance.now()));
    ({ ended } = await send(requests.slice(from, from + atOnce), aSecond ?? CLIENTS));
  }
  // While the read models are behind, the list may not have the run yet.
  const run = await within(600_000, 'the run', async () => {
    const query = `project_id=${project_id}&run_key=${run_key}`;
    const { body } = await server.call('GET', `/v1/test-runs?${query}`);
    return (body as { data: { id: string }[] }).data[0]?.id ?? null;
  });
  return { run, ended: ended - performance.timeOrigin };
}

function resultOf(n: number, shift: number) {
  const duration_ms = n % 1_000;
  const name = `insight suite ${n % 100} test ${n}`;
  if ((n + shift) % 10 !== 0) return { name, status: 'passed', duration_ms };
  const stack = `AssertionError: expected ${n} to equal 2\n    at Context.<anonymous> (src/page-${n % 40}.ts:${n % 90}:7)`;
  return {
    name,
    status: 'failed',
    duration_ms,
    metadata: { error: { message: `expected ${n} to equal 2`, stack } },
  };
}

/** Waits until the comparison of a run's completion is there; the time then. */
export async function comparedAt(server: Server, run: string): Promise<number> {
  return within(600_000, 'the comparison', async () => {
    const { body, behind } = await server.call('GET', `/v1/test-runs/${run}`);
    return !behind && (body as { data: { gate: unknown } }).data.gate !== null ? performance.now() : null;
  });
}

async function slowest({ call }: Server, path: string): Promise<number> {
  const times: number[] = [];
  for (let n = 0; n < REQUESTS; n += 1) {
    const began = performance.now();
    await call('GET', path);
    times.push(performance.now() - began);
  }
  return quantile(times, 0.99);
}

function post({ key }: Server, body: object) {
  const headers = { authorization: key, 'content-type': 'application/json' };
  return { method: 'POST' as const, path: '/v1/test-runs', headers, body: JSON.stringify(body) };
}
