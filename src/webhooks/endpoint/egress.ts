/**
 * The addresses to which webhooks may connect: public unicast addresses, and opened ranges of the own network.
 *
 * The policy judges the address of each connection and nothing else. The host of a URL says little, and a resolver may
 * answer something else the next time (docs/decisions/014).
 */
import type { LookupAddress } from 'node:dns';
import { Agent as HttpAgent, type AgentOptions, type ClientRequestArgs } from 'node:http';
import { Agent as HttpsAgent } from 'node:https';
import { isIP, type LookupFunction } from 'node:net';
import type { Duplex } from 'node:stream';
import ipaddr from 'ipaddr.js';
import { openFairSemaphore } from '../../concurrency/fair-semaphore.js';
import { withTimeout } from '../../concurrency/with-timeout.js';
import { LookUpNotMade, openResolver, type Resolve } from './resolver.js';

export type Refused = (address: string, name: string) => void;

type Agents = { http: HttpAgent; https: HttpsAgent };

/** `kept`: connections are used again. `fresh`: each request has a connection of its own. */
export type Egress = { kept: Agents; fresh: Agents; close(): void };

export class AddressRefused extends Error {
  override readonly name = 'AddressRefused';
}

/** An idle connection is kept for this long, for the next message. */
const KEPT_MS = 4_000;
/** After this the attempt fails, whatever the resolver does. */
const LOOK_UP_MS = 5_000;
/** A look-up that finds no place in this time is not made. Most of an attempt's time stays for the endpoint. */
const PLACE_MS = 3_000;
/** Look-ups under way, of all teams and of one. One team has up to 50 webhooks, each with a name of its own. */
const LOOK_UPS = { atOnce: 256, perTeam: 64 };

export type EgressOptions = {
  /** Opened ranges as CIDRs. */
  allow: readonly string[];
  /** All addresses of a name: by default by queries of its own. */
  resolve?: Resolve;
  /** Called with a refused address and the name that led there. */
  refused?: Refused;
  /** The most look-ups at once, of all teams and of one. */
  lookUps?: { atOnce: number; perTeam: number };
};

/** Requests name their team in the option `team`: each team has its share of the look-ups. */
export function openEgress({
  allow,
  resolve = openResolver(),
  refused,
  lookUps = LOOK_UPS,
}: EgressOptions): Egress {
  const lookUp = sharedAndFair(resolve, lookUps);

  const check = (address: string, name: string): void => {
    if (isAllowed(address, allow)) return;
    refused?.(address, name);
    // Without the address: a user who registers webhooks must not learn what a name resolves to inside a network.
    throw new AddressRefused('address not allowed');
  };

  /** Refused if any address of the name is refused, because the runtime chooses the one to connect to. */
  const resolveAllowed = async (team: string, name: string): Promise<readonly LookupAddress[]> => {
    const { answer } = await lookUp(team, name);
    const addresses = await withTimeout(LOOK_UP_MS, answer, () => late(name));
    for (const { address } of addresses) check(address, name);
    if (addresses.length === 0) throw Object.assign(new Error(name), { code: 'ENOTFOUND' });
    return addresses;
  };

  const lookupFor =
    (team: string): LookupFunction =>
    (name, options, done) => {
      resolveAllowed(team, name).then(
        (addresses) => {
          if (options.all === true) return done(null, [...addresses]);
          const [{ address, family }] = addresses as [LookupAddress];
          return done(null, address, family);
        },
        (error: NodeJS.ErrnoException) => done(error, '', 0),
      );
    };

  const agents = (options: AgentOptions): Agents => ({
    http: guarded(new HttpAgent(options), check, lookupFor),
    https: guarded(new HttpsAgent(options), check, lookupFor),
  });
  const kept = agents({ keepAlive: true, maxFreeSockets: 8, timeout: KEPT_MS });
  const fresh = agents({ keepAlive: false });
  return {
    kept,
    fresh,
    close: () => {
      for (const { http, https } of [kept, fresh]) {
        http.destroy();
        https.destroy();
      }
    },
  };
}

