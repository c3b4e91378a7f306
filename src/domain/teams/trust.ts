/**
 * A trust of a project in the tokens of a CI service: who issues them, for whom they are made, and which claims they must
 * have. Patterns have wildcards: `*` stands for any text without a slash, `**` for any text.
 */
import { fail, invalid } from '../../errors.js';
import { limits } from '../../limits.js';
import type { Instant } from '../event.js';
import type { Fact } from '../events.js';
import { notFound } from '../life.js';

export type TrustRecord = {
  trust_id: string;
  issuer: string;
  audience: string;
  /** Patterns by the names of claims. */
  claims: Readonly<Record<string, string>>;
  created_at: Instant;
};

export type TrustCommand =
  ({ type: 'AddTrust' } & Omit<TrustRecord, 'created_at'>) | { type: 'RemoveTrust'; trust_id: string };

export type TrustEvent = 'TrustCreated' | 'TrustRemoved';

/** @throws AppError `validation_failed` for claims that let strangers in, `trust_limit`, `not_found` */
export function decideTrust(
  { project_id, trusts }: { project_id: string; trusts: readonly TrustRecord[] },
  command: TrustCommand,
): Fact<TrustEvent>[] {
  switch (command.type) {
    case 'AddTrust': {
      const { type: _, ...trust } = command;
      mustNameOwner(trust.claims);
      if (trusts.length >= limits.trustsPerProject)
        fail('trust_limit', `A project can have at most ${limits.trustsPerProject} trusts.`);
      return [{ type: 'TrustCreated', data: { project_id, ...trust } }];
    }
    case 'RemoveTrust': {
      const { trust_id } = command;
      if (!trusts.some((each) => each.trust_id === trust_id)) notFound('trust');
      return [{ type: 'TrustRemoved', data: { project_id, trust_id } }];
    }
  }
}

/** The name of the first claim that is not as the trust says; null where all are. */
export function wrongClaim(
  trust: Pick<TrustRecord, 'claims'>,
  claims: Readonly<Record<string, unknown>>,
): string | null {
  for (const [name, pattern] of Object.entries(trust.claims)) {
    const value = Object.hasOwn(claims, name) ? claims[name] : undefined;
    const isText = ['string', 'number', 'boolean'].includes(typeof value);
    if (!isText || !matchesWildcards(pattern, String(value))) return name;
  }
  return null;
}

/**
 * Whether a text is as a pattern says, in time that grows with the product of both lengths: as a regular expression, a
 * pattern with many wildcards would take for ever.
 */
export function matchesWildcards(pattern: string, text: string): boolean {
  const parts = pattern.match(/\*\*|./gsu) ?? [];
  /** At n: the text so far is as the first n parts say. */
  let reached = withEmptyWildcards([true], parts);
  for (const character of text) {
    const next: boolean[] = [];
    for (const [n, part] of parts.entries()) {
      if (reached[n] !== true) continue;
      if (part === '**' || (part === '*' && character !== '/')) next[n] = true;
      else if (part !== '*' && part === character) next[n + 1] = true;
    }
    reached = withEmptyWildcards(next, parts);
  }
  return reached[parts.length] === true;
}

/** A wildcard stands for an empty text too. */
function withEmptyWildcards(reached: boolean[], parts: readonly string[]): boolean[] {
  for (const [n, part] of parts.entries()) if (part.startsWith('*')) reached[n + 1] ||= reached[n] === true;
  return reached;
}

/** One of these must say whose builds they are, or everybody who has an account at the CI service is let in. */
const naming: Readonly<Record<string, (pattern: string) => boolean>> = {
  repository: namesOwner,
  project_path: namesOwner,
  repository_id: isExact,
  repository_owner_id: isExact,
  project_id: isExact,
  sub: namesSubject,
};

/** @throws AppError `validation_failed` */
function mustNameOwner(claims: TrustRecord['claims']): void {
  const isNamed = Object.entries(claims).some(
    ([name, pattern]) => Object.hasOwn(naming, name) && naming[name]!(pattern),
  );
  if (isNamed) return;
  const names = Object.keys(naming).join(', ');
  const detail = `must have one of ${names} that names an owner before its first wildcard, such as acme/*`;
  invalid('/claims', 'not_valid', detail);
}

function isExact(pattern: string): boolean {
  return hasWord(pattern) && !pattern.includes('*');
}

/** `acme*` before the slash would let in `acme-evil`. */
function namesOwner(pattern: string): boolean {
  return isExact(pattern) || hasWord(/^[^*/]*(?=\/)/.exec(pattern)?.[0] ?? '');
}

/** The first part of a subject is most often a word of the service, as in `repo:acme/shop:ref:refs/heads/main`. */
function namesSubject(pattern: string): boolean {
  if (isExact(pattern)) return true;
  const whole = pattern.replace(/\*.*$/s, '').split(/[:/]/).slice(0, -1);
  return whole.some((part, n) => hasWord(part) && !(n === 0 && /^[a-z_-]+$/.test(part)));
}

function hasWord(text: string): boolean {
  return /[\p{L}\p{N}]/u.test(text);
}
