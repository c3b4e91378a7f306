/**
 * Waits until projections have reached a position. While there are waits, one read after another asks for the positions
 * of all projections that are waited for. Without waits, nothing is read. After a failed read comes another, so that a
 * wait survives a lost primary.
 */
import { setTimeout as pause } from 'node:timers/promises';
import type { Position } from '../../../domain/event.js';
import type { Checkpoint } from '../../../ports/views.js';
import { positionIn, type PositionWait } from '../../shared/checkpoints.js';

export type PositionWaits = {
  /** Resolves with the position once it is `atLeast`, or with the current position after `timeoutMs`. */
  wait(wanted: PositionWait): Promise<Position>;
  /** The last checkpoints that were read of a projection. */
  reached(projection: string): readonly Checkpoint[];
  /** The projection is no longer there: its build was deleted. */
  wentBack(projection: string, checkpoints: readonly Checkpoint[]): void;
  /** Ends all waits with the current position. */
  close(): Promise<void>;
};

type PositionWaiter = Omit<PositionWait, 'timeoutMs'> & {
  since: number;
  /** The timeout is over: the wait takes the next answer, whatever it is. */
  late: boolean;
  settle(position: Position | Promise<never>): void;
};

/** Milliseconds between two reads: short after a new wait began, because most waits are short. */
const SHORTEST_PAUSE_MS = 2;
const LONGEST_PAUSE_MS = 20;
const PAUSE_AFTER_FAULT_MS = 100;

/** `read` answers the checkpoints of the live builds. Projections without a live build are missing in the answer. */
export function openPositionWaits(
  read: (projections: readonly string[]) => Promise<ReadonlyMap<string, readonly Checkpoint[]>>,
): PositionWaits {
  const waiting = new Set<PositionWaiter>();
  // A live build never goes back, so checkpoints that were read once answer most waits without a read.
  const reached = new Map<string, readonly Checkpoint[]>();
  let polling: Promise<void> | null = null;
  let closing = false;
  // Aborted by a new wait, so that it does not sit out the long pause of older waits.
  let interrupt = new AbortController();

  const readPositions = async (): Promise<number> => {
    const asking = [...waiting];
    try {
      const found = await read([...new Set(asking.map(({ projection }) => projection))]);
      for (const [projection, checkpoints] of found) reached.set(projection, checkpoints);
      for (const waiter of asking) {
        const position = positionIn(found.get(waiter.projection) ?? [], waiter.partition);
        if (position >= waiter.atLeast || waiter.late || closing) waiter.settle(position);
      }
      return pauseFor(waiting);
    } catch (error) {
      for (const waiter of asking) if (waiter.late || closing) waiter.settle(Promise.reject(error));
      return PAUSE_AFTER_FAULT_MS;
    }
  };

  const poll = async (): Promise<void> => {
    while (waiting.size > 0) {
      const rest = await readPositions();
      if (waiting.size === 0 || closing) continue;
      await pause(SHORTEST_PAUSE_MS);
      await pause(rest - SHORTEST_PAUSE_MS, undefined, { signal: interrupt.signal }).catch(() => {});
      interrupt = new AbortController();
    }
    polling = null;
  };

  return {
    wait: ({ projection, partition, atLeast, timeoutMs }) => {
      const known = positionIn(reached.get(projection) ?? [], partition);
      if (reached.has(projection) && known >= atLeast && !closing) return Promise.resolve(known);
      return new Promise((resolve) => {
        const waiter: PositionWaiter = {
          projection,
          partition,
          atLeast,
          since: performance.now(),
          late: timeoutMs <= 0,
          settle: (answer) => {
            clearTimeout(timer);
            waiting.delete(waiter);
            resolve(answer);
          },
        };
        const timer = setTimeout(() => (waiter.late = true), Math.max(timeoutMs, 0));
        waiting.add(waiter);
        interrupt.abort();
        polling ??= poll();
      });
    },
    reached: (projection) => reached.get(projection) ?? [],
    wentBack: (projection, checkpoints) => void reached.set(projection, checkpoints),
    close: async () => {
      closing = true;
      interrupt.abort();
      await polling;
    },
  };
}

function pauseFor(waiting: ReadonlySet<PositionWaiter>): number {
  const now = performance.now();
  let youngest = Infinity;
  for (const { since } of waiting) youngest = Math.min(youngest, now - since);
  return Math.min(LONGEST_PAUSE_MS, Math.max(SHORTEST_PAUSE_MS, youngest / 4));
}