type Created = (error: Error | null, stream: Duplex) => void;
type Connecting = ClientRequestArgs & { team?: string };
type Connects = { createConnection(options: Connecting, done?: Created): Duplex | null | undefined };

/** Each connection looks its name up for its team. A host that is an address is never looked up, so it is judged here. */
function guarded<A extends HttpAgent>(
  agent: A,
  check: (address: string, name: string) => void,
  lookupFor: (team: string) => LookupFunction,
): A {
  const connects = agent as unknown as Connects;
  const connect = connects.createConnection.bind(agent);
  connects.createConnection = (options, done) => {
    const host = options.host ?? '';
    // An error thrown here would not reach the request: the agent calls this in the middle of one.
    try {
      if (isIP(host) !== 0) check(host, host);
    } catch (error) {
      done?.(error as Error, undefined as unknown as Duplex);
      return undefined;
    }
    return connect({ ...options, lookup: lookupFor(options.team ?? '') }, done);
  };
  return agent;
}

type LookUp = { answer: Promise<readonly LookupAddress[]> };

/**
 * Requests for a name during its look-up share the answer. Each look-up takes a place, and the teams share the places:
 * the names of one team, whose servers do not answer, hold up no other. @throws LookUpNotMade without a place.
 */
function sharedAndFair(resolve: Resolve, { atOnce, perTeam }: { atOnce: number; perTeam: number }) {
  const underWay = new Map<string, LookUp>();
  const places = openFairSemaphore(atOnce, { perKey: perTeam });
  return async (team: string, name: string): Promise<LookUp> => {
    const before = underWay.get(name);
    if (before !== undefined) return before;
    const release = await places.acquire(team, { withinMs: PLACE_MS });
    // It may have begun for another request meanwhile.
    const present = underWay.get(name);
    if (present !== undefined) release?.();
    if (present !== undefined) return present;
    if (release === null) throw new LookUpNotMade(`too many look-ups are under way to look up ${name}`);
    const answer = Promise.resolve()
      .then(() => resolve(name))
      .finally(() => {
        underWay.delete(name);
        release();
      });
    // Its requests may have given it up.
    answer.catch(() => undefined);
    const begun = { answer };
    underWay.set(name, begun);
    return begun;
  };
}

function late(name: string): never {
  throw Object.assign(new Error(`${name} was not looked up in time`), { code: 'EAI_AGAIN' });
}

// --- The policy -----------------------------------------------------------------------------------------------------

type Address = ReturnType<typeof ipaddr.parse>;
type Range = ReturnType<typeof ipaddr.parseCIDR>;

/**
 * Whether a connection to an address is allowed, no matter where the address is from: a URL, or the answer of a
 * resolver. A text that is not an address is refused. `allow`: opened ranges as CIDRs, private ones too.
 */
export function isAllowed(address: string, allow: readonly string[]): boolean {
  // Spellings that only a resolver takes (0177.1, 0x7f000001) are no addresses yet: the resolver's answer is judged.
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

function isOpened(address: Address, allow: readonly string[]): boolean {
  return allow.some((each) => isIn(address, ipaddr.parseCIDR(each)));
}

function isPublic(address: Address): boolean {
  if (address.range() === 'unicast') {
    return !virtual.includes(address.toString()) && (!isV6(address) || isIn(address, globalUnicast));
  }
  // In a network without IPv4, a resolver answers a NAT64 address for a public host: the IPv4 address in it decides.
  // Other addresses with an IPv4 address in them (6to4, Teredo, `::/96`, an own translator) lead to unknown places.
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

/** All allocated public IPv6 addresses (RFC 4291). Addresses outside are unused, or belong to the own network. */
const globalUnicast = ipaddr.parseCIDR('2000::/3');
/** RFC 6052. */
const nat64 = ipaddr.parseCIDR('64:ff9b::/96');
/** Azure's own services, on every machine there, behind an address that looks public. */
const virtual = ['168.63.129.16'];
