/**
 * Agents that connect to allowed addresses only. What is judged is the address that a connection is made to, and
 * nothing else is: the host of a URL says little, and what a resolver says now it may not say again (docs/decisions/014).
 */
import { lookup as systemLookup, type LookupAddress } from 'node:dns';
import { Agent as HttpAgent, type AgentOptions, type ClientRequestArgs } from 'node:http';
import { Agent as HttpsAgent } from 'node:https';
import { isIP, type LookupFunction } from 'node:net';
import type { Duplex } from 'node:stream';
import { withTimeout } from '../../concurrency/with-timeout.js';
import { isAllowed } from '../endpoint/ip-policy.js';

/** All addresses of a name. */
export type Resolve = (name: string) => Promise<readonly LookupAddress[]>;

export type Refused = (address: string, name: string) => void;

type Agents = { http: HttpAgent; https: HttpsAgent };

/** `kept`: connections are used again. `fresh`: each request has one of its own. */
export type Egress = { kept: Agents; fresh: Agents; close(): void };

export class AddressRefused extends Error {
  override readonly name = 'AddressRefused';
}

/** Open connections are kept so long, in case of another message. */
const KEPT_MS = 4_000;
/** The system goes on, but whoever waits for this name has had its time. */
const LOOKS_UP_FOR_MS = 5_000;

/** `allow`: CIDRs of one's own network that are opened. `refused` is told of an address, and of the name that led there. */
export function openEgress({
  allow,
  resolve = resolveBySystem,
  refused,
}: {
  allow: readonly string[];
  resolve?: Resolve;
  refused?: Refused;
}): Egress {
  const resolveOnce = shared(resolve);

  const check = (address: string, name: string): void => {
    if (isAllowed(address, allow)) return;
    refused?.(address, name);
    // Not which: what a name resolves to inside a network is nothing that who registers webhooks may ask for.
    throw new AddressRefused('address not allowed');
  };

  /** Of all that a name has none may be refused: which of them is connected to is the runtime's choice. */
  const resolveAllowed = async (name: string): Promise<readonly LookupAddress[]> => {
    const addresses = await withTimeout(LOOKS_UP_FOR_MS, resolveOnce(name), () => late(name));
    for (const { address } of addresses) check(address, name);
    if (addresses.length === 0) throw Object.assign(new Error(name), { code: 'ENOTFOUND' });
    return addresses;
  };

  const lookup: LookupFunction = (name, options, done) => {
    resolveAllowed(name).then(
      (addresses) => {
        if (options.all === true) return done(null, [...addresses]);
        const [{ address, family }] = addresses as [LookupAddress];
        return done(null, address, family);
      },
      (error: NodeJS.ErrnoException) => done(error, '', 0),
    );
  };

  const agents = (options: AgentOptions): Agents => ({
    http: guarded(new HttpAgent({ ...options, lookup }), check),
    https: guarded(new HttpsAgent({ ...options, lookup }), check),
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
type Connects = { createConnection(options: ClientRequestArgs, done?: Created): Duplex | null | undefined };

/** An address needs no look-up, so that it is judged here. */
function guarded<A extends HttpAgent>(agent: A, check: (address: string, name: string) => void): A {
  const connects = agent as unknown as Connects;
  const connect = connects.createConnection.bind(agent);
  connects.createConnection = (options, done) => {
    const host = options.host ?? '';
    // Thrown here, it would be nobody's: the agent calls this in the middle of a request.
    try {
      if (isIP(host) !== 0) check(host, host);
    } catch (error) {
      done?.(error as Error, undefined as unknown as Duplex);
      return undefined;
    }
    return connect(options, done);
  };
  return agent;
}

/**
 * Those who ask for a name while it is looked up get the same answer. The system looks up two names at a time, for the
 * whole process: a name whose servers do not answer must not be asked for by each message.
 */
function shared(resolve: Resolve): Resolve {
  const underWay = new Map<string, Promise<readonly LookupAddress[]>>();
  return (name) => {
    const answer =
      underWay.get(name) ??
      Promise.resolve()
        .then(() => resolve(name))
        .finally(() => underWay.delete(name));
    underWay.set(name, answer);
    return answer;
  };
}

function late(name: string): never {
  throw Object.assign(new Error(`${name} was not looked up in time`), { code: 'EAI_AGAIN' });
}

const resolveBySystem: Resolve = (name) =>
  new Promise((resolve, reject) => {
    systemLookup(name, { all: true, verbatim: true }, (error, addresses) =>
      error === null ? resolve(addresses) : reject(error),
    );
  });
