/** Posting to a run that many people have open on its live page. */
import { randomUUID } from 'node:crypto';
import { startChild } from '../processes/child.js';
import { submissionBody } from '../test-data/test-results.js';
import { startLoad } from '../load/load.js';
import { within, type Server } from '../processes/server.js';
import { signIn } from '../processes/sign-in.js';
import { compare, type Row } from '../table/table.js';
import { inTurns } from '../table/turns.js';
import type { ViewersAnswer, ViewersRequest } from './viewers.child.js';

const VIEWERS = 200;
const SHARDS = 121;
const ITEMS = 250;
const CONNECTIONS = 8;

/** Shards of one run that 200 viewers follow, beside the same shards of a run that has no viewer. */
export async function viewersRow(server: Server, turns: number): Promise<Row> {
  const load = startLoad();
  const viewers = startChild<ViewersRequest, ViewersAnswer>('rows/viewers.child.js', 'load');
  const { cookie, team } = await signIn(server);
  const read: number[] = [];

  const rate = async (count: number): Promise<number> => {
    const posted = shardsOf(server);
    const { body } = await server.call('POST', '/v1/test-runs', posted[0]);
    const run = (body as { data: { id: string } }).data.id;
    await shown(server, run);
    const page = `${server.url}/teams/${team}/runs/${run}`;
    if (count > 0) await viewers.ask({ url: page, cookie, viewers: count });
    const { began, ended } = await load.burst({
      url: server.url,
      connections: CONNECTIONS,
      amount: SHARDS - 1,
      requests: posted.slice(1).map((one) => request(server, one)),
      eachOnce: true,
    });
    // The folds of this turn must not slow the next one.
    await within(600_000, 'the comparison', async () => {
      const { body: found, behind } = await server.call('GET', `/v1/test-runs/${run}`);
      return !behind && (found as { data: { gate: unknown } }).data.gate !== null ? true : null;
    });
    const { bytes } = await viewers.ask({ close: true });
    if (count > 0) read.push(bytes / count);
    return ((SHARDS - 1) * ITEMS) / ((ended - began) / 1_000);
  };

  await rate(0);
  const [reference = [], measured = []] = await inTurns(turns, [() => rate(0), () => rate(VIEWERS)]);
  await viewers.stop();
  await load.stop();
  const kilobytes = read.reduce((sum, bytes) => sum + bytes, 0) / read.length / 1_000;
  return compare({
    figure: `posting to a run with ${VIEWERS} viewers: results`,
    unit: '/s',
    measured,
    reference,
    atLeast: 0.9,
    note: `${SHARDS - 1} shards of ${ITEMS}; each viewer read ${kilobytes.toFixed(0)} kB until the comparison was there; reference: no viewer`,
  });
}

function shardsOf({ project: project_id }: Server): object[] {
  const { results } = submissionBody(project_id, ITEMS);
  const run_key = randomUUID();
  return Array.from({ length: SHARDS }, (_, n) => {
    return { project_id, run_key, shard: { index: n + 1, total: SHARDS }, results };
  });
}

async function shown({ call }: Server, run: string): Promise<void> {
  await within(60_000, 'the run', async () => {
    const { behind } = await call('GET', `/v1/test-runs/${run}`);
    return behind ? null : true;
  });
}

function request({ key }: Server, body: object) {
  const headers = { authorization: key, 'content-type': 'application/json' };
  return { method: 'POST' as const, path: '/v1/test-runs', headers, body: JSON.stringify(body) };
}
