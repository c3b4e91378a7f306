/** A client that uploads or downloads files, all at once. The bytes come from memory, or are dropped. */
import { once } from 'node:events';
import { request, type IncomingMessage } from 'node:http';
import { answerRequests } from '../processes/child.js';

export type Transfers = { bytes: number } & ({ put: string[] } | { get: string[] });

const CHUNK = Buffer.alloc(2 ** 16, 'the bytes of a video, more or less ');

/** Returns megabytes a second of all files together. */
answerRequests(async (transfers: Transfers): Promise<number> => {
  const { bytes } = transfers;
  const began = performance.now();
  const moves =
    'put' in transfers
      ? transfers.put.map((url) => put(url, bytes))
      : transfers.get.map((url) => get(url, bytes));
  await Promise.all(moves);
  return (moves.length * bytes) / 1e6 / ((performance.now() - began) / 1_000);
});

async function put(url: string, bytes: number): Promise<void> {
  const sent = request(url, { method: 'PUT', headers: { 'content-length': bytes } });
  const answered = once(sent, 'response') as Promise<[IncomingMessage]>;
  for (let left = bytes; left > 0; left -= CHUNK.length) {
    if (!sent.write(left < CHUNK.length ? CHUNK.subarray(0, left) : CHUNK)) {
      await Promise.race([once(sent, 'drain'), answered]);
    }
  }
  sent.end();
  const [response] = await answered;
  await taken(url, response);
}

async function get(url: string, bytes: number): Promise<void> {
  const sent = request(url).end();
  const [response] = (await once(sent, 'response')) as [IncomingMessage];
  const length = await taken(url, response);
  if (length !== bytes) throw new Error(`${url}: ${length} bytes`);
}

async function taken(url: string, response: IncomingMessage): Promise<number> {
  let length = 0;
  response.on('data', (chunk: Buffer) => (length += chunk.length));
  await once(response, 'end');
  if (response.statusCode! >= 300) throw new Error(`${new URL(url).pathname}: ${response.statusCode}`);
  return length;
}
