/** How long a project keeps what has a lifetime: the contents of results, artifacts, and the place of a run in lists. */
import { Duration } from 'luxon';

/** Each is an ISO 8601 duration; null keeps for ever. */
export type Retention = {
  /** The contents of results that did not pass. */
  contents: string | null;
  passed_contents: string | null;
  artifacts: string | null;
  /** Runs in lists. */
  runs: string | null;
};

/** What a project has set itself. */
export type OwnRetention = Partial<Retention>;

const DAY_MS = 86_400_000;

export const retentionNames = [
  'contents',
  'passed_contents',
  'artifacts',
  'runs',
] as const satisfies (keyof Retention)[];

/** Artifacts live as long as the operator says (`ARTIFACT_TTL`). */
const defaultRetention: Omit<Retention, 'artifacts'> = {
  contents: null,
  passed_contents: 'P90D',
  runs: null,
};

/** What holds for a project. `artifactsMs`: how long those live without a word of the project. */
export function retentionOf(own: OwnRetention, artifactsMs: number): Retention {
  const { contents, passed_contents, artifacts, runs } = {
    ...defaultRetention,
    artifacts: daysOf(artifactsMs),
    ...own,
  };
  return { contents, passed_contents, artifacts, runs };
}

/** A duration in days, as people write it: `P30D`, and not `P1M`. */
function daysOf(ms: number): string {
  const parts = Duration.fromMillis(ms).shiftTo('days', 'hours', 'minutes', 'seconds', 'milliseconds');
  return parts.toISO() ?? 'P0D';
}

/** What a project has set after a change, with the names in order; null if it changes nothing. */
export function changedRetention(
  present: OwnRetention,
  change: OwnRetention | undefined,
): OwnRetention | null {
  if (change === undefined) return null;
  const wanted = { ...present, ...change };
  if (retentionNames.every((name) => wanted[name] === present[name])) return null;
  const set = retentionNames.filter((name) => wanted[name] !== undefined);
  return Object.fromEntries(set.map((name) => [name, wanted[name]]));
}

/** Whether a text is a duration from a day to ten years. */
export function isRetention(text: string): boolean {
  const ms = durationMs(text);
  return ms >= DAY_MS && ms <= 3_650 * DAY_MS;
}

/** In milliseconds; `Infinity` for ever. A month has 30 days, and a year has 365. */
export function keptForMs(duration: string | null): number {
  return duration === null ? Infinity : durationMs(duration);
}

function durationMs(text: string): number {
  const parsed = Duration.fromISO(text);
  return parsed.isValid ? parsed.toMillis() : NaN;
}
