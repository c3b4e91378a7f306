/**
 * Shares a thread among steps of long work: one step at a time, groups in rotation, and each one when the event loop has
 * nothing else to do. Requests that have arrived meanwhile are handled between two steps, however many pieces of work
 * there are.
 */
import { setImmediate } from 'node:timers/promises';

export type Turns = {
  /** Waits for the next turn of the group. The caller does one short step right after it. */
  next(group: string): Promise<void>;
};

/** A round of the event loop that took less had nothing to do: it takes about 5 us then. */
const QUIET_MS = 0.04;
/** A busy thread still gives a turn after this time. */
const PATIENCE_MS = 20;

/**
 * Waits for a quiet round. One round would not do: Node accepts one connection in each, so a step in every round would
 * let new connections wait for as many steps as there are connections before them.
 */
async function quietRound(): Promise<void> {
  const end = performance.now() + PATIENCE_MS;
  for (let before = performance.now(); ;) {
    await setImmediate();
    const now = performance.now();
    if (now - before < QUIET_MS || now >= end) return;
    before = now;
  }
}

export function openTurns(): Turns {
  /** The waiting steps of each group, in the order of arrival. A group that had a turn moves to the end. */
  const waiting = new Map<string, (() => void)[]>();
  let running = false;

  async function giveTurns(): Promise<void> {
    running = true;
    for (;;) {
      await quietRound();
      const [first] = waiting;
      if (first === undefined) break;
      const [group, [begin, ...others]] = first;
      waiting.delete(group);
      if (others.length > 0) waiting.set(group, others);
      begin!();
    }
    running = false;
  }

  return {
    next(group) {
      return new Promise((resolve) => {
        const before = waiting.get(group);
        if (before === undefined) waiting.set(group, [resolve]);
        else before.push(resolve);
        if (!running) void giveTurns();
      });
    },
  };
}
