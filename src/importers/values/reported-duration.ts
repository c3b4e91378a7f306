import type { ImporterContext } from '../importer.js';
import { durationFromSeconds, type Duration } from './numbers.js';
import type { Sink } from '../sink.js';

/** Milliseconds. Null for no text, and, with a warning, for one that is no number of seconds. */
export function reportedSeconds(
  { sink, options }: Pick<ImporterContext, 'sink' | 'options'>,
  text: string | undefined,
  at: number | null,
): number | null {
  if (text === undefined || text.trim() === '') return null;
  return readDuration(sink, durationFromSeconds(text, options), text, at);
}

/** Milliseconds, and a warning where there are none. */
export function readDuration(
  { warn }: Pick<Sink, 'warn'>,
  duration: Duration,
  text: string,
  at: number | null,
): number | null {
  if (duration.ms === null)
    warn(duration.reason, `The duration ${JSON.stringify(text.slice(0, 50))} is left out.`, at);
  return duration.ms;
}
