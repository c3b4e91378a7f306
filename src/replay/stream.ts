/** A stream of a team's events as text, from a position on: to the end of the log, or on to live events. */
import type { Position, RecordedEvent } from '../domain/event.js';
import { sleep } from '../concurrency/sleep.js';
import { isAppError } from '../errors.js';
import type { RenderedEvents } from './event-buffer.js';
import type { LiveFeeds } from './live-feed.js';
import { isVisible, scopeKeyOf, type ReplayScope } from './scope.js';
import { readSteps, type StepSource } from './steps.js';

/** Some events as text. The text is empty where the reader sees none of the events up to `position`. */
export type ReplayChunk = RenderedEvents & { caughtUp: boolean };

export type ReadOptions = {
  /** A position of the log. */
  after: Position;
  /** The highest number of events. */
  limit?: number;
  /** Makes the text of one event. */
  render: (event: RecordedEvent) => string;
  /** Ends the iteration, without an error. */
  signal: AbortSignal;
};

const NOTHING = Buffer.alloc(0);

/** Yields the events up to the end of the log. Reads the next chunk when the last one was taken. */
export async function* readToEnd(
  source: StepSource,
  scope: ReplayScope,
  { after, limit = Infinity, render, signal }: ReadOptions,
): AsyncGenerator<ReplayChunk, void> {
  let left = limit;
  for await (const { events, ...step } of readSteps(source, scope, { after, left: () => left })) {
    if (signal.aborted) return;
    const visible = events.filter((event) => isVisible(scope, event)).slice(0, left);
    left -= visible.length;
    const position = left === 0 ? visible.at(-1)!.position : step.position;
    const text = visible.length === 0 ? NOTHING : Buffer.from(visible.map(render).join(''));
    yield { text, count: visible.length, position, caughtUp: step.caughtUp };
    if (step.caughtUp || left === 0) return;
  }
}

export type LiveOptions = Omit<ReadOptions, 'render'> & {
  /** The text for the place that the rendered event leaves open. */
  infix: string;
  /** Waits for a place to read the log, for a time. Returns the function that gives it back. @throws AppError. */
  enterLog(signal: AbortSignal): Promise<() => void>;
  /** After this long without events, a chunk without text says how far the log was read. */
  progressEveryMs: number;
};

/** Yields the events of the log, and then live events. A reader who falls behind the live feed reads the log again. */
export async function* followLive(
  source: StepSource,
  feeds: LiveFeeds,
  scope: ReplayScope,
  { limit = Infinity, infix, enterLog, progressEveryMs, ...options }: LiveOptions,
): AsyncGenerator<ReplayChunk, void> {
  const { signal } = options;
  const query = {
    infix,
    scopeKey: scopeKeyOf(scope),
    isVisible: (event: RecordedEvent) => isVisible(scope, event),
  };
  const live = feeds.join(scope.team);
  const render = (event: RecordedEvent) => feeds.render(event).join(infix);
  let position = options.after;
  let left = limit;
  try {
    while (!signal.aborted) {
      const seen = live.count();
      const buffered = live.read({ after: position, limit: left, ...query });
      if (buffered === null) {
        // Readers of the log hold much more than those of the live feed, so they need a place for it.
        const leave = await enterLog(signal).catch(withoutPlace);
        if (leave === null) {
          yield { text: NOTHING, count: 0, position, caughtUp: false };
          // It may be null at once, and this loop must not hold the thread.
          await sleep(RETRY_MS, signal);
          continue;
        }
        try {
          for await (const chunk of readToEnd(source, scope, {
            ...options,
            render,
            after: position,
            limit: left,
          })) {
            position = chunk.position;
            left -= chunk.count;
            yield chunk;
            if (left === 0) return;
          }
        } finally {
          leave();
        }
        // The log may end before what the buffer holds: without a pause, this loop would read it again and again.
        if (!live.begin(position)) await sleep(RETRY_MS, signal);
      } else if (buffered.position > position) {
        position = buffered.position;
        left -= buffered.count;
        yield { ...buffered, caughtUp: false };
        if (left === 0) return;
      } else if (!(await live.wait(seen, progressEveryMs, signal))) {
        yield { text: NOTHING, count: 0, position, caughtUp: true };
      }
    }
  } finally {
    live.leave();
  }
}

const RETRY_MS = 100;

function withoutPlace(error: unknown): null {
  if (isAppError(error, 'too_many_replays')) return null;
  throw error;
}
