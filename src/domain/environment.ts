/**
 * The environment in which tests ran, as `metadata.environment` of a run and of a result says it (docs/api.md, section 14): pairs
 * such as `os=linux`. Its key is the pairs sorted by name, `name=value` joined by `,`; `''` without pairs. A line of a test is the
 * test in one environment, so lines are told apart by the key.
 */
import { LRUCache } from 'lru-cache';
import { limits } from '../limits.js';
import { hashedId } from './hashed-id.js';

type Metadata = Readonly<Record<string, unknown>>;
export type Environment = Readonly<Record<string, string>>;
export type EnvironmentKey = string;

export const MOST_PAIRS = 10;
const NAME = /^[a-z0-9_.-]{1,64}$/;

/** Null without pairs, and where one of them is not understood: half an environment would be another one. */
export function environmentIn(metadata: Metadata | null | undefined): Environment | null {
  const sent = metadata?.['environment'];
  if (typeof sent !== 'object' || sent === null || Array.isArray(sent)) return null;
  const pairs = Object.entries(sent);
  if (pairs.length === 0 || pairs.length > MOST_PAIRS) return null;
  const texts = pairs.map(([name, value]) => [name, textOf(value)] as const);
  if (!texts.every(([name, text]) => isName(name) && text !== null && isValue(text))) return null;
  // Not by assignment: a name may be `__proto__`.
  return Object.fromEntries(texts) as Environment;
}

function textOf(value: unknown): string | null {
  if (typeof value === 'number' || typeof value === 'boolean') return String(value);
  return typeof value === 'string' ? value : null;
}

export function isName(name: string): boolean {
  return NAME.test(name);
}

/** A comma would be the end of the pair in a key. */
export function isValue(text: string): boolean {
  if (text === '' || text.includes(',') || text.length > 2 * limits.branchLength) return false;
  return Array.from(text).length <= limits.branchLength;
}

export function keyOfEnvironment(environment: Environment | null): EnvironmentKey {
  if (environment === null) return '';
  const names = Object.keys(environment).sort();
  return names.map((name) => `${name}=${environment[name]}`).join();
}

/** Of metadata. */
export function environmentKeyIn(metadata: Metadata | null | undefined): EnvironmentKey {
  return keyOfEnvironment(environmentIn(metadata));
}

/** The environment that a key stands for; null for `''`. A value may contain `=`, a name does not. */
export function environmentOf(key: EnvironmentKey): Environment | null {
  if (key === '') return null;
  return Object.fromEntries(
    key.split(',').map((pair) => {
      const at = pair.indexOf('=');
      return [pair.slice(0, at), pair.slice(at + 1)];
    }),
  );
}

/** Stands for a key in ids of documents, where a key of several kilobytes would be too long. */
export function environmentId(key: EnvironmentKey): string {
  const known = recentIds.get(key);
  if (known !== undefined) return known;
  const id = hashedId(key);
  recentIds.set(key, id);
  return id;
}

/** The results of a run follow one another. */
const recentIds = new LRUCache<EnvironmentKey, string>({ max: 16 });

/**
 * That of a result: the pairs of the call that brought it, replaced by its own where both have a name. Most results have none of
 * their own, and are asked for each: that costs nothing.
 */
export function resultEnvironment(ofCall: EnvironmentKey, metadata: Metadata | null): EnvironmentKey {
  const own = environmentIn(metadata);
  if (own === null) return ofCall;
  return keyOfEnvironment({ ...environmentOf(ofCall), ...own });
}

/** The key that a client names, whose pairs may come in any order; null for a text that is no key. */
export function parseEnvironmentKey(text: string): EnvironmentKey | null {
  if (text === '') return '';
  const environment = environmentOf(text)!;
  const pairs = text.split(',');
  // The pairs of a run and those of a result together.
  if (pairs.length > 2 * MOST_PAIRS || Object.keys(environment).length < pairs.length) return null;
  const isKey =
    pairs.every((pair) => pair.includes('=')) &&
    Object.entries(environment).every(([name, value]) => isName(name) && isValue(value));
  return isKey ? keyOfEnvironment(environment) : null;
}
