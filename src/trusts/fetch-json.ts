/**
 * Fetches a small JSON document from an address that a team has named: through the address filter of webhooks, without
 * redirects, and bounded in bytes, in time and in number.
 */
import { request as httpRequest, type IncomingMessage } from 'node:http';
import { request as httpsRequest, type RequestOptions } from 'node:https';
import { openFairSemaphore } from '../concurrency/fair-semaphore.js';
import { version } from '../version.js';
import { openEgress, type EgressOptions } from '../webhooks/endpoint/egress.js';

/** `team`: each has its share of the fetches. Rejects where there is no such document. */
export type FetchJson = (url: string, team: string) => Promise<unknown>;

const WITHIN_MS = 5_000;
const MOST_BYTES = 256 * 1_024;
const AT_ONCE = { ofAll: 16, ofTeam: 4 };

export function openFetchJson(options: EgressOptions & { withinMs?: number }): {
  fetchJson: FetchJson;
  close(): void;
} {
  const egress = openEgress(options);
  const places = openFairSemaphore(AT_ONCE.ofAll, { perKey: AT_ONCE.ofTeam });
  const { withinMs = WITHIN_MS } = options;

  async function fetchJson(url: string, team: string): Promise<unknown> {
    const release = await places.acquire(team, { withinMs });
    if (release === null) throw new Error('too many documents are being fetched');
    try {
      const value: unknown = JSON.parse((await get(new URL(url), team)).toString('utf8'));
      if (typeof value !== 'object' || value === null) throw new Error('the document is no object');
      return value;
    } finally {
      release();
    }
  }

  function get(url: URL, team: string): Promise<Buffer> {
    const isSecure = url.protocol === 'https:';
    const { http, https } = egress.fresh;
    const options: RequestOptions & { team: string } = {
      agent: isSecure ? https : http,
      team,
      headers: { accept: 'application/json', 'user-agent': `testledger/${version}` },
      // For all of it, also for an answer that comes byte by byte.
      signal: AbortSignal.timeout(withinMs),
    };
    return new Promise((resolve, reject) => {
      const sent = (isSecure ? httpsRequest : httpRequest)(url, options, (answer) => {
        read(answer).then(resolve, reject);
      });
      sent.on('error', reject);
      sent.once('upgrade', (_answer, socket) => socket.destroy());
      sent.once('close', () => reject(new Error('the connection was closed')));
      sent.end();
    });
  }

  return { fetchJson, close: () => egress.close() };
}

async function read(answer: IncomingMessage): Promise<Buffer> {
  const chunks: Buffer[] = [];
  let length = 0;
  try {
    if (answer.statusCode !== 200) throw new Error(`the answer has the status ${answer.statusCode}`);
    for await (const chunk of answer as AsyncIterable<Buffer>) {
      length += chunk.length;
      if (length > MOST_BYTES) throw new Error(`the answer has more than ${MOST_BYTES} bytes`);
      chunks.push(chunk);
    }
    return Buffer.concat(chunks);
  } finally {
    answer.destroy();
  }
}
