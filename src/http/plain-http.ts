/** Whether people reach the server without encryption, from where others can listen. */
import { isIP } from 'node:net';
import ipaddr from 'ipaddr.js';

/** What an operator should know of `PUBLIC_URL`; null where all is well. */
export function plainHttpWarning({
  publicUrl,
  trustedProxies,
}: {
  publicUrl: string | null;
  trustedProxies: readonly string[];
}): string | null {
  if (publicUrl === null) {
    return trustedProxies.length === 0
      ? null
      : 'PUBLIC_URL is not set, though a proxy is before the server: behind https, browsers are not told to stay there.';
  }
  const { protocol, hostname } = new URL(publicUrl);
  if (protocol === 'https:' || !isPublic(hostname)) return null;
  return `PUBLIC_URL is http: passwords, sessions and keys cross the network to ${hostname} in clear.`;
}

export const plainHttpAdvice =
  'Put a proxy with https before the server, and set PUBLIC_URL to its https URL.';

/** Names that no public server has (RFC 6761, RFC 6762, RFC 8375, and `internal`). */
const PRIVATE_NAME = /^[^.]+$|\.(localhost|local|internal|home\.arpa|lan|test)$/;
const PRIVATE_RANGES = ['private', 'loopback', 'linkLocal', 'uniqueLocal', 'carrierGradeNat', 'unspecified'];

function isPublic(hostname: string): boolean {
  const name = hostname.replace(/^\[|\]$/g, '');
  return isIP(name) === 0 ? !PRIVATE_NAME.test(name) : !PRIVATE_RANGES.includes(ipaddr.process(name).range());
}
