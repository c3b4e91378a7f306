/** The moves of lanes (`lanes.ts`): each reads or takes some events, folds them, and puts its lane behind them. */
import { backOffMs } from '../concurrency/back-off.js';
import { parseStreamName, type Position, type RecordedEvent } from '../domain/event.js';
import { ALL_PARTITIONS, partitionOf, union, type Partition, type Partitions } from '../domain/partition.js';
import { isAppError, isUnavailable } from '../errors.js';
import type { Feed } from '../log/feed.js';
import type { Batch, EventFilter } from '../ports/event-log.js';
import type { FoldMove } from './fold.js';
import { PAGE_BEHIND, type Lane, type LaneSet } from './lane-set.js';

export type LaneMovesOptions = {
  feed: Feed;
  fold: FoldMove;
  /** The largest number of events in one commit. */
  limit: number;
  /** Called when a lane gets stuck, at each further try, and when it goes on. */
  report: (report: LaneReport) => void;
};

export type StuckLane = {
  partitions: Partitions;
  /** Everything up to here is folded. */
  position: Position;
  /** The event that cannot be folded; null if it cannot be read either. */
  event: Pick<RecordedEvent, 'id' | 'type' | 'stream' | 'position'> | null;
  error: unknown;
  retryInMs: number;
};

export type LaneReport = ({ type: 'stuck' } & StuckLane) | { type: 'unstuck'; partitions: Partitions };

const STUCK_BACK_OFF = { firstMs: 1_000, longestMs: 60_000 };

export type LaneMoves = ReturnType<typeof openLaneMoves>;

export function openLaneMoves(lanes: LaneSet, { feed, fold, limit, report }: LaneMovesOptions) {
  const { front } = lanes;
  /** The front has had events since the last page of a lane behind it. */
  let frontWaits = false;

  async function move(lane: Lane, events: readonly RecordedEvent[], to: Position): Promise<void> {
    const { partitions, position: from } = lane;
    if (partitions !== '') await fold({ events, partitions, from, to });
    lane.position = to;
  }

  function block(lane: Lane, event: RecordedEvent | null, error: unknown): void {
    const failures = (lane.stuck?.failures ?? 0) + 1;
    const retryInMs = backOffMs(failures, STUCK_BACK_OFF);
    lane.stuck = { failures, retryAt: performance.now() + retryInMs };
    const { partitions, position } = lane;
    report({ type: 'stuck', partitions, position, event, error, retryInMs });
  }

  return {
    /** The front has events, and waits for its turn. */
    frontWaits: () => void (frontWaits = true),

    /**
     * One batch of the front. Returns false if it cannot be folded: its partitions then leave the front, and the others go
     * on without them.
     */
    async moveFront({ events, position: to }: Batch): Promise<boolean> {
      try {
        await move(front, events, to);
        if (lanes.behind().length > 0) lanes.news.notify();
        return true;
      } catch (error) {
        if (!isOfEvent(error)) throw error;
        lanes.leaveFront(partitionsIn(events));
        return false;
      }
    },

    /** One page of a lane behind the front. It never passes the front, so that it can join it. */
    async moveBehind(lane: Lane): Promise<void> {
      let events: readonly RecordedEvent[] = [];
      try {
        const filter = filterOf(lane.partitions);
        const page = await feed.read({ after: lane.position, limit: lane.step, ...filter });
        const reached = page.position >= front.position;
        events = reached ? page.events.filter(({ position }) => position <= front.position) : page.events;
        await move(lane, events, reached ? front.position : page.position);
      } catch (error) {
        if (!isOfEvent(error)) throw error;
        if (lane.step > 1) lane.step = Math.ceil(lane.step / 2);
        else block(lane, events[0] ?? null, error);
        return;
      }
      lane.step = frontWaits ? PAGE_BEHIND.first : Math.min(lane.step * 2, PAGE_BEHIND.largest, limit);
      frontWaits = false;
      if (lane.stuck !== null) report({ type: 'unstuck', partitions: lane.partitions });
      lane.stuck = null;
      if (lane.position === front.position) lanes.joinFront(lane);
    },

    /**
     * What the front reads, or undefined if it cannot be read. An event that cannot be read is of one partition: all of
     * them leave the front, and the others read on without it.
     */
    async readingFront<T>(read: (filter: { filter?: EventFilter }) => Promise<T>): Promise<T | undefined> {
      try {
        return await read(filterOf(front.partitions));
      } catch (error) {
        if (!isOfEvent(error) || front.partitions === '') throw error;
        lanes.leaveFront(front.partitions);
        return undefined;
      }
    },
  };
}

function filterOf(partitions: Partitions): { filter?: EventFilter } {
  return partitions === ALL_PARTITIONS ? {} : { filter: { partitions } };
}

/** False for a fault of a store or of the lease: it does not depend on the event. */
function isOfEvent(error: unknown): boolean {
  if (isAppError(error, 'unknown_event')) return true;
  return !isUnavailable(error) && !isAppError(error, 'fenced') && !isAppError(error, 'not_a_position');
}

function partitionsIn(events: readonly RecordedEvent[]): Partitions {
  return union('', [...new Set(events.map(partitionOfEvent))].join(''));
}

export function partitionOfEvent({ stream }: RecordedEvent): Partition {
  return partitionOf(parseStreamName(stream).team);
}
