/**
 * Lanes: how one projector folds the events of many teams into one build, so that no team holds up another.
 *
 * A lane is a set of partitions with one position. Mostly there is one lane, the front, which has all partitions and
 * follows the feed. A partition leaves the front
 * - when it has many events while others wait, as with a large submission;
 * - when one of its events cannot be folded.
 * It is then a lane of its own. It reads on from its position page by page, in turns with the front, and joins the
 * front again at the front's position. A lane that is stuck at an event tries again from time to time.
 */
import { setImmediate } from 'node:timers/promises';
import { laterPosition, parseStreamName, START, type Position, type RecordedEvent } from '../domain/event.js';
import {
  ALL_PARTITIONS,
  partitionOf,
  union,
  without,
  type Partition,
  type Partitions,
} from '../domain/partition.js';
import { isLedgerError, isUnavailable } from '../errors.js';
import type { Feed } from '../log/feed.js';
import type { Batch, EventFilter } from '../ports/event-log.js';
import type { Checkpoint } from '../ports/views.js';
import { backOffMs } from '../concurrency/back-off.js';
import { openNotifier } from '../concurrency/notifier.js';
import { openSemaphore } from '../concurrency/semaphore.js';
import { sleep } from '../concurrency/sleep.js';
import type { Folding } from './fold.js';

