/** Where a request comes from, as far as it is kept: a network and a family of programs. */
import type { IncomingMessage } from 'node:http';
import type { Socket } from 'node:net';
import { clientOf, type Client } from '../people/client.js';
import { clientAddress } from './client-address.js';

/** The last request of each connection: nearly always the next one is from the same client. */
const last = new WeakMap<Socket, { agent: string; forwarded: string; client: Client }>();

/** `trusted`: the CIDRs of proxies whose word on the address counts. */
export function clientOn(request: IncomingMessage, trusted: readonly string[]): Client {
  const { headers, socket } = request;
  const agent = headers['user-agent'] ?? '';
  const forwarded = String(headers['x-forwarded-for'] ?? '');
  const known = last.get(socket);
  if (known?.agent === agent && known.forwarded === forwarded) return known.client;
  const client = clientOf(clientAddress(request, trusted), agent);
  last.set(socket, { agent, forwarded, client });
  return client;
}
