/** Which addresses webhooks may be sent to: public unicast ones, and those of one's own network that are opened. */
import { isIP } from 'node:net';
import ipaddr from 'ipaddr.js';

type Address = ReturnType<typeof ipaddr.parse>;
type Range = ReturnType<typeof ipaddr.parseCIDR>;

/**
 * Whether a connection to an address may be made, whoever named it: a URL, or the answer of a resolver. A text that is
 * no address is refused. `allow`: CIDRs that are opened, private ones too.
 */
export function isAllowed(address: string, allow: readonly string[]): boolean {
  // Spellings that only a resolver takes (0177.1, 0x7f000001) are no addresses yet: what it makes of them is judged.
  const family = isIP(address);
  if (family === 0) return false;
  const spelled = ipaddr.parse(family === 6 ? inHexadecimal(address) : address);
  // `::ffff:10.0.0.1` is a connection to 10.0.0.1.
  const meant = mappedIn(spelled) ?? spelled;
  return isOpened(spelled, allow) || isOpened(meant, allow) || isPublic(meant);
}

/** ipaddr.js takes `::8.8.8.8` for `::ffff:8.8.8.8`, which is another address. */
function inHexadecimal(v6: string): string {
  return new URL(`http://[${v6.replace(/%.*$/s, '')}]`).hostname.slice(1, -1);
}

/** Whether any of the CIDRs has the address. */
function isOpened(address: Address, allow: readonly string[]): boolean {
  return allow.some((each) => isIn(address, ipaddr.parseCIDR(each)));
}

function isPublic(address: Address): boolean {
  if (address.range() === 'unicast') {
    return !virtual.includes(address.toString()) && (!isV6(address) || isIn(address, globalUnicast));
  }
  // What a resolver of a network without IPv4 answers for a public host: the address behind it decides. All else that
  // has an IPv4 address in it (6to4, Teredo, `::/96`, a translator of one's own) leads somewhere nobody can tell.
  return isV6(address) && isIn(address, nat64) && isPublic(lastFourBytes(address));
}

function mappedIn(address: Address): Address | null {
  return isV6(address) && address.isIPv4MappedAddress() ? address.toIPv4Address() : null;
}

function lastFourBytes(address: Address): Address {
  return ipaddr.fromByteArray(address.toByteArray().slice(-4));
}

function isV6(address: Address): address is InstanceType<typeof ipaddr.IPv6> {
  return address.kind() === 'ipv6';
}

function isIn(address: Address, [network, bits]: Range): boolean {
  return address.kind() === network.kind() && address.match([network, bits]);
}

/** All that has been given out of IPv6 (RFC 4291): what lies beyond is reached by nobody, or by one's own network. */
const globalUnicast = ipaddr.parseCIDR('2000::/3');
/** RFC 6052. */
const nat64 = ipaddr.parseCIDR('64:ff9b::/96');
/** Azure's own services, at every machine there, under an address that looks public. */
const virtual = ['168.63.129.16'];
