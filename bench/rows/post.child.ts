/** The reference of deliveries: a bare client that posts the same bodies. */
import { Agent, request } from 'node:http';
import { once } from 'node:events';
import { answerRequests } from '../processes/child.js';

export type PostOptions = { url: string; bodies: readonly string[]; atOnce: number };

/** Returns POSTs a second, with this many at a time. */
answerRequests(async ({ url, bodies, atOnce }: PostOptions): Promise<number> => {
  const agent = new Agent({ keepAlive: true, maxSockets: atOnce });
  const rest = bodies.values();
  const began = performance.now();
  await Promise.all(
    Array.from({ length: atOnce }, async () => {
      for (const body of rest) {
        const sent = request(url, { agent, method: 'POST', headers: { 'content-type': 'application/json' } });
        sent.end(body);
        const [response] = (await once(sent, 'response')) as [NodeJS.ReadableStream];
        await once(response.resume(), 'end');
      }
    }),
  );
  agent.destroy();
  return bodies.length / ((performance.now() - began) / 1_000);
});
