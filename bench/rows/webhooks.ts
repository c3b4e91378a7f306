/** Webhooks: how fast messages are delivered, and how soon after a result's answer. */
import { setTimeout as pause } from 'node:timers/promises';
import { startChild, type Child } from '../processes/child.js';
import type { PostOptions } from './post.child.js';
import type { Arrival, ReceiverAnswer, ReceiverRequest } from './receiver.child.js';
import { seed } from '../test-data/seed.js';
import { startServer, type Server } from '../processes/server.js';
import { compare, median, quantile, type Row } from '../table/table.js';
import { inTurns, undisturbed } from '../table/turns.js';

type Receiver = Child<ReceiverRequest, ReceiverAnswer>;

const ENDPOINTS = 10;
/** The dispatcher sends this many at once to one endpoint. */
const AT_ONCE = 8;
const MESSAGES = 4_000;
const RATE = 50;
const BOUND_MS = 1_000;
const PROFILED_TURNS = 5;

export async function deliveriesRow(folder: string, turns: number): Promise<Row> {
  return withEndpoints(folder, (server, receiver, [url]) => deliveryRow(server, receiver, url!, turns));
}

export async function firstAttemptRows(folder: string, turns: number, seconds: number): Promise<Row[]> {
  return withEndpoints(folder, async (server, receiver, urls) => {
    for (const url of urls.slice(0, -1)) await register(server, url);
    const calm = await latencyRow(server, receiver, { turns, seconds, hangs: false });
    await register(server, new URL('/hang', urls[0]).href);
    const hanging = await latencyRow(server, receiver, { turns, seconds, hangs: true });
    return [calm, hanging];
  });
}

async function withEndpoints<T>(
  folder: string,
  measure: (server: Server, receiver: Receiver, urls: readonly string[]) => Promise<T>,
): Promise<T> {
  const seeded = await seed(folder, { results: 1_000 });
  const server = await startServer({ ...seeded, stores: { WEBHOOK_ALLOW: '127.0.0.0/8' } });
  const receiver: Receiver = startChild('rows/receiver.child.js', 'load');
  try {
    const answer = await receiver.ask({ listen: { endpoints: ENDPOINTS } });
    return await measure(server, receiver, 'urls' in answer ? answer.urls : []);
  } finally {
    await receiver.stop();
    await server.stop();
  }
}

async function register(server: Server, url: string): Promise<void> {
  await server.call('POST', '/v1/webhooks', { url, events: ['test.failed'] });
}

/** Deliveries a second to one endpoint, on a server that runs already: for a profile. */
export async function deliveryRate(server: Server): Promise<number> {
  const receiver: Receiver = startChild('rows/receiver.child.js', 'load');
  try {
    const answer = await receiver.ask({ listen: { endpoints: 1 } });
    await register(server, 'urls' in answer ? answer.urls[0]! : '');
    let rate = 0;
    for (let turn = 0; turn < PROFILED_TURNS; turn += 1) rate = rateOf(await deliver(server, receiver));
    return rate;
  } finally {
    await receiver.stop();
  }
}

/** Failures of one submission, each of a test of its own, to one endpoint: from the first arrival to the last. */
async function deliveryRow(server: Server, receiver: Receiver, url: string, turns: number): Promise<Row> {
  await register(server, url);
  const bare = startChild<PostOptions, number>('rows/post.child.js');
  let bodies: string[] = [];
  const deliveries = async () => {
    const came = await deliver(server, receiver);
    bodies = came.map(({ body }) => body);
    return rateOf(came);
  };
  const reference = async () => {
    const rate = await bare.ask({ url, bodies, atOnce: AT_ONCE });
    await arrived(receiver, MESSAGES);
    return rate;
  };
  await undisturbed(deliveries);
  await undisturbed(reference);
  const [measured = [], references = []] = await inTurns(turns, [deliveries, reference]);
  await bare.stop();
  const note = `to one endpoint, ${AT_ONCE} at once; reference: a bare client posts the same bodies`;
  return compare({
    figure: 'deliveries',
    unit: '/s',
    measured,
    reference: references,
    atLeast: 0.3,
    note,
  });
}

/** One submission of failures, until each was delivered. */
async function deliver(server: Server, receiver: Receiver): Promise<Arrival[]> {
  const results = Array.from({ length: MESSAGES }, (_, n) => ({
    name: `fails as it always does ${n}`,
    status: 'failed',
    duration_ms: n,
  }));
  await server.call('POST', '/v1/test-runs', { project_id: server.project, results });
  return arrived(receiver, MESSAGES);
}

/** Arrivals a second, from the first to the last. */
function rateOf(came: readonly Arrival[]): number {
  return came.length / ((came.at(-1)!.at - came[0]!.at) / 1_000);
}

/** From the answer to the POST of a failure to the arrival of the first attempt, over all endpoints that answer. */
async function latencyRow(
  server: Server,
  receiver: Receiver,
  { turns, seconds, hangs }: { turns: number; seconds: number; hangs: boolean },
): Promise<Row> {
  const answering = ENDPOINTS - 1;
  const medians: number[] = [];
  const measure = async () => {
    const answered = new Map<string, number>();
    const count = RATE * seconds;
    const began = performance.now();
    await Promise.all(
      Array.from({ length: count }, async (_, n) => {
        await pause((n * 1_000) / RATE - (performance.now() - began));
        const result = { project_id: server.project, test_name: `fails ${n}`, status: 'Failed' };
        const { body } = await server.call('POST', '/v1/test/result/', result);
        const at = performance.timeOrigin + performance.now();
        answered.set((body as { test_result_id: string }).test_result_id, at);
      }),
    );
    const came = await arrived(receiver, count * answering);
    const waits = came.map(({ subject, at }) => Math.max(0, at - answered.get(subject)!));
    medians.push(quantile(waits, 0.5));
    return quantile(waits, 0.99);
  };
  await undisturbed(measure);
  medians.length = 0;
  const [measured = []] = await inTurns(turns, [measure]);
  const figure = hangs ? '  while 1 of 10 endpoints hangs' : 'commit to first attempt, p99';
  const note = `p50 ${median(medians).toFixed(0)} ms; ${RATE} failures a second to ${answering} endpoints`;
  return compare({ figure, unit: 'ms', measured, reference: BOUND_MS, atLeast: 1, note });
}

async function arrived(receiver: Receiver, messages: number): Promise<Arrival[]> {
  const answer = await receiver.ask({ wait: { messages } });
  return 'arrivals' in answer ? answer.arrivals : [];
}
