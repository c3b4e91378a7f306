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
import { openSemaphore } from '../concurrency/semaphore.js';
import { sleep } from '../concurrency/sleep.js';
import type { RecordedEvent } from '../domain/event.js';
import { union, type Partition, type Partitions } from '../domain/partition.js';
import { weightOf, weightOfAll } from '../domain/runs/item-chunk.js';
import type { Checkpoint } from '../ports/views.js';
import { openLaneMoves, partitionOfEvent, type LaneMoves, type LaneMovesOptions } from './lane-moves.js';
import { openLaneSet, type Lane, type LaneSet } from './lane-set.js';

export type LanesOptions = LaneMovesOptions & {
  /** The checkpoints of the build. */
  checkpoints: readonly Checkpoint[];
  /** The pause after a commit while events come fast, so that the next commit has more of them. */
  gatherMs: number;
};

export type Lanes = {
  /** Follows the feed until the signal. @throws the fault of a store, and `fenced` */
  follow(signal: AbortSignal): Promise<void>;
  /**
   * Folds everything that the log has now, or until the signal. Returns the partitions that are stuck. `count` gets the
   * number of events of each commit. @throws as `follow`
   */
  catchUp(signal: AbortSignal, count: (events: number) => Promise<void>): Promise<Partitions>;
};

/** The front holds up all others for the time of one batch. */
const FRONT_BATCH = 1_000;
/** A partition with this many events in one batch of the front leaves it, if more are to come. */
const MANY_EVENTS = 250;
/** A batch of this many new events, with no backlog before it, means that events come fast. */
const BUSY_EVENTS = 20;
/** A lane that left joins the front after this time, if the front has nothing to go on with. */
const FRONT_IDLE_MS = 100;

export function openLanes(options: LanesOptions): Lanes {
  const lanes = openLaneSet(options.checkpoints);
  const moves = openLaneMoves(lanes, options);
  return {
    follow: (signal) => followLanes(lanes, moves, options, signal),
    async catchUp(signal, count) {
      await foldWhatThereIs(lanes, moves, options, signal, count);
      return lanes.behind().reduce((all, { partitions }) => union(all, partitions), '');
    },
  };
}

type FollowOptions = Pick<LanesOptions, 'feed' | 'limit' | 'gatherMs'>;

/** Two loops: of the front, and of the lanes behind it. They take turns, so that the front waits for one page at the most. */
async function followLanes(
  lanes: LaneSet,
  moves: LaneMoves,
  { feed, limit, gatherMs }: FollowOptions,
  signal: AbortSignal,
): Promise<void> {
  const { front, news } = lanes;
  const turns = openSemaphore(1);

  /** A turn of the work, unless it was aborted meanwhile. */
  async function turn(until: AbortSignal, work: () => Promise<unknown>): Promise<void> {
    const release = await turns.acquire({ signal: until });
    if (release === null) return;
    try {
      if (!until.aborted) await work();
    } finally {
      release();
    }
  }

  async function followFront(ended: AbortSignal): Promise<void> {
    while (!ended.aborted) {
      const until = AbortSignal.any([ended, lanes.untilChanged()]);
      const from = { after: front.position, signal: until, limit: Math.min(limit, FRONT_BATCH) };
      await moves.readingFront(async (filter) => {
        for await (const batch of feed.follow({ ...from, ...filter })) {
          // Before they are folded: of many busy teams, each would hold up the others for a batch.
          if (!batch.caughtUp && lanes.maySplit())
            lanes.leaveFront(busyPartitions(batch.events, front.partitions));
          if (until.aborted) break;
          if (batch.events.length > 0) moves.frontWaits();
          await turn(until, () => moves.moveFront(batch));
          if (until.aborted) break;
          if (batch.caughtUp && weightOfAll(batch.events) >= BUSY_EVENTS) await sleep(gatherMs, until);
        }
      });
    }
  }

  async function followBehind(ended: AbortSignal): Promise<void> {
    let last = 0;
    while (!ended.aborted) {
      const seen = news.count();
      const now = performance.now();
      const ready = lanes.behind().filter((lane) => isReady(lane, front, now));
      const next = ready[(last += 1) % Math.max(1, ready.length)];
      if (next === undefined) {
        await news.wait(seen, Math.min(...lanes.behind().map(dueAt)) - now, ended);
        continue;
      }
      await turn(ended, () => moves.moveBehind(next));
      // Stores in files answer at once. Without a pause, the front would not hear of new events.
      await setImmediate();
    }
  }

  const fault = new AbortController();
  const ended = AbortSignal.any([signal, fault.signal]);
  const loops = [followFront(ended), followBehind(ended)];
  try {
    await Promise.race(loops);
  } finally {
    fault.abort();
    await Promise.allSettled(loops);
  }
  // One loop may have failed while the other one ended.
  await Promise.all(loops);
}

/** A lane that has just left waits for the front to go on, because it does not pass the front. */
function isReady({ left, stuck }: Lane, front: Lane, now: number): boolean {
  if (stuck !== null) return stuck.retryAt <= now;
  return left === null || front.position > left.front || now - left.at >= FRONT_IDLE_MS;
}

/** When a lane that is not ready becomes ready by itself. */
function dueAt({ stuck, left }: Lane): number {
  return stuck?.retryAt ?? left!.at + FRONT_IDLE_MS;
}

async function foldWhatThereIs(
  lanes: LaneSet,
  moves: LaneMoves,
  { feed, limit }: Pick<LanesOptions, 'feed' | 'limit'>,
  signal: AbortSignal,
  count: (events: number) => Promise<void>,
): Promise<void> {
  const { front } = lanes;
  for (let caughtUp = false; !signal.aborted;) {
    const lane = lanes.behind().find(({ stuck, left }) => stuck === null && front.position !== left?.front);
    if (lane !== undefined) {
      await moves.moveBehind(lane);
    } else if (caughtUp) {
      break;
    } else {
      const read = { after: front.position, limit };
      const batch = await moves.readingFront((filter) => feed.read({ ...read, ...filter }));
      if (batch === undefined || !(await moves.moveFront(batch))) continue;
      caughtUp = batch.caughtUp;
      await count(weightOfAll(batch.events));
      // As above: the live build goes on meanwhile.
      await setImmediate();
    }
  }
}

/** The partitions with many of these events, unless there is only one partition anyway. */
function busyPartitions(events: readonly RecordedEvent[], partitions: Partitions): Partitions {
  if (weightOfAll(events) < MANY_EVENTS || partitions.length < 2) return '';
  const counts = new Map<Partition, number>();
  for (const event of events) {
    const partition = partitionOfEvent(event);
    counts.set(partition, (counts.get(partition) ?? 0) + weightOf(event));
  }
  return [...counts]
    .filter(([, count]) => count >= MANY_EVENTS)
    .map(([partition]) => partition)
    .join('');
}
