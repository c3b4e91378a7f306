/** Where a person or a key comes from, by the address and the `User-Agent` of a request. */
import ipaddr from 'ipaddr.js';
import type { Client } from '../domain/audit/told-events.js';

export type { Client } from '../domain/audit/told-events.js';

export function clientOf(address: string, userAgent: string): Client {
  return { network: networkOf(address, { v4: 24, v6: 48 }), agent: agentOf(userAgent) };
}

/** Whom an address counts as. A /64 of IPv6 is the least that a provider gives: somebody with a new address each time is no other one. */
export function oneClient(address: string): string {
  return networkOf(address, { v4: 32, v6: 64 });
}

/** The network of an address with so many bits. Any other text is its own network. */
export function networkOf(address: string, bits: { v4: number; v6: number }): string {
  if (!ipaddr.isValid(address)) return address;
  // `::ffff:10.0.0.1` is how a socket for both families names 10.0.0.1.
  const plain = ipaddr.process(address);
  const kept = plain.kind() === 'ipv4' ? bits.v4 : bits.v6;
  const bytes = plain.toByteArray().map((byte, at) => byte & (0xff << Math.max(0, 8 - (kept - 8 * at))));
  const network = ipaddr.fromByteArray(bytes.map((byte, at) => (8 * at < kept ? byte & 0xff : 0))).toString();
  return kept === 8 * bytes.length ? network : `${network}/${kept}`;
}

/** In this order: the programs below name those above them too. */
const families = {
  testledger: 'testledger',
  'curl/': 'curl',
  'python-': 'Python',
  'Go-http-client/': 'Go',
  'Java-http-client/': 'Java',
  'Edg/': 'Edge',
  'OPR/': 'Opera',
  'Firefox/': 'Firefox',
  'Chrome/': 'Chrome',
  'Safari/': 'Safari',
};
const systems = {
  Android: 'Android',
  iPhone: 'iOS',
  iPad: 'iOS',
  Windows: 'Windows',
  'Mac OS': 'macOS',
  Linux: 'Linux',
};

function agentOf(userAgent: string): string {
  const first = (names: Record<string, string>) =>
    Object.entries(names).find(([part]) => userAgent.includes(part))?.[1];
  const system = first(systems);
  return (first(families) ?? 'another program') + (system === undefined ? '' : ` on ${system}`);
}
