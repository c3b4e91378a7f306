/**
 * Writes at a steady rate, and measures how long each probe takes to be visible: from the answer to a POST until the
 * answer to a GET that shows it. The writes that are not probes only make up the rate.
 */
import { Agent, request } from 'node:http';
import { setTimeout as pause } from 'node:timers/promises';

export type Paced = {
  url: string;
  key: string;
  path: string;
  /** The bodies of the POSTs, in turn. */
  bodies: string[];
  connections: number;
  /** POSTs a second, probes among them. */
  rate: number;
  /** One POST of this many is a probe. */
  probeEvery: number;
  seconds: number;
};

/**
 * `visible` has the milliseconds of each probe, `answered` those of each POST. `rate` is the rate that was reached.
 */
export type Seen = { visible: number[]; answered: number[]; rate: number };

type Answer = { status: number; text: string };

/** @throws Error for an answer that is not a 2xx, or a probe that is not visible within 10 s. */
export async function paced(options: Paced): Promise<Seen> {
  const { url, key, path, bodies, connections, rate, probeEvery, seconds } = options;
  const agent = new Agent({ keepAlive: true, maxSockets: connections });
  const send = sender(url, key, agent);
  const visible: number[] = [];
  const answers: number[] = [];
  const flying = new Set<Promise<void>>();
  let fault: unknown;
  let sent = 0;

  const write = async (n: number): Promise<void> => {
    const sentAt = performance.now();
    const { text } = await send('POST', path, bodies[n % bodies.length]);
    answers.push(performance.now() - sentAt);
    if (n % probeEvery !== 0) return;
    const answered = performance.now();
    const { test_result_id: id } = JSON.parse(text) as { test_result_id: string };
    for (;;) {
      const { status, text } = await send('GET', `${path}${id}`);
      const waited = performance.now() - answered;
      if (status === 200 && text.includes(id)) {
        visible.push(waited);
        return;
      }
      if (waited > 10_000) throw new Error(`${id} was not visible within 10 s`);
    }
  };

  const began = performance.now();
  const end = began + seconds * 1_000;
  for (let now = began; now < end && fault === undefined; now = performance.now()) {
    // Sends all requests that are due by the clock, so that a slow answer delays no other; up to the number of connections.
    const due = Math.floor(((now - began) / 1_000) * rate);
    while (sent < due && flying.size < connections) {
      const flight = write(sent).catch((error: unknown) => void (fault ??= error));
      flying.add(flight);
      void flight.then(() => flying.delete(flight));
      sent += 1;
    }
    await pause(1);
  }
  await Promise.all(flying);
  agent.destroy();
  if (fault !== undefined) throw fault;
  return { visible, answered: answers, rate: sent / ((performance.now() - began) / 1_000) };
}

function sender(url: string, key: string, agent: Agent) {
  const { hostname, port } = new URL(url);
  return (method: 'GET' | 'POST', path: string, body?: string): Promise<Answer> =>
    new Promise((resolve, reject) => {
      const headers = {
        authorization: key,
        ...(body !== undefined && {
          'content-type': 'application/json',
          'content-length': Buffer.byteLength(body),
        }),
      };
      const sent = request({ hostname, port, method, path, agent, headers }, (response) => {
        let text = '';
        response.setEncoding('utf8');
        response.on('data', (chunk: string) => (text += chunk));
        response.on('error', reject);
        response.on('end', () => {
          const status = response.statusCode ?? 0;
          if (method === 'GET' || status === 200) resolve({ status, text });
          else reject(new Error(`${method} ${path}: ${status} ${text}`));
        });
      });
      sent.on('error', reject);
      sent.end(body);
    });
}
