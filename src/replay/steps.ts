/**
 * Reads of the log for a replay, in steps that are short enough to run between requests. A log in a file is read and
 * parsed on the thread that answers requests: without turns, fifty replays would hold it for seconds.
 */
import type { Turns } from '../concurrency/turns.js';
import type { Position, RecordedEvent } from '../domain/event.js';
import type { Feed } from '../log/feed.js';
import { estimateBytes } from '../memory/estimate-bytes.js';
import type { Batch } from '../ports/event-log.js';
import { feedFilterOf, type ReplayScope } from './scope.js';

/** A step with this many small events takes about 3 ms. */
const STEP_EVENTS = 250;
/** The approximate size of the events of a step. */
const STEP_BYTES = 256 * 1024;
/** The events of the first step, before their size is known: each may have metadata of 64 KiB. */
const FIRST_STEP = 8;
/** The work of a step whose filter left out most of what the log looked through: about 5,000 events. */
const LOOKED_THROUGH = 3;
/** The work of a step without events. Without it, such steps would have no end. */
const LEAST_WORK = 0.1;

export type Step = Batch & {
  /** 1 for a step of full size. */
  work: number;
};

export type StepSource = { feed: Feed; turns: Turns };

export type StepOptions = {
  after: Position;
  /** How many more events the reader takes. No step reads more. */
  left(): number;
};

/**
 * Yields the events of a team after a position, each step in a turn of its own, until the log has no more. Some of them
 * may not be visible to the reader.
 */
export async function* readSteps(
  { feed, turns }: StepSource,
  scope: ReplayScope,
  { after, left }: StepOptions,
): AsyncGenerator<Step, void> {
  const filter = feedFilterOf(scope);
  let position = after;
  let fitting = FIRST_STEP;
  for (;;) {
    const limit = Math.min(fitting, left());
    const pages = feed.pages({ after: position, limit, filter });
    try {
      for (;;) {
        await turns.next(scope.team);
        const { done, value: batch } = await pages.next();
        if (done === true) break;
        const bytes = sizeOf(batch.events);
        yield { ...batch, work: workOf(scope, batch, { limit, bytes }) };
        if (batch.caughtUp) return;
        position = batch.position;
        if (batch.events.length > 0) fitting = fittingLimit(batch.events.length, bytes);
        // The pages keep their limit. Where it no longer fits, the log is read anew from here.
        if (limit > 2 * fitting || 2 * limit < Math.min(fitting, left())) break;
      }
    } finally {
      await pages.return();
    }
  }
}

function sizeOf(events: readonly RecordedEvent[]): number {
  let bytes = 0;
  for (const { data } of events) bytes += estimateBytes(data);
  return bytes;
}

/** How many events of this size make a step. */
function fittingLimit(count: number, bytes: number): number {
  return Math.max(1, Math.min(STEP_EVENTS, Math.floor((STEP_BYTES * count) / bytes)));
}

function workOf(
  { types }: ReplayScope,
  { events, caughtUp }: Batch,
  { limit, bytes }: { limit: number; bytes: number },
): number {
  const sparse = !caughtUp && (events.length === 0 || (types !== undefined && events.length < limit));
  return Math.max(sparse ? LOOKED_THROUGH : LEAST_WORK, events.length / STEP_EVENTS, bytes / STEP_BYTES);
}
