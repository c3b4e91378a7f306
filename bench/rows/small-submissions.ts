/** Small submissions, as a pipeline with one call for each file of tests sends them. */
import { startChild } from '../processes/child.js';
import { submissionBody } from '../test-data/test-results.js';
import type { Server } from '../processes/server.js';
import type { SmallSubmissions, Submitted } from './small-submissions.child.js';
import { compare, quantile, type Row } from '../table/table.js';
import { inTurns, undisturbed } from '../table/turns.js';

const ITEMS = 10;
const CLIENTS = 16;
/** Three times the rate of the version that took two submissions at a time, on the same machine. */
const ENOUGH = 3_111;
const VISIBLE_MS = 100;

/** Measures until a GET of each run shows its results. */
export async function smallSubmissionRows(server: Server, turns: number): Promise<Row[]> {
  const clients = startChild<SmallSubmissions, Submitted>('rows/small-submissions.child.js', 'load');
  const { url, key, project } = server;
  const body = JSON.stringify(submissionBody(project, ITEMS));
  const last: Submitted[] = [];
  const submit = (submissions: number) => async () => {
    const measured = await clients.ask({ url, key, body, items: ITEMS, submissions, clients: CLIENTS });
    last.push(measured);
    return (submissions * ITEMS) / measured.seconds;
  };
  await undisturbed(submit(200));
  last.length = 0;
  const [rates = []] = await inTurns(turns, [submit(1_000)]);
  await clients.stop();
  const p99 = (what: 'visible' | 'answered') => last.map((each) => quantile(each[what], 0.99));
  return [
    compare({
      figure: 'small submissions: results',
      unit: '/s',
      measured: rates,
      reference: ENOUGH,
      atLeast: 1,
      note: `1,000 of ${ITEMS} results by ${CLIENTS} clients, until GETs show them`,
    }),
    compare({
      figure: '  answer to right counts, p99',
      unit: 'ms',
      measured: p99('visible'),
      reference: VISIBLE_MS,
      atLeast: 1,
      note: `the answer itself, p99: ${Math.max(...p99('answered')).toFixed(0)} ms`,
    }),
  ];
}
