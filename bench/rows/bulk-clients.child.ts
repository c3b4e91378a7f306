/** Clients that all send a bulk submission at the same time, and repeat it when the server answers 503. */
import { request, type IncomingMessage } from 'node:http';
import { buffer } from 'node:stream/consumers';
import { once } from 'node:events';
import { setTimeout as pause } from 'node:timers/promises';
import { answerRequests } from '../processes/child.js';

export type BulkClients = {
  url: string;
  key: string;
  project: string;
  clients: number;
  /** The items of each submission. */
  items: number;
  /** The size of each item, approximately. */
  bytes: number;
};

/** The seconds until the last answer. */
answerRequests(async ({ clients, ...each }: BulkClients): Promise<number> => {
  const body = bodyOf(each);
  const began = performance.now();
  await Promise.all(Array.from({ length: clients }, () => submit(each, body)));
  return (performance.now() - began) / 1_000;
});

async function submit({ url, key }: Pick<BulkClients, 'url' | 'key'>, body: Buffer): Promise<void> {
  const headers = { authorization: key, 'content-type': 'application/json', 'content-length': body.length };
  for (;;) {
    const sent = request(`${url}/v1/test-runs`, { method: 'POST', headers, agent: false }).end(body);
    const [response] = (await once(sent, 'response')) as [IncomingMessage];
    // A refusal may come before the whole body was written, and end the connection.
    sent.on('error', () => undefined);
    const text = (await buffer(response)).toString();
    if (response.statusCode === 201) return;
    const after = Number(response.headers['retry-after']);
    if (response.statusCode !== 503 || !(after > 0)) throw new Error(`${response.statusCode}: ${text}`);
    await pause(after * 1_000);
  }
}

function bodyOf({ project, items, bytes }: Pick<BulkClients, 'project' | 'items' | 'bytes'>): Buffer {
  const results = Array.from({ length: items }, (_, n) => {
    const item = { name: `checkout pays by card ${n}`, status: 'passed', duration_ms: n % 1_000 };
    const rest = bytes - JSON.stringify(item).length - ',"error_message":""'.length;
    return rest > 0 ? { ...item, error_message: 'x'.repeat(rest) } : item;
  });
  return Buffer.from(JSON.stringify({ project_id: project, results }));
}
