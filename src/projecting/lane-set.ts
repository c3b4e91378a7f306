/** The lanes of a build: which partitions each one has, and how far it is (`lanes.ts`). */
import { openNotifier } from '../concurrency/notifier.js';
import { laterPosition, START, type Position } from '../domain/event.js';
import { union, without, type Partitions } from '../domain/partition.js';
import type { Checkpoint } from '../ports/views.js';

export type Lane = {
  partitions: Partitions;
  position: Position;
  /** The number of events that it reads at once: half of it after each fault, to find the one event. */
  step: number;
  stuck: { failures: number; retryAt: number } | null;
  /** The position of the front when the lane left it, and the time. It joins again only at another position. */
  left: { front: Position; at: number } | null;
};

/**
 * A lane behind the front holds up the front for the time of one page. While the front has nothing to do, the pages
 * become larger, because a commit costs more than the events in it. Pages of 5,000 took 50 MiB more beside large
 * submissions.
 */
export const PAGE_BEHIND = { first: 500, largest: 2_000 };

export type LaneSet = ReturnType<typeof openLaneSet>;

export function openLaneSet(checkpoints: readonly Checkpoint[]) {
  const [front, ...others] = lanesOf(checkpoints);
  let behind: readonly Lane[] = others;
  /** The front has moved, or partitions have left it. */
  const news = openNotifier();
  let changed = new AbortController();
  let joinedAt: Position | null = null;

  return {
    front,
    behind: () => behind,
    news,

    /** Makes a lane of each of these partitions. */
    leaveFront(partitions: Partitions): void {
      if (partitions === '') return;
      const left = { front: front.position, at: performance.now() };
      front.partitions = without(front.partitions, partitions);
      const own = partitions.split('').map((partition) => ({ ...newLane(partition, front.position), left }));
      behind = [...behind, ...own];
      changed.abort();
      news.notify();
    },

    joinFront(lane: Lane): void {
      if (lane.left?.front === front.position) joinedAt = front.position;
      behind = behind.filter((each) => each !== lane);
      front.partitions = union(front.partitions, lane.partitions);
      changed.abort();
    },

    /** Whether busy partitions may leave: not where the front could not go on without a lane that had left it there. */
    maySplit: () => joinedAt !== front.position,

    /** Aborted when partitions leave or join the front: it then follows the feed with another filter. */
    untilChanged(): AbortSignal {
      changed = new AbortController();
      return changed.signal;
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
