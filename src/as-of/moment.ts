/** The position that a question about the past names: by itself, or by an instant. */
import { setImmediate } from 'node:timers/promises';
import { START, isLogPosition, type Instant, type Position, type RecordedEvent } from '../domain/event.js';
import { isAppError } from '../errors.js';
import type { EventLog } from '../ports/event-log.js';
import { streamsOfTeam } from './project-events.js';

/** Writers read their clocks before they append: so few events are not in the order of their instants. */
const NEIGHBOURS = 200;
/** A step takes a few milliseconds. */
const STEP_EVENTS = 500;
const DIGITS = 20;

/** The last event of the team at an instant or before it; `START` where there is none. */
export async function positionAt(
  log: Pick<EventLog, 'readAll' | 'head'>,
  team: string,
  instant: Instant,
): Promise<Position> {
  try {
    return await bisected(log, team, instant);
  } catch (error) {
    // A log on a server can be read from the positions of its events alone.
    if (!isAppError(error, 'not_a_position')) throw error;
    return walked(log, team, instant);
  }
}

/** Looks at all events of the team, as the answer does that follows. */
async function walked(log: Pick<EventLog, 'readAll'>, team: string, instant: Instant): Promise<Position> {
  const filter = { streams: streamsOfTeam(team) };
  let found: Position = START;
  let later = 0;
  for (let after: Position = START; ;) {
    const { events, position, caughtUp } = await log.readAll({ after, limit: STEP_EVENTS, filter });
    for (const event of events) {
      if (event.meta.at > instant) later += 1;
      else [found, later] = [event.position, 0];
    }
    if (caughtUp || later > NEIGHBOURS) return found;
    after = position;
    await setImmediate();
  }
}

async function bisected(
  log: Pick<EventLog, 'readAll' | 'head'>,
  team: string,
  instant: Instant,
): Promise<Position> {
  const next = nextOf(log, team);
  const head = await log.head();
  if (!isLogPosition(head)) return START;
  let [low, high] = [0n, BigInt(head)];
  // Behind `low`, all is still to be looked at; behind `high`, all is later.
  let before: Position = START;
  while (low < high) {
    const middle = (low + high) / 2n;
    const [event] = await next(textOf(middle), 1, textOf(high));
    if (event === undefined || event.meta.at > instant) high = middle;
    else {
      before = event.position;
      low = BigInt(event.position);
    }
  }
  for (const event of await next(before, NEIGHBOURS, head))
    if (event.meta.at <= instant) before = event.position;
  return before;
}

/** A page that is empty or short may only have looked at much else: it says how far it came. */
function nextOf(log: Pick<EventLog, 'readAll'>, team: string) {
  const filter = { streams: streamsOfTeam(team) };
  return async (after: Position, limit: number, upTo: Position): Promise<RecordedEvent[]> => {
    const found: RecordedEvent[] = [];
    for (let from = after; ;) {
      const { events, position, caughtUp } = await log.readAll({
        after: from,
        limit: limit - found.length,
        filter,
      });
      found.push(...events);
      if (found.length === limit || caughtUp || position >= upTo) return found;
      from = position;
    }
  };
}

function textOf(position: bigint): Position {
  return position === 0n ? START : String(position).padStart(DIGITS, '0');
}

/** A submission is several events of its run, which were appended together. */
const MOST_OF_ONE = 10;

/** The end of the submission that the event at a position is of; the position itself where it is of none. */
export async function endOfSubmission(
  log: Pick<EventLog, 'readAll' | 'readStream'>,
  at: Position,
): Promise<Position> {
  const [event] = (await log.readAll({ after: at, inclusive: true, limit: 1 })).events;
  if (event?.position !== at || !event.stream.startsWith('run-')) return at;
  const { events } = await log.readStream(event.stream, { from: event.revision + 1, limit: MOST_OF_ONE });
  const { correlation_id, at: instant } = event.meta;
  const isOther = ({ meta }: RecordedEvent) => meta.correlation_id !== correlation_id || meta.at !== instant;
  const end = events.findIndex(isOther);
  return events.slice(0, end === -1 ? events.length : end).at(-1)?.position ?? at;
}
