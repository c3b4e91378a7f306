/** A proxy before a real server that does its worst to some requests, so that the server's own data show what came of it. */
import { once } from 'node:events';
import {
  createServer,
  request,
  type IncomingHttpHeaders,
  type IncomingMessage,
  type ServerResponse,
} from 'node:http';
import type { AddressInfo } from 'node:net';
import { buffer } from 'node:stream/consumers';

export type Seen = { method: string; path: string; headers: IncomingHttpHeaders; bytes: number };
export type Reply = { status: number; headers?: IncomingHttpHeaders; body: Buffer | string };

export type Decision =
  | 'pass'
  /** The request does not reach the server, and the connection ends. */
  | 'closed'
  /** The request does not reach the server, and nothing comes. */
  | 'hang'
  /** The server does its work, and the connection ends without an answer. */
  | 'unanswered'
  /** The server does its work, and the connection ends in the middle of the answer. */
  | 'cut'
  /** The server does its work, and the answer never comes. */
  | 'silent'
  /** The request does not reach the server, and this is the answer. */
  | Reply
  /** The server does its work, and its answer is changed. */
  | ((reply: Reply) => Reply);

export type Proxy = { readonly url: string; close(): Promise<void> };

/** `decide` may change the headers of the request. */
export async function openProxy(target: () => string, decide: (seen: Seen) => Decision): Promise<Proxy> {
  const server = createServer((incoming, outgoing) => {
    passOn(incoming, outgoing).catch(() => outgoing.destroy());
  });

  async function passOn(incoming: IncomingMessage, outgoing: ServerResponse): Promise<void> {
    const body = await buffer(incoming);
    const { method = '', url: path = '', headers } = incoming;
    const decision = decide({ method, path, headers, bytes: body.length });
    if (decision === 'hang') return;
    if (decision === 'closed') return void outgoing.destroy();
    if (typeof decision === 'object') return send(outgoing, decision);
    const reply = await replyTo(new URL(path, target()), { method, headers }, body);
    outgoing.once('close', () => reply.destroy());
    const { statusCode: status = 0 } = reply;
    switch (decision) {
      case 'pass':
        outgoing.writeHead(status, reply.headers);
        return void reply.pipe(outgoing);
      case 'unanswered':
        return void outgoing.destroy();
      case 'silent':
        return;
      case 'cut': {
        const content = await buffer(reply);
        outgoing.writeHead(status, { 'Content-Length': content.length });
        return void outgoing.write(content.subarray(0, content.length / 2), () => outgoing.destroy());
      }
      default:
        send(outgoing, decision({ status, headers: reply.headers, body: await buffer(reply) }));
    }
  }

  server.listen(0, '127.0.0.1');
  await once(server, 'listening');
  return {
    url: `http://127.0.0.1:${(server.address() as AddressInfo).port}`,
    close: async () => {
      server.closeAllConnections();
      server.close();
      await once(server, 'close');
    },
  };
}

/** Declares a proxy for the tests of the block around it. */
export function testProxy(...call: Parameters<typeof openProxy>): { readonly url: string } {
  let proxy: Proxy | null = null;
  before(async () => (proxy = await openProxy(...call)));
  after(() => proxy?.close());
  return {
    get url() {
      return proxy!.url;
    },
  };
}

function send(outgoing: ServerResponse, { status, headers = {}, body }: Reply): void {
  const { 'content-length': _, 'transfer-encoding': __, ...kept } = headers;
  outgoing.writeHead(status, kept).end(body);
}

/** The server names itself in URLs by the host of the request, and its answer is read as it is. */
async function replyTo(url: URL, asked: Pick<Seen, 'method' | 'headers'>, body: Buffer) {
  const {
    host: _,
    connection: __,
    'accept-encoding': ___,
    'transfer-encoding': ____,
    ...headers
  } = asked.headers;
  const length = body.length > 0 ? { 'content-length': String(body.length) } : {};
  const sent = request(url, { method: asked.method, headers: { ...headers, ...length } });
  sent.end(body);
  const [reply] = (await once(sent, 'response')) as [IncomingMessage];
  return reply;
}
