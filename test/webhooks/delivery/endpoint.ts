/** An HTTP server on loopback, as an integration runs one. */
import { once } from 'node:events';
import { createServer, type IncomingHttpHeaders, type IncomingMessage, type ServerResponse } from 'node:http';
import type { AddressInfo, Socket } from 'node:net';

export type Taken = { method: string; url: string; headers: IncomingHttpHeaders; body: string; at: number };

export type Endpoint = {
  url: string;
  port: number;
  taken: Taken[];
  /** Connections that were made. */
  connections(): number;
  close(): Promise<void>;
};

export type Answer = (taken: Taken, response: ServerResponse, request: IncomingMessage) => void;

/** By default it answers 204. A request hangs until `answer` ends its response. `port`: 0 for a free one. */
export async function openEndpoint(
  answer: Answer = (_taken, response) => void response.writeHead(204).end(),
  { host = '127.0.0.1', port: wanted = 0 } = {},
): Promise<Endpoint> {
  const taken: Taken[] = [];
  const sockets = new Set<Socket>();
  let connections = 0;
  const server = createServer((request, response) => {
    const chunks: Buffer[] = [];
    request.on('data', (chunk: Buffer) => chunks.push(chunk));
    request.on('end', () => {
      const { method = '', url = '', headers } = request;
      const one = { method, url, headers, body: Buffer.concat(chunks).toString(), at: performance.now() };
      taken.push(one);
      answer(one, response, request);
    });
  });
  server.on('connection', (socket) => {
    connections += 1;
    sockets.add(socket);
    socket.on('close', () => sockets.delete(socket));
  });
  server.listen(wanted, host);
  await once(server, 'listening');
  const { port } = server.address() as AddressInfo;
  return {
    url: `http://${host.includes(':') ? `[${host}]` : host}:${port}/hook`,
    port,
    taken,
    connections: () => connections,
    close: async () => {
      server.close();
      for (const socket of sockets) socket.destroy();
      await once(server, 'close');
    },
  };
}
