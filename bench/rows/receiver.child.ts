/** An endpoint of webhooks, which answers 204 at once or never, and records when each message came. */
import { createServer } from 'node:http';
import type { AddressInfo } from 'node:net';
import { answerRequests } from '../processes/child.js';
import { within } from '../processes/server.js';

export type ReceiverRequest = { listen: { endpoints: number } } | { wait: { messages: number } };

export type ReceiverAnswer = { urls: string[] } | { arrivals: Arrival[] };

/** `at`: milliseconds since 1970, with fractions. `subject`: the result that failed. */
export type Arrival = { endpoint: number; subject: string; at: number; body: string };

let arrivals: Arrival[] = [];

answerRequests(async (asked: ReceiverRequest): Promise<ReceiverAnswer> => {
  if ('wait' in asked) {
    const { messages } = asked.wait;
    await within(120_000, `${messages} messages`, () => (arrivals.length >= messages ? true : null));
    const came = arrivals;
    arrivals = [];
    return { arrivals: came };
  }
  const server = createServer((request, response) => {
    const at = performance.timeOrigin + performance.now();
    let body = '';
    request.setEncoding('utf8').on('data', (chunk: string) => (body += chunk));
    request.on('end', () => {
      if (request.url === '/hang') return;
      const { data } = JSON.parse(body) as { data: { result?: { test_result_id: string } } };
      const endpoint = Number(request.url?.slice(1));
      arrivals.push({ endpoint, subject: data.result?.test_result_id ?? '', at, body });
      response.writeHead(204).end();
    });
  });
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
  const { port } = server.address() as AddressInfo;
  return {
    urls: Array.from({ length: asked.listen.endpoints }, (_, n) => `http://127.0.0.1:${port}/${n}`),
  };
});