export type LanesOptions = {
  feed: Feed;
  fold: Folding;
  /** The checkpoints of the build. */
  checkpoints: readonly Checkpoint[];
  /** The largest number of events in one commit. */
  limit: number;
  /** The pause after a commit while events come fast, so that the next commit has more of them. */
  gatherMs: number;
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

export type Lanes = {
  /** Follows the feed until the signal. @throws the fault of a store, and `fenced` */
  follow(signal: AbortSignal): Promise<void>;
  /**
   * Folds everything that the log has now, or until the signal. Returns the partitions that are stuck. `count` gets the
   * number of events of each commit. @throws as `follow`
   */
  catchUp(signal: AbortSignal, count: (events: number) => Promise<void>): Promise<Partitions>;
};

type Lane = {
  partitions: Partitions;
  position: Position;
  /** The number of events that it reads at once: half of it after each fault, to find the one event. */
  step: number;
  stuck: { failures: number; retryAt: number } | null;
  /** The position of the front when the lane left it, and the time. It joins again only at another position. */
  left: { front: Position; at: number } | null;
};

/** The front holds up all others for the time of one batch. */
const FRONT_BATCH = 1_000;
/**
 * A lane behind the front holds up the front for the time of one page. While the front has nothing to do, the pages
 * become larger, because a commit costs more than the events in it. Pages of 5,000 took 50 MiB more beside large
 * submissions.
 */
const PAGE_BEHIND = { first: 500, largest: 2_000 };
/** A partition with this many events in one batch of the front leaves it, if more are to come. */
const MANY_EVENTS = 250;
/** A batch of this many new events, with no backlog before it, means that events come fast. */
const BUSY_EVENTS = 20;
/** A lane that left joins the front after this time, if the front has nothing to go on with. */
const FRONT_IDLE_MS = 100;
const STUCK_BACK_OFF = { firstMs: 1_000, longestMs: 60_000 };

/** Long because the lanes share their state: each function is short. */
export function openLanes({ feed, fold, checkpoints, limit, gatherMs, report }: LanesOptions): Lanes {
  const [front, ...others] = lanesOf(checkpoints);
  let behind: Lane[] = others;
  // The front and the lanes behind it take turns, so that the front waits for one page at the most.
  const turns = openSemaphore(1);
  /** The front has had events since the last page of a lane behind it. */
  let frontWaits = false;
  /** Busy partitions may leave the front. */
  let maySplit = true;
  /** The front has moved, or partitions have left it. */
  const news = openNotifier();
  /** Aborted when partitions leave or join the front: it then follows the feed with another filter. */
  let changed = new AbortController();

  function leaveFront(partitions: Partitions): void {
    if (partitions === '') return;
    const left = { front: front.position, at: performance.now() };
    front.partitions = without(front.partitions, partitions);
    behind.push(
      ...partitions.split('').map((partition) => ({ ...newLane(partition, front.position), left })),
    );
    changed.abort();
    news.notify();
  }

  function joinFront(lane: Lane): void {
    // The front could not go on without the lane, so the lane must not leave again at once.
    if (lane.left?.front === front.position) maySplit = false;
    behind = behind.filter((each) => each !== lane);
    front.partitions = union(front.partitions, lane.partitions);
    changed.abort();
  }

  /** `more`: more events follow at once, of this lane or of another one. */
  async function move(
    lane: Lane,
    { events, to, more }: { events: readonly RecordedEvent[]; to: Position; more: boolean },
  ): Promise<void> {
    const { partitions, position: from } = lane;
    if (partitions !== '') await fold.move({ events, partitions, from, to, more });
    lane.position = to;
  }

  /**
   * Whether a lane behind the front has a move to come. Its last one waits until everything is written, so no other move
   * need wait: while a commit is written, the next events can be folded.
   */
  function moreBehind(except?: Lane): boolean {
    return behind.some((lane) => lane !== except && lane.stuck === null);
  }

  /**
   * One batch of the front. Returns false if it cannot be folded: its partitions then leave the front, and the others go
   * on without them.
   */
  async function moveFront({ events, position: to, caughtUp }: Batch): Promise<boolean> {
    try {
      await move(front, { events, to, more: !caughtUp || moreBehind() });
      if (behind.length > 0) news.notify();
      return true;
    } catch (error) {
      if (!isOfEvent(error)) throw error;
      leaveFront(partitionsIn(events));
      return false;
    }
  }

  /** A lane that has just left waits for the front to go on, because it does not pass the front. */
  function isReady({ left, stuck }: Lane, now: number): boolean {
    if (stuck !== null) return stuck.retryAt <= now;
    return left === null || front.position > left.front || now - left.at >= FRONT_IDLE_MS;
  }

  /** One page of a lane behind the front. It never passes the front, so that it can join it. */
  async function moveBehind(lane: Lane): Promise<void> {
    let events: readonly RecordedEvent[] = [];
    try {
      const filter = filterOf(lane.partitions);
      const page = await feed.read({ after: lane.position, limit: lane.step, ...filter });
      const reached = page.position >= front.position;
      events = reached ? page.events.filter(({ position }) => position <= front.position) : page.events;
      const more = !reached || moreBehind(lane);
      await move(lane, { events, to: reached ? front.position : page.position, more });
    } catch (error) {
      if (!isOfEvent(error)) throw error;
      if (lane.step > 1) lane.step = Math.ceil(lane.step / 2);
      else block(lane, events[0] ?? null, error);
      // Without a lane that moves on, a failure of the commit under way would show only at the next event.
      if (!moreBehind()) await fold.settle();
      return;
    }
    lane.step = frontWaits ? PAGE_BEHIND.first : Math.min(lane.step * 2, PAGE_BEHIND.largest, limit);
    frontWaits = false;
    if (lane.stuck !== null) report({ type: 'unstuck', partitions: lane.partitions });
    lane.stuck = null;
    if (lane.position === front.position) joinFront(lane);
  }

  function block(lane: Lane, event: RecordedEvent | null, error: unknown): void {
    const failures = (lane.stuck?.failures ?? 0) + 1;
    const retryInMs = backOffMs(failures, STUCK_BACK_OFF);
    lane.stuck = { failures, retryAt: performance.now() + retryInMs };
    const { partitions, position } = lane;
    report({ type: 'stuck', partitions, position, event, error, retryInMs });
  }

  /** Null if it cannot be read. An event that cannot be read is of one partition: the others read on without it. */
  async function readFront(): Promise<Batch | null> {
    try {
      return await feed.read({ after: front.position, limit, ...filterOf(front.partitions) });
    } catch (error) {
      if (!isOfEvent(error) || front.partitions === '') throw error;
      leaveFront(front.partitions);
      return null;
    }
  }

  /** A turn of the work, unless it was aborted meanwhile. */
  async function turn(signal: AbortSignal, work: () => Promise<void>): Promise<void> {
    const release = await turns.acquire({ signal });
    if (release === null) return;
    try {
      if (!signal.aborted) await work();
    } finally {
      release();
    }
  }

  async function followFront(signal: AbortSignal): Promise<void> {
    while (!signal.aborted) {
      changed = new AbortController();
      const until = AbortSignal.any([signal, changed.signal]);
      const most = Math.min(limit, FRONT_BATCH);
      const options = { after: front.position, signal: until, limit: most, ...filterOf(front.partitions) };
      try {
        for await (const batch of feed.follow(options)) {
          // Before they are folded: of many busy teams, each would hold up the others for a batch.
          if (!batch.caughtUp && maySplit) leaveFront(busyPartitions(batch.events, front.partitions));
          if (until.aborted) break;
          if (batch.events.length > 0) frontWaits = true;
          await turn(until, async () => void (await moveFront(batch)));
          if (until.aborted) break;
          maySplit = true;
          if (batch.caughtUp && batch.events.length >= BUSY_EVENTS) await sleep(gatherMs, until);
        }
      } catch (error) {
        // As in `readFront`.
        if (!isOfEvent(error) || front.partitions === '') throw error;
        leaveFront(front.partitions);
      }
    }
  }

  async function followBehind(signal: AbortSignal): Promise<void> {
    let last = 0;
    while (!signal.aborted) {
      const seen = news.count();
      const now = performance.now();
      const ready = behind.filter((lane) => isReady(lane, now));
      const next = ready[(last += 1) % Math.max(1, ready.length)];
      if (next !== undefined) {
        await turn(signal, () => moveBehind(next));
        // Stores in files answer at once. Without a pause, the front would not hear of new events.
        await setImmediate();
        continue;
      }
      const dueAt = Math.min(...behind.map(({ stuck, left }) => stuck?.retryAt ?? left!.at + FRONT_IDLE_MS));
      await news.wait(seen, dueAt - now, signal);
    }
  }

  async function foldWhatThereIs(
    signal: AbortSignal,
    count: (events: number) => Promise<void>,
  ): Promise<void> {
    for (let caughtUp = false; !signal.aborted;) {
      const lane = behind.find(({ stuck, left }) => stuck === null && front.position !== left?.front);
      if (lane !== undefined) {
        await moveBehind(lane);
      } else if (caughtUp) {
        break;
      } else {
        const batch = await readFront();
        if (batch === null || !(await moveFront(batch))) continue;
        caughtUp = batch.caughtUp;
        await count(batch.events.length);
        // As above: the live build goes on meanwhile.
        await setImmediate();
      }
    }
  }

  /** Ends with nothing under way, also after a fault: the next leader reads the checkpoints. */
  async function settled(work: () => Promise<void>): Promise<void> {
    try {
      await work();
    } catch (error) {
      await Promise.allSettled([fold.settle()]);
      throw error;
    }
    await fold.settle();
  }

  return {
    async follow(signal) {
      const ended = new AbortController();
      const until = AbortSignal.any([signal, ended.signal]);
      await settled(async () => {
        const loops = [followFront(until), followBehind(until)];
        try {
          await Promise.race(loops);
        } finally {
          ended.abort();
          await Promise.allSettled(loops);
        }
        // One loop may have failed while the other one ended.
        await Promise.all(loops);
      });
    },

    async catchUp(signal, count) {
      await settled(() => foldWhatThereIs(signal, count));
      return behind.reduce((all, { partitions }) => union(all, partitions), '');
    },
  };
}

/**
 * The furthest lane comes first: it is the front. The others have one partition each, so that an event which cannot be
 * folded stops no other partition.
 */
function lanesOf(checkpoints: readonly Checkpoint[]): [Lane, ...Lane[]] {
  const furthest = checkpoints.reduce((last, { position }) => laterPosition(last, position), START);
  const isFurthest = ({ position }: Checkpoint) => position === furthest;
  const front = checkpoints.filter(isFurthest).reduce((all, { partitions }) => union(all, partitions), '');
  const behind = checkpoints.filter((each) => !isFurthest(each));
  return [
    newLane(front, furthest),
    ...behind.flatMap(({ partitions, position }) =>
      partitions.split('').map((partition) => newLane(partition, position)),
    ),
  ];
}

function newLane(partitions: Partitions, position: Position): Lane {
  return { partitions, position, step: PAGE_BEHIND.first, stuck: null, left: null };
}

function filterOf(partitions: Partitions): { filter?: EventFilter } {
  return partitions === ALL_PARTITIONS ? {} : { filter: { partitions } };
}

/** False for a fault of a store or of the lease: it does not depend on the event. */
function isOfEvent(error: unknown): boolean {
  if (isLedgerError(error, 'unknown_event')) return true;
  return !isUnavailable(error) && !isLedgerError(error, 'fenced') && !isLedgerError(error, 'not_a_position');
}

function partitionsIn(events: readonly RecordedEvent[]): Partitions {
  return union('', [...new Set(events.map(partitionOfEvent))].join(''));
}

/** The partitions with many of these events, unless there is only one partition anyway. */
function busyPartitions(events: readonly RecordedEvent[], partitions: Partitions): Partitions {
  if (events.length < MANY_EVENTS || partitions.length < 2) return '';
  const counts = new Map<Partition, number>();
  for (const event of events) {
    const partition = partitionOfEvent(event);
    counts.set(partition, (counts.get(partition) ?? 0) + 1);
  }
  return [...counts]
    .filter(([, count]) => count >= MANY_EVENTS)
    .map(([partition]) => partition)
    .join('');
}

function partitionOfEvent({ stream }: RecordedEvent): Partition {
  return partitionOf(parseStreamName(stream).team);
}
