/** The fields that clients describe a run with. */
import { environmentIn } from '../environment.js';
import type { EventData } from '../events.js';
import { limits } from '../../limits.js';

/** A new field is added here and to the schemas (CONTRIBUTING.md, Add a field). */
export const descriptionFields = ['label', 'metadata'] as const;
type Metadata = Record<string, unknown>;
export type RunDescription = Pick<EventData['RunCreated'], (typeof descriptionFields)[number]>;

/** Picks the description out of a larger object. A field that is left out is null. */
export function runDescription(sent: Partial<RunDescription>): RunDescription {
  return Object.fromEntries(
    descriptionFields.map((name) => [name, sent[name] ?? null]),
  ) as unknown as RunDescription;
}

/**
 * A description with what it lacks from a later one; nothing is overwritten. Metadata are filled in by their top-level
 * names, in order, as far as they stay within the limits of metadata. The environment keeps the pairs that both have.
 */
export function filledIn(present: RunDescription, later: Partial<RunDescription>): RunDescription {
  return {
    label: present.label ?? later.label ?? null,
    metadata: filledMetadata(present.metadata, later.metadata ?? null),
  };
}

function filledMetadata(present: Metadata | null, later: Metadata | null): Metadata | null {
  if (present === null || later === null) return present ?? later;
  const shared = withSharedEnvironment(present, later);
  const missing = Object.entries(later).filter(([name]) => !Object.hasOwn(present, name));
  if (missing.length === 0) return shared;
  const filled = { ...shared };
  let [bytes, values] = [bytesOf(shared), valuesIn(shared) - 1];
  for (const [name, value] of missing) {
    // With the comma before the name and the colon after it.
    const size = bytesOf(name) + bytesOf(value) + 2;
    const count = valuesIn(value);
    if (bytes + size > limits.metadataBytes || values + count > limits.metadataValues) continue;
    // Not by assignment: a name may be `__proto__`.
    Object.defineProperty(filled, name, { value, enumerable: true, writable: true, configurable: true });
    bytes += size;
    values += count;
  }
  return filled;
}

/**
 * A run of calls from several environments is in none of them as a whole. With the pairs of its first call alone, its baseline
 * would depend on which call came first. An environment without pairs stays there, so that no later call fills it in.
 */
function withSharedEnvironment(present: Metadata, later: Metadata): Metadata {
  if (!Object.hasOwn(present, 'environment') || !Object.hasOwn(later, 'environment')) return present;
  const own = Object.entries(environmentIn(present) ?? {});
  const others = new Map(Object.entries(environmentIn(later) ?? {}));
  const both = own.filter(([name, value]) => others.get(name) === value);
  return both.length === own.length ? present : { ...present, environment: Object.fromEntries(both) };
}

function bytesOf(value: unknown): number {
  return new TextEncoder().encode(JSON.stringify(value)).length;
}

function valuesIn(value: unknown): number {
  if (typeof value !== 'object' || value === null) return 1;
  return Object.values(value).reduce((count: number, each) => count + valuesIn(each), 1);
}
