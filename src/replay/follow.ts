/** A team's events from a position on, as text: what lies in the log, and then live. */
import { setTimeout as pause } from 'node:timers/promises';
import type { Position, RecordedEvent } from '../domain/event.js';
import type { Feed } from '../log/feed.js';
import type { LiveTeams } from './live.js';
import { READ_AT_ONCE } from './page.js';
import { filterOf, keyOf, sees, type View } from './view.js';

/** Some events as text; `text` is empty where none of what was looked at is shown. */
export type Chunk = { text: Buffer; count: number; position: Position; caughtUp: boolean };

export type Following = {
  /** A position of the log. */
  after: Position;
  /** So many events at the most. */
  limit?: number;
  /** One event. */
  render: (event: RecordedEvent) => string;
  /** Ends the iteration, without an error. */
  signal: AbortSignal;
};

const NOTHING = Buffer.alloc(0);

/** What lies in the log, to its end as it is met. One chunk at a time: the next is read when the last was taken. */
export async function* toPresent(
  feed: Feed,
  view: View,
  { after, limit = Infinity, render, signal }: Following,
): AsyncGenerator<Chunk, void> {
  let left = limit;
  const options = { after, limit: READ_AT_ONCE, filter: filterOf(view), signal };
  for await (const batch of feed.follow(options)) {
    const shown = batch.events.filter((event) => sees(view, event)).slice(0, left);
    left -= shown.length;
    const position = left === 0 ? shown.at(-1)!.position : batch.position;
    const text = shown.length === 0 ? NOTHING : Buffer.from(shown.map(render).join(''));
    yield { text, count: shown.length, position, caughtUp: batch.caughtUp };
    if (batch.caughtUp || left === 0) return;
  }
}

export type Live = Following & {
  /** Readers whose `render` gives the same for the same event share what it gave. */
  rendering: string;
  /** With nothing to tell for so long, a chunk without text tells how far the log was looked at. */
  tellEveryMs: number;
};

/** What lies in the log, and on. A reader who falls behind what is kept for all goes back to the log by himself. */
export async function* follow(
  feed: Feed,
  teams: LiveTeams,
  view: View,
  { limit = Infinity, rendering, tellEveryMs, ...options }: Live,
): AsyncGenerator<Chunk, void> {
  const { signal, render } = options;
  const key = keyOf(view);
  const shown = (event: RecordedEvent) => sees(view, event);
  const team = teams.join(view.team, rendering, render);
  let position = options.after;
  let left = limit;
  try {
    while (!signal.aborted) {
      const seen = team.count();
      const kept = team.read({ after: position, limit: left, key, shown });
      if (kept === null) {
        for await (const chunk of toPresent(feed, view, { ...options, after: position, limit: left })) {
          position = chunk.position;
          left -= chunk.count;
          yield chunk;
          if (left === 0) return;
        }
        // Whoever reads a log that has come no further than this does not ask it without a pause.
        if (!team.begin(position)) await pause(RETRY_MS, undefined, { signal }).catch(() => undefined);
      } else if (kept.position > position) {
        position = kept.position;
        left -= kept.count;
        yield { ...kept, caughtUp: false };
        if (left === 0) return;
      } else if (!(await team.next(seen, tellEveryMs, signal))) {
        yield { text: NOTHING, count: 0, position, caughtUp: true };
      }
    }
  } finally {
    team.leave();
  }
}

const RETRY_MS = 100;
