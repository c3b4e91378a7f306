/**
 * `fetch` for a live run, over `node:http` on connections that are kept. That of Node adds some 25 MiB to a process that
 * has not used it, and a reporter is a guest in the process of the tests.
 */
import { Agent as HttpAgent, request as httpRequest, type IncomingMessage } from 'node:http';
import { Agent as HttpsAgent, request as httpsRequest } from 'node:https';
import type { Fetch } from '../send.js';

const alive = { keepAlive: true, maxSockets: 4, timeout: 60_000 } as const;

/** Redirects are answers. Streams, of files that are uploaded, go to the `fetch` of Node. */
export function openHttpFetch(): Fetch {
  const http = new HttpAgent(alive);
  const https = new HttpsAgent(alive);
  return async (url, init) => {
    const { method, headers, body, signal } = init;
    if (body !== undefined && typeof body !== 'string' && !(body instanceof Uint8Array))
      return fetch(url, init);
    signal.throwIfAborted();
    const answer = await new Promise<IncomingMessage>((resolve, reject) => {
      const isSecure = url.startsWith('https:');
      const options = { method, agent: isSecure ? https : http, headers, signal };
      const request = (isSecure ? httpsRequest : httpRequest)(url, options, resolve);
      request.once('error', reject);
      // Without an answer and without an error: the server spoke another protocol.
      request.once('close', () => reject(new Error('the connection was closed')));
      request.end(body);
    });
    const named = Object.entries(answer.headersDistinct).map(
      ([name, values = []]) => [name, values.join(', ')] as const,
    );
    return { status: answer.statusCode ?? 500, headers: new Map(named), body: answer };
  };
}
