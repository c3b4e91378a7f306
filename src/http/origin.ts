/** Scheme, host and port by which a client reaches the server: the URLs in answers lead back there. */
import type { IncomingMessage } from 'node:http';

/** Names and addresses as in a URL: anything else in a Host header must not get into the URLs of answers. */
const host = /^(?:[a-z\d](?:[a-z\d._-]{0,252}[a-z\d.])?|\[[\da-f:.]{2,45}\])(?::\d{1,5})?$/i;

/** `publicUrl` if it is set; else the Host of the request if it is valid; else the address that the request came to. */
export function publicOrigin(publicUrl: string | null, request: IncomingMessage): string {
  if (publicUrl !== null) return publicUrl;
  const said = `http://${request.headers.host ?? ''}`;
  if (host.test(request.headers.host ?? '') && URL.canParse(said)) return new URL(said).origin;
  const { localAddress = '127.0.0.1', localPort = 80 } = request.socket;
  const address = localAddress.replace(/^::ffff:(?=\d)/, '');
  return new URL(`http://${address.includes(':') ? `[${address}]` : address}:${localPort}`).origin;
}

/** Whether a request names the host of an origin; no for null. */
export function isHostOf({ headers }: IncomingMessage, origin: string | null): boolean {
  return origin !== null && headers.host?.toLowerCase() === new URL(origin).host;
}

/** An address that a browser can open: some refuse the one that stands for all addresses, as a container has it. */
export function onThisMachine(url: string): string {
  return url.replace(/^http:\/\/(0\.0\.0\.0|\[::\])(?=:)/, 'http://127.0.0.1');
}
