/** The words of the sentences in histories. */
import { isId } from '../ids.js';
import type { ResultStatus } from '../results/result.js';

/** What is shown instead of the name of a person who is forgotten. */
export const FORGOTTEN = 'forgotten person';

/** The one who caused an event: a key, a person or a build. `name` is null for a key whose name is not known any more. */
export type Actor = { id: string; name: string | null };

/** The actor of what the program does by itself. */
const SYSTEM = 'system';
/** With it begins the actor of a build without a stored key; the name of the build follows. */
const BUILD = 'build ';

/** The actor as the subject of a sentence. */
export function subjectOf({ id, name }: Actor): string {
  if (id === SYSTEM) return 'The program';
  if (id.startsWith(BUILD)) return `The build ${quoted(id.slice(BUILD.length))}`;
  if (isId('person', id)) return name === FORGOTTEN || name === null ? 'A forgotten person' : name;
  return name === null ? `The key ${id}` : `The key ${quoted(name)}`;
}

export const statusPhrases = {
  Pending: 'pending',
  Running: 'running',
  Passed: 'passed',
  Failed: 'failed',
  Skipped: 'skipped',
  KnownFail: 'known to fail',
} as const satisfies Record<ResultStatus, string>;

export function quoted(name: string): string {
  return `"${name}"`;
}

/** `a`, `a and b`, `a, b and c` */
export function listed(words: readonly string[]): string {
  return words.length < 2 ? words.join('') : `${words.slice(0, -1).join(', ')} and ${words.at(-1)}`;
}

/** ` after 1.2 s`; empty where the time is not known, or where the clocks of two nodes put the end before the start. */
export function afterTime(ms: number | null): string {
  return ms === null || Number.isNaN(ms) || ms < 0 ? '' : ` after ${duration(ms)}`;
}

function duration(ms: number): string {
  if (ms < 1_000) return `${ms} ms`;
  if (ms < 60_000) return `${trimmed(Math.floor(ms / 100) / 10)} s`;
  const minutes = Math.floor(ms / 60_000);
  if (minutes < 60) return inTwo(minutes, 'min', Math.floor((ms % 60_000) / 1_000), 's');
  return inTwo(Math.floor(minutes / 60), 'h', minutes % 60, 'min');
}

function inTwo(many: number, unit: string, few: number, smaller: string): string {
  return few === 0 ? `${many} ${unit}` : `${many} ${unit} ${few} ${smaller}`;
}

function trimmed(seconds: number): string {
  return seconds.toFixed(1).replace(/\.0$/, '');
}
