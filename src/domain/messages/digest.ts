/** What a digest tells of a day of a project. */
import type { Instant } from '../event.js';

/** `lost_ms`: of failed attempts. */
export type DigestCounts = {
  new: number;
  fixed: number;
  flaky: number;
  known_ending: number;
  lost_ms: number;
};

/** `parts`: what is of each owner. `lost_ms`: of runs that are lost as a whole too, which are of no owner. */
export type DayNumbers = {
  day: string;
  due_at: Instant;
  runs: number;
  lost_ms: number;
  parts: readonly DigestPart[];
};

export type DigestPart = DigestCounts & { owner: string | null };

export const noDigestCounts: DigestCounts = { new: 0, fixed: 0, flaky: 0, known_ending: 0, lost_ms: 0 };

const names = Object.keys(noDigestCounts) as (keyof DigestCounts)[];

export function sumOfParts(parts: readonly DigestCounts[]): DigestCounts {
  const sum = { ...noDigestCounts };
  for (const part of parts) for (const name of names) sum[name] += part[name];
  return sum;
}

/** Whether there is anything to tell. */
export function isQuiet({ runs, lost_ms, parts }: Pick<DayNumbers, 'runs' | 'lost_ms' | 'parts'>): boolean {
  return runs === 0 && lost_ms === 0 && parts.length === 0;
}

/** Those of these owners; all where there is no filter by owners. */
export function partsOf(parts: readonly DigestPart[], owners: readonly string[] | null): DigestPart[] {
  return parts.filter(({ owner }) => owners === null || (owner !== null && owners.includes(owner)));
}
