/** The effect of many large requests at once: on the memory of the server, and on the latency of small requests. */
import { join } from 'node:path';
import { setTimeout as pause } from 'node:timers/promises';
import { announced } from './artifacts.js';
import { startChild } from '../processes/child.js';
import type { BulkClients } from './bulk-clients.child.js';
import { seed } from '../test-data/seed.js';
import { startServer, within, type Server } from '../processes/server.js';
import { compare, quantile, type Row } from '../table/table.js';
import type { Transfers } from './transfer.child.js';
import { undisturbed } from '../table/turns.js';

const CLIENTS = 8;
const ITEMS = 50_000;
const FILE = 100 * 2 ** 20;
/** The largest size of an item in a body of 32 MiB, without the comma. */
const LARGE = Math.floor((32 * 2 ** 20) / ITEMS) - 2;

/** Each measure has a server of its own, because a process does not always give memory back. */
export async function largeRequestRows(folder: string): Promise<Row[]> {
  const on = async <T>(name: string, measure: (server: Server) => Promise<T>): Promise<T> => {
    const server = await startServer(await seed(join(folder, name), { results: 1_000 }));
    try {
      return await undisturbed(() => measure(server));
    } finally {
      await server.stop();
    }
  };
  return [
    await on('files', async (server) => {
      const urls = await Promise.all(Array.from({ length: CLIENTS }, () => announced(server, FILE)));
      const put = urls.map(({ upload_url }) => upload_url);
      const { highest } = await watched(server, () =>
        Promise.all([
          asking<BulkClients, number>('rows/bulk-clients.child.js', bulkClients(server, 100)),
          asking<Transfers, number>('rows/transfer.child.js', { put, bytes: FILE }),
        ]),
      );
      const figure = 'resident memory, 8 uploads and 8 submissions';
      const note = 'highest; files of 100 MiB beside 50,000 results of 100 bytes';
      return compare({ figure, unit: 'MiB', measured: [highest], reference: 450, atLeast: 1, note });
    }),
    await on('large', async (server) => {
      const { highest, took } = await watched(server, () =>
        asking<BulkClients, number>('rows/bulk-clients.child.js', bulkClients(server, LARGE)),
      );
      const figure = '  8 submissions of 32 MiB';
      const note = `highest; taken within ${took.toFixed(0)} s`;
      return compare({ figure, unit: 'MiB', measured: [highest], reference: 700, atLeast: 1, note });
    }),
    await on('beside', async (server) => {
      const { body } = await server.call('POST', '/v1/teams', { name: 'Another team' });
      const { key } = (body as { data: { key: string } }).data;
      const latencies = await latenciesBeside(server, key, () =>
        asking<BulkClients, number>('rows/bulk-clients.child.js', bulkClients(server, 100)),
      );
      const figure = 'GET of another team, p99, 8 submissions';
      const note = `of 50,000 results each; of ${latencies.length} GETs, p50 ${quantile(latencies, 0.5).toFixed(1)} ms`;
      const measured = [quantile(latencies, 0.99)];
      return compare({ figure, unit: 'ms', measured, reference: 100, atLeast: 1, note });
    }),
  ];
}

function bulkClients({ url, key, project }: Server, bytes: number): BulkClients {
  return { url, key, project, clients: CLIENTS, items: ITEMS, bytes };
}

async function asking<Request extends object, Answer>(module: string, request: Request): Promise<Answer> {
  const child = startChild<Request, Answer>(module, 'load');
  try {
    return await child.ask(request);
  } finally {
    await child.stop();
  }
}

/** Returns the highest sample until the work has its answers and the views show its results. */
async function watched(
  server: Server,
  work: () => Promise<unknown>,
): Promise<{ highest: number; took: number }> {
  let highest = 0;
  const took = await during(server, work, async () => {
    highest = Math.max(highest, await server.residentMiB());
    await pause(LOOK_EVERY_MS);
  });
  return { highest, took };
}

const LOOK_EVERY_MS = 100;

/** Returns the latency of each request. Requests start at a fixed pace, whether or not the last one has its answer. */
async function latenciesBeside(server: Server, key: string, work: () => Promise<unknown>): Promise<number[]> {
  const latencies: number[] = [];
  const requests: Promise<void>[] = [];
  const request = async (): Promise<void> => {
    const began = performance.now();
    const response = await fetch(`${server.url}/v1/projects`, { headers: { authorization: key } });
    await response.arrayBuffer();
    if (!response.ok) throw new Error(`GET /v1/projects beside submissions: ${response.status}`);
    latencies.push(performance.now() - began);
  };
  for (let n = 0; n < 20; n += 1) await request();
  latencies.splice(0);
  await during(server, work, async () => {
    requests.push(request());
    await pause(REQUEST_EVERY_MS);
  });
  await Promise.all(requests);
  return latencies;
}

const REQUEST_EVERY_MS = 20;

/** Repeats something until the work is done and the views show it. Returns the seconds that the work took. */
async function during(
  server: Server,
  work: () => Promise<unknown>,
  repeat: () => Promise<void>,
): Promise<number> {
  const began = performance.now();
  let took = 0;
  let over = false;
  const worked = work().then(async () => {
    took = (performance.now() - began) / 1_000;
    await within(120_000, 'the views to show the submissions', async () => {
      const { behind } = await server.call('GET', '/v1/projects');
      return behind ? null : true;
    });
  });
  const ended = worked.finally(() => (over = true));
  await Promise.all([
    ended,
    (async () => {
      while (!over) await repeat();
    })(),
  ]);
  return took;
}
