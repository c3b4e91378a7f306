import { once } from 'node:events';
import { createServer, type AddressInfo } from 'node:net';

const given = new Set<number>();

/** A port of 127.0.0.1 that was free a moment ago, and that no other call of this process gets. */
export async function freePort(): Promise<number> {
  const server = createServer().listen(0, '127.0.0.1');
  await once(server, 'listening');
  const { port } = server.address() as AddressInfo;
  server.close();
  await once(server, 'close');
  // Servers that start side by side ask before either listens, and could get the same one.
  if (given.has(port)) return freePort();
  given.add(port);
  return port;
}
