/**
 * `fetch` for the calls of a reporter, over `node:http`. The one of Node adds some 25 MiB to a process that has not used it,
 * and a reporter is a guest in the process of the tests.
 */
import { Agent as HttpAgent, request as httpRequest, type IncomingMessage } from 'node:http';
import { Agent as HttpsAgent, request as httpsRequest } from 'node:https';
import { Readable } from 'node:stream';

const alive = { keepAlive: true, maxSockets: 4, timeout: 60_000 } as const;

/** Takes texts and bytes as bodies; streams, of files that are uploaded, go to the `fetch` of Node. */
export function openHttpFetch(): typeof fetch {
  // Where it is set, Node's own `fetch` goes through the proxy of the environment, and an agent of ours would not.
  if (process.env['NODE_USE_ENV_PROXY']) return fetch;
  const http = new HttpAgent(alive);
  const https = new HttpsAgent(alive);
  return async (input, init = {}) => {
    const { method = 'GET', headers, body, signal } = init;
    if (
      typeof input !== 'string' ||
      !(body == null || typeof body === 'string' || body instanceof Uint8Array)
    )
      return fetch(input, init);
    signal?.throwIfAborted();
    const isSecure = input.startsWith('https:');
    const answer = await new Promise<IncomingMessage>((resolve, reject) => {
      const request = (isSecure ? httpsRequest : httpRequest)(
        input,
        {
          method,
          agent: isSecure ? https : http,
          headers: Object.fromEntries(new Headers(headers)),
          ...(signal && { signal }),
        },
        resolve,
      );
      request.once('error', reject);
      // Without an answer and without an error: the server spoke another protocol.
      request.once('close', () => reject(new Error('the connection was closed')));
      request.end(body ?? undefined);
    });
    return responseOf(answer);
  };
}

function responseOf(answer: IncomingMessage): Response {
  const headers = Object.entries(answer.headersDistinct).flatMap(([name, values = []]) =>
    values.map((value) => [name, value] as [string, string]),
  );
  const status = answer.statusCode ?? 500;
  const hasBody = status !== 204 && status !== 205 && status !== 304;
  try {
    if (!hasBody) answer.resume();
    const body = hasBody ? (Readable.toWeb(answer) as ReadableStream<Uint8Array>) : null;
    return new Response(body, { status, headers });
  } catch (error) {
    // A status that there is none of. The connection would hold the process.
    answer.destroy();
    throw error;
  }
}
