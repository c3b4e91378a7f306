/** Requests of a reporter over `node:http`, on connections that are kept. */
import { Agent as HttpAgent, request as httpRequest, type IncomingMessage } from 'node:http';
import { Agent as HttpsAgent, request as httpsRequest } from 'node:https';

export type HttpRequest = {
  method: string;
  headers: Record<string, string>;
  body: string | Uint8Array | null;
  signal: AbortSignal | undefined;
};

/** Resolves with the head of the answer. Redirects are answers. */
export type SendHttp = (url: string, request: HttpRequest) => Promise<IncomingMessage>;

const alive = { keepAlive: true, maxSockets: 4, timeout: 60_000 } as const;

export function openHttp(): SendHttp {
  const http = new HttpAgent(alive);
  const https = new HttpsAgent(alive);
  return (url, { method, headers, body, signal }) =>
    new Promise((resolve, reject) => {
      const isSecure = url.startsWith('https:');
      const request = (isSecure ? httpsRequest : httpRequest)(
        url,
        { method, agent: isSecure ? https : http, headers, ...(signal && { signal }) },
        resolve,
      );
      request.once('error', reject);
      // Without an answer and without an error: the server spoke another protocol.
      request.once('close', () => reject(new Error('the connection was closed')));
      request.end(body ?? undefined);
    });
}
