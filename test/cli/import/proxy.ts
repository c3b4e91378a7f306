/** A proxy before the server of the suite, which refuses some requests or never answers them. */
import { once } from 'node:events';
import { createServer, request, type IncomingMessage } from 'node:http';
import type { AddressInfo } from 'node:net';

export type Proxy = { url: string; close(): Promise<unknown> };

export async function openProxy(
  url: string,
  decide: (incoming: IncomingMessage) => 'pass' | 'unanswered' | 'refuse' | 'gone' | 'hang',
): Promise<Proxy> {
  const proxy = createServer((incoming, answer) => {
    const decision = decide(incoming);
    switch (decision) {
      case 'hang':
        incoming.resume();
        return;
      case 'refuse':
        incoming.resume().once('end', () => answer.writeHead(400).end());
        return;
      case 'gone':
        incoming.resume().once('end', () => answer.writeHead(404).end());
        return;
      case 'pass':
      case 'unanswered': {
        const { method, url: path, headers } = incoming;
        const outgoing = request(new URL(path!, url), { method, headers }, (reply) => {
          if (decision === 'unanswered') return void answer.destroy();
          answer.writeHead(reply.statusCode!, reply.headers);
          reply.pipe(answer);
        });
        outgoing.once('error', () => answer.destroy());
        incoming.pipe(outgoing);
      }
    }
  }).listen(0, '127.0.0.1');
  await once(proxy, 'listening');
  const { port } = proxy.address() as AddressInfo;
  return {
    url: `http://127.0.0.1:${port}`,
    close: () => {
      proxy.closeAllConnections();
      return new Promise((resolve) => proxy.close(resolve));
    },
  };
}
