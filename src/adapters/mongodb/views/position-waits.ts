/**
 * Waiting until projections have come far enough: while anybody waits, one read after another asks where the
 * projections stand that are waited for, however many wait; otherwise nothing is asked. A read that fails is followed
 * by another, so that waiting outlives a lost primary.
 */
import { setTimeout as pause } from 'node:timers/promises';
import { START, type Position } from '../../../domain/event.js';

export type PositionWaits = {
  /** Resolves with the position once it is `atLeast`, or with what it is after `timeoutMs`. */
  wait(projection: string, atLeast: Position, timeoutMs: number): Promise<Position>;
  /** How far a projection is known to have come. */
  reached(projection: string): Position;
  /** It has not: its build was deleted. */
  wentBack(projection: string, position: Position): void;
  /** Lets all who wait go, with the position as it is. */
  close(): Promise<void>;
};

type PositionWaiter = {
  projection: string;
  atLeast: Position;
  since: number;
  /** Its time is over: it takes the next answer, whatever it is. */
  late: boolean;
  settle(position: Position | Promise<never>): void;
};

/** Milliseconds between two reads: short for one who has just come, as most waits are short. */
const SHORTEST_PAUSE_MS = 2;
const LONGEST_PAUSE_MS = 20;
const PAUSE_AFTER_FAULT_MS = 100;

/** `read` tells where the live builds of projections stand; those without one are missing in the answer. */
export function openPositionWaits(
  read: (projections: readonly string[]) => Promise<ReadonlyMap<string, Position>>,
): PositionWaits {
  const waiting = new Set<PositionWaiter>();
  // A live build never goes back, so what it once reached answers most waits without a read.
  const reached = new Map<string, Position>();
  let polling: Promise<void> | null = null;
  let closing = false;
  // By somebody who has come to wait and shall not stay for the pause of those who wait long.
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
