/** Bulk submissions: how fast the server takes them, and how fast it lists a project that has many of them. */
import type { BareBulk } from './bulk.bare.child.js';
import { startChild } from '../processes/child.js';
import { startLoad } from '../load/load.js';
import { within, type Server } from '../processes/server.js';
import { compare, type Row } from '../table/table.js';
import { submissionBody } from '../test-data/test-results.js';
import { inTurns, undisturbed } from '../table/turns.js';

const RESULTS = 10_000;
/** The server works on this many at a time. */
const CONNECTIONS = 2;

/** Measures until the answers: by then the results are in the log, on disk. */
export async function bulkRow(
  { url, key, project }: Server,
  { folder, turns, seconds }: { folder: string; turns: number; seconds: number },
): Promise<Row> {
  const load = startLoad();
  const bare = startChild<BareBulk, number>('rows/bulk.bare.child.js');
  const headers = { authorization: key, 'content-type': 'application/json' };
  const body = JSON.stringify(submissionBody(project, RESULTS));
  const requests = [{ method: 'POST', path: '/v1/test-runs', headers, body }];
  const submit = async (amount: number) => {
    const { began, ended } = await load.burst({ url, connections: CONNECTIONS, amount, requests });
    return (amount * RESULTS) / ((ended - began) / 1_000);
  };
  const insert = (submissions: number) => bare.ask({ folder, submissions, results: RESULTS });

  const warm = await undisturbed(() => submit(4));
  const amount = Math.max(4, Math.round((warm * seconds) / RESULTS));
  await undisturbed(() => insert(2));
  const [reference = [], measured = []] = await inTurns(turns, [() => insert(amount), () => submit(amount)]);
  await Promise.all([load.stop(), bare.stop()]);
  return compare({
    figure: 'bulk: results of POST /v1/test-runs',
    unit: '/s',
    measured,
    reference,
    atLeast: 0.5,
    note: `${RESULTS.toLocaleString('en')} a submission of ${(body.length / 2 ** 20).toFixed(1)} MiB; reference: raw inserts`,
  });
}

const PAGE = { page: 1_000, per_page: 20 };
const REQUESTS = 100;
const ENOUGH_MS = 20;

/** Measures as the server's metrics do, from the arrival of a request to its answer. */
export async function pageRows(server: Server, turns: number): Promise<Row[]> {
  const { url, call, project, runs } = server;
  let sent = 0;
  // The metrics may be 250 ms old, which is longer than all requests of a measure take.
  const took = () =>
    within(10_000, 'the metrics to have all requests', async () => {
      const found = await tookOf(url);
      return found.count === sent ? found : null;
    });
  const page = async (filter: string, wanted: (total: number) => boolean): Promise<number> => {
    const before = await took();
    for (let n = 0; n < REQUESTS; n += 1) {
      const query = `project_id=${project}&page=${PAGE.page}&per_page=${PAGE.per_page}${filter}`;
      const { body } = await call('GET', `/v1/test-runs?${query}`);
      sent += 1;
      const { data, pagination } = body as { data: unknown[]; pagination: { total: number } };
      if (data.length !== PAGE.per_page || !wanted(pagination.total)) {
        throw new Error(`page ${PAGE.page}${filter}: ${data.length} of ${pagination.total}`);
      }
    }
    const after = await took();
    return (1_000 * (after.sum - before.sum)) / (after.count - before.count);
  };
  const all = () => page('', (total) => total === runs.length);
  const passed = () => page('&status=passed', (total) => total === runs.length * 0.95);
  const measures = [all, passed];
  for (const warmUp of measures) await undisturbed(warmUp);
  const [plain = [], filtered = []] = await inTurns(turns, measures);
  const figure = `page ${PAGE.page.toLocaleString('en')} of ${runs.length.toLocaleString('en')} runs`;
  const bound = { unit: 'ms', reference: ENOUGH_MS, atLeast: 1 } as const;
  return [
    compare({
      ...bound,
      figure,
      measured: plain,
      note: 'mean, from the metrics of the server; one request at a time',
    }),
    compare({ ...bound, figure: '  with a status filter', measured: filtered }),
  ];
}

/** Reads the sum and the count of all requests to the list since the start of the server. */
async function tookOf(url: string): Promise<{ sum: number; count: number }> {
  const text = await (await fetch(`${url}/metrics`)).text();
  const of = (what: string) => {
    const line = new RegExp(`^\\S+_${what}\\{[^}]*route="/v1/test-runs"[^}]*\\} (\\S+)$`, 'm').exec(text);
    return Number(line?.[1] ?? 0);
  };
  return { sum: of('sum'), count: of('count') };
}
