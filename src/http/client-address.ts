/** The address of a client, also behind proxies. */
import type { IncomingMessage } from 'node:http';
import ipaddr from 'ipaddr.js';

/**
 * Each proxy appends the address from which a request came to it to `X-Forwarded-For`. So the last address that is no
 * trusted proxy counts: the client may have made up what stands before it. `trusted`: the CIDRs of the proxies.
 */
export function clientAddress(
  { headers, socket }: Pick<IncomingMessage, 'headers'> & { socket: { remoteAddress?: string | undefined } },
  trusted: readonly string[],
): string {
  const direct = socket.remoteAddress ?? '';
  const forwarded = [headers['x-forwarded-for'] ?? []].flat().join().split(',');
  const path = [...forwarded.map((each) => each.trim()), direct];
  while (path.length > 1 && isTrusted(path.at(-1)!, trusted) && ipaddr.isValid(path.at(-2)!)) path.pop();
  return path.at(-1)!;
}

function isTrusted(address: string, trusted: readonly string[]): boolean {
  if (!ipaddr.isValid(address)) return false;
  // `::ffff:10.0.0.1` is how a socket for both families names 10.0.0.1.
  const plain = ipaddr.process(address);
  return trusted.some((cidr) => {
    const [range, bits] = ipaddr.parseCIDR(cidr);
    return range.kind() === plain.kind() && plain.match(range, bits);
  });
}
