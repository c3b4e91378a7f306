/** An HTTP server of a test, on loopback and a free port. */
import { once } from 'node:events';
import { createServer, type RequestListener } from 'node:http';
import type { AddressInfo } from 'node:net';

export type Loopback = {
  readonly url: string;
  /** Breaks off what is under way. */
  close(): Promise<void>;
};

export async function openLoopback(listener: RequestListener): Promise<Loopback> {
  const server = createServer(listener);
  server.listen(0, '127.0.0.1');
  await once(server, 'listening');
  return {
    url: `http://127.0.0.1:${(server.address() as AddressInfo).port}`,
    async close() {
      const closed = once(server, 'close');
      server.close();
      server.closeAllConnections();
      await closed;
    },
  };
}

/** Declares one for the tests of the block around it. */
export function testLoopback(listener: RequestListener): Pick<Loopback, 'url'> {
  let opened: Loopback;
  before(async () => {
    opened = await openLoopback(listener);
  });
  after(() => opened.close());
  return {
    get url() {
      return opened.url;
    },
  };
}
