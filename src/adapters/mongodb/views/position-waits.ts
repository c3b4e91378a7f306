/**
 * Waits until projections have reached a position. While there are waits, one read after another asks for the positions
 * of all projections that are waited for. Without waits, nothing is read. After a failed read comes another, so that a
 * wait survives a lost primary.
 */
import { setTimeout as pause } from 'node:timers/promises';
import { START, type Position } from '../../../domain/event.js';

export type PositionWaits = {
  /** Resolves with the position once it is `atLeast`, or with the current position after `timeoutMs`. */
  wait(projection: string, atLeast: Position, timeoutMs: number): Promise<Position>;
  /** The highest position that was read of a projection. */
  reached(projection: string): Position;
  /** The projection is no longer there: its build was deleted. */
  wentBack(projection: string, position: Position): void;
  /** Ends all waits with the current position. */
  close(): Promise<void>;
};

type PositionWaiter = {
  projection: string;
  atLeast: Position;
  since: number;
  /** The timeout is over: the wait takes the next answer, whatever it is. */
  late: boolean;
  settle(position: Position | Promise<never>): void;
};

/** Milliseconds between two reads: short after a new wait began, because most waits are short. */
const SHORTEST_PAUSE_MS = 2;
const LONGEST_PAUSE_MS = 20;
const PAUSE_AFTER_FAULT_MS = 100;

/** `read` answers the positions of the live builds. Projections without a live build are missing in the answer. */
export function openPositionWaits(
  read: (projections: readonly string[]) => Promise<ReadonlyMap<string, Position>>,
): PositionWaits {
  const waiting = new Set<PositionWaiter>();
  // A live build never goes back, so a position that was reached once answers most waits without a read.
  const reached = new Map<string, Position>();
  let polling: Promise<void> | null = null;
  let closing = false;
  // Aborted by a new wait, so that it does not sit out the long pause of older waits.
  let interrupt = new AbortController();

  const readPositions = async (): Promise<number> => {
    const asking = [...waiting];
    try {
      const positions = await read([...new Set(asking.map(({ projection }) => projection))]);
      for (const [projection, position] of positions) reached.set(projection, position);
      for (const waiter of asking) {
        const position = positions.get(waiter.projection) ?? START;
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
    wait: (projection, atLeast, timeoutMs) => {
      const known = reached.get(projection);
      if (known !== undefined && known >= atLeast && !closing) return Promise.resolve(known);
      return new Promise((resolve) => {
        const waiter: PositionWaiter = {
          projection,
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
    reached: (projection) => reached.get(projection) ?? START,
    wentBack: (projection, position) => void reached.set(projection, position),
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
