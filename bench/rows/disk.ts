/** The bytes of disk that a result takes, file by file, after a clean stop of the server. */
import { readdirSync, statSync } from 'node:fs';
import { join } from 'node:path';
import { resultBody, submissionBody } from '../test-data/test-results.js';
import { comparedAt } from './insight.js';
import { startLoad } from '../load/load.js';
import { seed } from '../test-data/seed.js';
import { startServer, totalOf, within, type Server } from '../processes/server.js';
import { compare, type Row } from '../table/table.js';

const SUBMISSIONS = 5;
const ITEMS = 10_000;
const SINGLE = 10_000;
const ENOUGH_BYTES = 1_000;

/** Results that come as a stranger's do: 92 bytes of JSON each, without metadata. */
export async function diskRows(folder: string): Promise<Row[]> {
  return [
    ...(await rowsOf('disk: bytes a result, submissions', join(folder, 'submissions'), submitted)),
    ...(await rowsOf('disk: bytes a result, single results', join(folder, 'single'), posted)),
  ];
}

type Filled = { results: number; run: string };

/** `fill` returns the number of results that it stored, and its last run, which is completed. */
async function rowsOf(
  figure: string,
  folder: string,
  fill: (server: Server) => Promise<Filled>,
): Promise<Row[]> {
  const seeded = await seed(folder, { results: 1_000 });
  // The files as an idle server leaves them, with its first thousand results.
  await (await startServer(seeded)).stop();
  const before = bytesByFile(folder);
  const server = await startServer(seeded);
  const { results, run } = await fill(server);
  // The outbox and the histories of tests come after the counts.
  await comparedAt(server, run);
  await server.stop();
  const after = bytesByFile(folder);
  const each = [...after].map(([name, bytes]) => ({
    name,
    bytes: (bytes - (before.get(name) ?? 0)) / results,
  }));
  const total = each.reduce((sum, { bytes }) => sum + bytes, 0);
  const left = [...after].reduce((sum, [name, bytes]) => sum + (name.endsWith('-wal') ? bytes : 0), 0);
  const parts = each
    .filter(({ bytes }) => Math.abs(bytes) >= 1)
    .map(({ name, bytes }) => `${name} ${Math.round(bytes)}`);
  return [
    compare({
      figure,
      unit: 'B',
      measured: [total],
      reference: ENOUGH_BYTES,
      atLeast: 1,
      note: `${parts.join(', ')}; write-ahead logs left: ${left} bytes`,
    }),
  ];
}

async function submitted({ call, project }: Server): Promise<Filled> {
  const { results } = submissionBody(project, ITEMS);
  const short = results.map(({ name, status, duration_ms }) => ({ name, status, duration_ms }));
  let run = '';
  for (let n = 0; n < SUBMISSIONS; n += 1) {
    const { body } = await call('POST', '/v1/test-runs', { project_id: project, results: short });
    run = (body as { data: { id: string } }).data.id;
    await shows(call, run, ITEMS);
  }
  return { results: SUBMISSIONS * ITEMS, run };
}

async function posted({ url, key, call, project }: Server): Promise<Filled> {
  const made = await call('POST', '/v1/test/run/', { project_id: project });
  const { test_run_id } = made.body as { test_run_id: string };
  const headers = { authorization: key, 'content-type': 'application/json' };
  const requests = Array.from({ length: SINGLE }, (_, n) => {
    const { metadata: _metadata, ...body } = resultBody(n, project, test_run_id);
    return { method: 'POST' as const, path: '/v1/test/result/', headers, body: JSON.stringify(body) };
  });
  const load = startLoad();
  await load.burst({ url, connections: 20, amount: SINGLE, requests });
  await load.stop();
  await shows(call, test_run_id, SINGLE);
  await call('POST', `/v1/test/run/${test_run_id}`, { status: 'Completed' });
  return { results: SINGLE, run: test_run_id };
}

function shows(call: Server['call'], run: string, total: number): Promise<true> {
  return within(120_000, 'the results to be counted', async () =>
    (await totalOf(call, run)) === total ? true : null,
  );
}

/** Of all files of SQLite in the folder. */
function bytesByFile(folder: string): Map<string, number> {
  const names = readdirSync(folder).filter((name) => name.includes('.sqlite'));
  return new Map(names.map((name) => [name, statSync(join(folder, name)).size]));
}
