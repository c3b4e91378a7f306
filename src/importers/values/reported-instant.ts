import { hasZone, instantOf } from './numbers.js';
import type { Sink } from '../sink.js';

type Warner = Pick<Sink, 'warn'>;

/**
 * The instant in UTC. Null for no text, and, with a warning, for one that is no time that a known tool writes, and for one
 * without a zone in the future: it is of a clock east of UTC.
 */
export function reportedInstant(
  { warn }: Warner,
  text: string | undefined,
  at: number | null,
): string | null {
  // The second is what .NET writes for no time.
  if (text === undefined || /^(?:\s*|0001-01-01\D.*)$/.test(text)) return null;
  const instant = instantOf(text);
  const shown = JSON.stringify(text.slice(0, 50));
  if (instant === null) {
    warn('bad_time', `The time ${shown} is not read.`, at);
    return null;
  }
  if (hasZone(text) || Date.parse(instant) <= Date.now()) return instant;
  warn('bad_time', `The time ${shown} has no time zone and lies in the future as UTC. It is left out.`, at);
  return null;
}

/** The start and the end of a run, as far as they are known. */
export function reportedTimes(
  sink: Warner,
  { start, end }: { start: string | undefined; end?: string | undefined },
  at: number | null,
): { started_at?: string; finished_at?: string } {
  const started_at = reportedInstant(sink, start, at);
  const finished_at = reportedInstant(sink, end, at);
  return { ...(started_at !== null && { started_at }), ...(finished_at !== null && { finished_at }) };
}
