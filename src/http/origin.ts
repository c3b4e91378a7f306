/** Scheme, host and port by which a client reaches us: URLs that we hand out lead back there. */
import type { IncomingMessage } from 'node:http';

/** Names and addresses as a URL has them; of all else a Host header may hold, nothing gets into a URL. */
const host = /^(?:[a-z\d](?:[a-z\d._-]{0,252}[a-z\d.])?|\[[\da-f:.]{2,45}\])(?::\d{1,5})?$/i;

/** `publicUrl` where it is set; else what the request's own Host says; else the address that it came to. */
export function originOf(publicUrl: string | null, request: IncomingMessage): string {
  if (publicUrl !== null) return publicUrl;
  const said = `http://${request.headers.host ?? ''}`;
  if (host.test(request.headers.host ?? '') && URL.canParse(said)) return new URL(said).origin;
  const { localAddress = '127.0.0.1', localPort = 80 } = request.socket;
  const address = localAddress.replace(/^::ffff:(?=\d)/, '');
  return new URL(`http://${address.includes(':') ? `[${address}]` : address}:${localPort}`).origin;
}
