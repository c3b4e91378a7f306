import { durationFromMs } from '../values/numbers.js';
import { reportedSeconds } from '../values/reported-duration.js';
import { reportedInstant } from '../values/reported-instant.js';
import type { Reported } from '../reported.js';
import type { Sink } from '../sink.js';
import type { Attributes } from '../xml/reader.js';

/** The attributes of a status: `start` and `elapsed` since version 7, before it `starttime` and `endtime`. */
export function timesOf(
  sink: Sink,
  { start, elapsed, starttime, endtime }: Attributes,
  at: number,
): Pick<Reported, 'startedAt' | 'durationMs'> {
  const startedAt = reportedInstant(sink, written(start ?? starttime), at);
  if (elapsed !== undefined)
    return { startedAt, durationMs: reportedSeconds({ sink, options: {} }, elapsed, at) };
  const endedAt = reportedInstant(sink, written(endtime), at);
  const durationMs =
    startedAt === null || endedAt === null
      ? null
      : durationFromMs(Date.parse(endedAt) - Date.parse(startedAt)).ms;
  return { startedAt, durationMs };
}

/** What was not run has no time. */
function written(time: string | undefined): string | undefined {
  return time === 'N/A' ? undefined : time;
}
