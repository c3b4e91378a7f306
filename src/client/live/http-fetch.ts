/**
 * `fetch` for the uploads of a reporter, over `node:http`. The one of Node adds some 25 MiB to a process that has not used
 * it, and a reporter is a guest in the process of the tests.
 */
import type { IncomingMessage } from 'node:http';
import { Readable } from 'node:stream';
import type { SendHttp } from './http-request.js';

/** Takes texts and bytes as bodies; streams, of files that are uploaded, go to the `fetch` of Node. */
export function openHttpFetch(sendHttp: SendHttp): typeof fetch {
  return async (input, init = {}) => {
    const { method = 'GET', headers, body, signal } = init;
    if (
      typeof input !== 'string' ||
      !(body == null || typeof body === 'string' || body instanceof Uint8Array)
    )
      return fetch(input, init);
    signal?.throwIfAborted();
    const answer = await sendHttp(input, {
      method,
      headers: Object.fromEntries(new Headers(headers)),
      body: body ?? null,
      signal: signal ?? undefined,
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
