import { randomInt } from 'node:crypto';
import { once } from 'node:events';
import { createServer } from 'node:net';

const given = new Set<number>();
/**
 * Below the ports that Linux gives to outgoing connections and to `listen(0)`. A port of theirs can be taken again in
 * the moment between this check and the start of the server that is to have it.
 */
const FIRST = 15_000;
const LAST = 32_000;

/** A port of 127.0.0.1 on which nothing listens, and that no other call of this process gets. */
export async function freePort(): Promise<number> {
  const port = randomInt(FIRST, LAST);
  if (given.has(port)) return freePort();
  given.add(port);
  const server = createServer().listen(port, '127.0.0.1');
  const free = await once(server, 'listening').then(
    () => true,
    () => false,
  );
  if (!free) return freePort();
  server.close();
  await once(server, 'close');
  return port;
}
