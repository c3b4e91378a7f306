/** Requests a second with 64 connections: of the reference, of writes and of reads. */
import { median } from '../table/table.js';
import type { Load } from './load.js';
import { totalOf, within, type Server } from '../processes/server.js';
import { resultBody } from '../test-data/test-results.js';

export const CONNECTIONS = 64;
/** Pipelines that report at the same time. */
const RUNS = 8;
const BODIES = 2_000;
const PATH = '/v1/test/result/';

/** Measures the rate of this many requests. */
export type Rate = (amount: number) => Promise<number>;

/** The reference echoes the body of the writes. */
export function echoRate(load: Load, url: string, { key, project, runs }: Server): Rate {
  const requests = postsOf({ key, project }, runs.slice(0, RUNS));
  return async (amount) => {
    const { began, ended } = await load.burst({ url, connections: CONNECTIONS, amount, requests });
    return perSecond(amount, began, ended);
  };
}

/** Writes results, and measures until the last answer. */
export function postRate(load: Load, server: Server): Rate {
  return async (amount) => {
    const requests = postsOf(server, await newRuns(server));
    const { began, ended } = await load.burst({
      url: server.url,
      connections: CONNECTIONS,
      amount,
      requests,
    });
    return perSecond(amount, began, ended);
  };
}

/** Writes results, and measures until the read models count the last of them. */
export function writeRate(load: Load, server: Server): Rate {
  const { url, call } = server;
  return async (amount) => {
    const runs = await newRuns(server);
    const requests = postsOf(server, runs);
    const { began } = await load.burst({ url, connections: CONNECTIONS, amount, requests });
    await within(120_000, `${amount} results in the read models`, async () => {
      const totals = await Promise.all(runs.map((run) => totalOf(call, run)));
      return totals.reduce((sum, total) => sum + total) === amount ? true : null;
    });
    return perSecond(amount, began, performance.timeOrigin + performance.now());
  };
}

/** Reads results by id, from all stored results or from tens of thousands of them. */
export function readRate(load: Load, server: Server): Rate {
  const { url } = server;
  const requests = readsOf(server);
  return async (amount) => {
    const { began, ended } = await load.burst({ url, connections: CONNECTIONS, amount, requests });
    return perSecond(amount, began, ended);
  };
}

/** Warms up, and returns a measure that takes about this many seconds. */
export async function lasting(rate: Rate, seconds: number): Promise<() => Promise<number>> {
  const warm = [await rate(1_000), await rate(4_000), await rate(4_000)];
  const amount = Math.max(1_000, Math.round(median(warm) * seconds));
  return () => rate(amount);
}

export async function newRuns({ call, project }: Server): Promise<string[]> {
  const made = Array.from({ length: RUNS }, async (_, n) => {
    const { body } = await call('POST', '/v1/test/run/', { project_id: project, label: `shard ${n}` });
    return (body as { test_run_id: string }).test_run_id;
  });
  return Promise.all(made);
}

export function bodiesOf(project: string, runs: readonly string[]): string[] {
  return Array.from({ length: BODIES }, (_, n) =>
    JSON.stringify(resultBody(n, project, runs[n % runs.length]!)),
  );
}

function readsOf({ key, results }: Server) {
  return results.map((id) => ({ method: 'GET', path: PATH + id, headers: { authorization: key } }));
}

function postsOf({ key, project }: Pick<Server, 'key' | 'project'>, runs: readonly string[]) {
  const headers = { authorization: key, 'content-type': 'application/json' };
  return bodiesOf(project, runs).map((body) => ({ method: 'POST', path: PATH, headers, body }));
}

function perSecond(amount: number, began: number, ended: number): number {
  return amount / ((ended - began) / 1_000);
}
