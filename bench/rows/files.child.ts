/** The reference of artifacts: a server that streams the body of a PUT to disk, and files from disk to a GET. */
import { once } from 'node:events';
import { createReadStream, createWriteStream, mkdirSync } from 'node:fs';
import { open } from 'node:fs/promises';
import { createServer, type IncomingMessage, type ServerResponse } from 'node:http';
import type { AddressInfo } from 'node:net';
import { basename, join } from 'node:path';
import { pipeline } from 'node:stream/promises';
import { answerRequests } from '../processes/child.js';

let folder = '';

async function serve(request: IncomingMessage, response: ServerResponse): Promise<void> {
  const file = join(folder, basename(request.url ?? ''));
  if (request.method === 'PUT') {
    await pipeline(request, createWriteStream(file));
    // As durable as the server that is measured.
    const written = await open(file);
    await written.sync();
    await written.close();
    response.end();
  } else {
    await pipeline(createReadStream(file), response);
  }
}

const server = createServer((request, response) => {
  serve(request, response).catch((error: unknown) => response.destroy(error as Error));
});
server.listen(0, '127.0.0.1');
await once(server, 'listening');

answerRequests(async (options: { folder: string }) => {
  ({ folder } = options);
  mkdirSync(folder, { recursive: true });
  return `http://127.0.0.1:${(server.address() as AddressInfo).port}`;
});
