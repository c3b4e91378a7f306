/**
 * Looks up the names of endpoints by queries of its own (c-ares).
 *
 * The system's look-up, `dns.lookup`, waits in two threads that the whole process shares. There, a few names whose
 * servers do not answer held up the look-ups of every team, and those of the object store and the database too.
 * As the system does, it reads the file of hosts first, and tries a short name in the search domains.
 */
import type { LookupAddress } from 'node:dns';
import { Resolver } from 'node:dns/promises';
import { readFile } from 'node:fs/promises';

/**
 * All addresses of a name. Rejects with `ENOTFOUND` if there are none, with `EAI_AGAIN` if its servers do not say, with
 * `LookUpNotMade` if nothing could be asked.
 */
export type Resolve = (name: string) => Promise<readonly LookupAddress[]>;

/** No question was sent, or there was no resolver to take it. It says nothing about the name. */
export class LookUpNotMade extends Error {
  override readonly name = 'LookUpNotMade';
}

export type ResolverOptions = {
  /** The addresses of resolvers, in place of those of the system. */
  servers?: readonly string[];
  hostsFile?: string;
  /** Says which domains a short name is tried in. */
  configFile?: string;
};

/** For the first of two tries. The second one takes twice as long, and both end before an attempt gives up the name. */
const TRY_MS = 1_000;
const TRIES = 2;
const MOST_SEARCHED = 6;

/** Both files are read at each look-up: a changed file is in force at once. */
export function openResolver({
  servers,
  hostsFile = '/etc/hosts',
  configFile = '/etc/resolv.conf',
}: ResolverOptions = {}): Resolve {
  return async (given) => {
    const name = given.toLowerCase();
    const host = name.replace(/\.$/, '');
    const listed = hostsIn(await textOf(hostsFile), host);
    if (listed.length > 0) return listed;
    // RFC 6761: neither name is ever asked for.
    if (/(^|\.)localhost$/.test(host)) return [addressOf('127.0.0.1'), addressOf('::1')];
    if (/(^|\.)invalid$/.test(host)) throw coded('ENOTFOUND', given);
    // Of its own for each look-up: it follows a change of the system's resolvers, and shares no queue with others.
    const resolver = new Resolver({ timeout: TRY_MS, tries: TRIES });
    if (servers !== undefined) resolver.setServers(servers);
    for (const candidate of candidatesOf(name, await textOf(configFile))) {
      const found = await ask(resolver, candidate);
      if (found.length > 0) return found;
    }
    throw coded('ENOTFOUND', given);
  };
}

/** Empty if the name has no address. */
async function ask(resolver: Resolver, name: string): Promise<LookupAddress[]> {
  const answers = await Promise.allSettled([resolver.resolve4(name), resolver.resolve6(name)]);
  const found = answers.flatMap((answer) => (answer.status === 'fulfilled' ? answer.value : []));
  if (found.length > 0) return found.map(addressOf);
  for (const answer of answers) if (answer.status === 'rejected') rethrowUnlessDefinite(answer.reason, name);
  return [];
}

function rethrowUnlessDefinite(error: unknown, name: string): void {
  switch ((error as NodeJS.ErrnoException).code) {
    case 'ENOTFOUND':
    case 'ENODATA':
    case 'EBADNAME':
      return;
    case 'ECONNREFUSED':
    case 'EFILE':
    case 'ENOMEM':
      throw new LookUpNotMade(`no resolver takes the question for ${name}`, { cause: error });
    default:
      throw coded('EAI_AGAIN', name, error);
  }
}

function coded(code: string, hostname: string, cause?: unknown): Error {
  return Object.assign(new Error(`${code} ${hostname}`, { cause }), { code, hostname });
}

function addressOf(address: string): LookupAddress {
  return { address, family: address.includes(':') ? 6 : 4 };
}

async function textOf(file: string): Promise<string> {
  // A missing file counts as empty.
  return readFile(file, 'utf8').catch(() => '');
}

function wordsOf(text: string, comment: RegExp): string[][] {
  return text.split('\n').map((line) => line.replace(comment, '').trim().toLowerCase().split(/\s+/));
}

function hostsIn(text: string, host: string): LookupAddress[] {
  const lines = wordsOf(text, /#.*/);
  return lines.flatMap(([address = '', ...names]) => (names.includes(host) ? [addressOf(address)] : []));
}

/** The names to ask for, in order, as resolv.conf(5) says: a name with few dots in the search domains first. */
function candidatesOf(name: string, config: string): string[] {
  if (name.endsWith('.')) return [name];
  let domains: string[] = [];
  let leastDots = 1;
  for (const [keyword, ...values] of wordsOf(config, /[#;].*/)) {
    if (keyword === 'search' || keyword === 'domain') domains = values.slice(0, MOST_SEARCHED);
    if (keyword !== 'options') continue;
    const given = values.findLast((value) => /^ndots:\d{1,2}$/.test(value));
    if (given !== undefined) leastDots = Number(given.slice('ndots:'.length));
  }
  const searched = domains.map((domain) => `${name}.${domain.replace(/\.$/, '')}`);
  return name.split('.').length > leastDots ? [name, ...searched] : [...searched, name];
}
