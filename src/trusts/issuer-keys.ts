/**
 * The public keys of issuers, by their discovery documents. They are kept for a while, so that a build does not wait for
 * its CI service, and so that nobody makes the server ask there for each request.
 */
import { createLocalJWKSet, type JSONWebKeySet, type JWTVerifyGetKey } from 'jose';
import { LRUCache } from 'lru-cache';
import { coalesceByKey } from '../concurrency/coalesce.js';
import type { FetchJson } from './fetch-json.js';

export type IssuerKeys = {
  /** `team`: each has its share of the fetches. @throws IssuerFault */
  of(issuer: string, team: string): Promise<JWTVerifyGetKey>;
  /** As now, unless they were fetched a moment ago: for a token that is signed with a key that is not known. @throws IssuerFault */
  newest(issuer: string, team: string): Promise<JWTVerifyGetKey>;
};

/** The issuer is away, does not answer as it should, or may not be asked. */
export class IssuerFault extends Error {
  override readonly name = 'IssuerFault';
}

const KEPT_MS = 10 * 60_000;
/** For unknown keys, an issuer is asked at most this often. */
const ASKED_EVERY_MS = 30_000;
/** After a failure, the issuer is left alone for this time. */
const FAILED_MS = 5_000;
const MOST_ISSUERS = 500;
const MOST_KEYS = 100;

/** `key`: null where the issuer could not be read. `at`: of the keys. `askedAt`: of the last fetch, also a failed one. */
type Found = { key: JWTVerifyGetKey; at: number };

/** `now`: in milliseconds, and never set back. */
export function openIssuerKeys(
  fetchJson: FetchJson,
  now: () => number = () => performance.now(),
): IssuerKeys {
  const found = new LRUCache<string, Found>({ max: MOST_ISSUERS });
  /** When the last fetch of a team failed. By team: that one had no place for a fetch says nothing of the issuer. */
  const failed = new LRUCache<string, number>({ max: MOST_ISSUERS });
  const joined = coalesceByKey<void>();

  function kept(issuer: string, mostMs: number): JWTVerifyGetKey | null {
    const known = found.get(issuer);
    return known !== undefined && now() - known.at < mostMs ? known.key : null;
  }

  async function read(issuer: string, team: string, isNewest: boolean): Promise<JWTVerifyGetKey> {
    const key = `${team} ${issuer}`;
    const known = () => kept(issuer, isNewest ? ASKED_EVERY_MS : KEPT_MS);
    const mustAsk = () => known() === null && !(now() - (failed.get(key) ?? -Infinity) < FAILED_MS);
    // Whoever came while a fetch was under way finds its outcome, and fetches nothing again.
    if (mustAsk()) await joined(key, async () => (mustAsk() ? fetchNow(issuer, team, key) : undefined));
    // Keys stay good while the issuer is away for a moment.
    return known() ?? kept(issuer, KEPT_MS) ?? fault('the keys of the issuer could not be read');
  }

  async function fetchNow(issuer: string, team: string, key: string): Promise<void> {
    try {
      found.set(issuer, { key: createLocalJWKSet(await keySet(fetchJson, issuer, team)), at: now() });
    } catch {
      failed.set(key, now());
    }
  }

  return {
    of: (issuer, team) => read(issuer, team, false),
    newest: (issuer, team) => read(issuer, team, true),
  };
}

async function keySet(fetchJson: FetchJson, issuer: string, team: string): Promise<JSONWebKeySet> {
  const discovery = await fetchJson(`${issuer.replace(/\/$/, '')}/.well-known/openid-configuration`, team);
  const { issuer: named, jwks_uri } = discovery as Record<string, unknown>;
  // OpenID Connect Discovery 1.0, section 4.3: another name is that of another issuer.
  if (named !== issuer) fault('the discovery document names another issuer');
  if (typeof jwks_uri !== 'string' || !mayBeIssuer(jwks_uri)) fault('the discovery document has no jwks_uri');
  const { keys } = (await fetchJson(jwks_uri, team)) as Record<string, unknown>;
  if (!Array.isArray(keys) || keys.length > MOST_KEYS) fault('the key set is not one, or too large');
  return { keys: keys as JSONWebKeySet['keys'] };
}

/** Tokens and keys must not travel in the open: http is for an issuer on this machine alone. */
export function mayBeIssuer(text: string): boolean {
  const url = URL.canParse(text) ? new URL(text) : null;
  const isLocal = url !== null && ['localhost', '127.0.0.1', '[::1]'].includes(url.hostname);
  return url?.protocol === 'https:' || (url?.protocol === 'http:' && isLocal);
}

function fault(text: string): never {
  throw new IssuerFault(text);
}
