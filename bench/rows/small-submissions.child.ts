/** Clients that post small submissions one after the other, and look at each run until it shows its results. */
import { Agent, request, type IncomingMessage } from 'node:http';
import { text } from 'node:stream/consumers';
import { once } from 'node:events';
import { answerRequests } from '../processes/child.js';

export type SmallSubmissions = {
  url: string;
  key: string;
  /** The body of each submission, with `items` results. */
  body: string;
  items: number;
  submissions: number;
  clients: number;
};

export type Submitted = {
  /** From the first request until the last run shows its results. */
  seconds: number;
  /** For each submission: the milliseconds from its answer until a GET of the run shows all its results. */
  visible: number[];
  /** For each submission: the milliseconds until its answer. */
  answered: number[];
};

answerRequests(async ({ url, key, body, items, submissions, clients }: SmallSubmissions) => {
  const agent = new Agent({ keepAlive: true, maxSockets: clients });
  const call = async (method: string, path: string, content?: string): Promise<Record<string, unknown>> => {
    const headers = { authorization: key, ...(content && { 'content-type': 'application/json' }) };
    const sent = request(url + path, { method, headers, agent }).end(content);
    const [response] = (await once(sent, 'response')) as [IncomingMessage];
    const answer = await text(response);
    if (response.statusCode! >= 300) throw new Error(`${method} ${path}: ${response.statusCode} ${answer}`);
    return JSON.parse(answer) as Record<string, unknown>;
  };
  const measured: Submitted = { seconds: 0, visible: [], answered: [] };
  let left = submissions;
  const began = performance.now();
  await Promise.all(
    Array.from({ length: clients }, async () => {
      for (; left > 0;) {
        left -= 1;
        const sent = performance.now();
        const { data } = (await call('POST', '/v1/test-runs', body)) as { data: { id: string } };
        const answered = performance.now();
        for (let total = 0; total !== items;) {
          const run = await call('GET', `/v1/test/run/${data.id}`);
          total = (run['counts'] as { total: number }).total;
        }
        measured.answered.push(answered - sent);
        measured.visible.push(performance.now() - answered);
      }
    }),
  );
  measured.seconds = (performance.now() - began) / 1_000;
  agent.destroy();
  return measured;
});
