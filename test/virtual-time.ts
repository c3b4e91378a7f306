/** Time that passes only where a test lets it: that of timers, of `performance.now` and of the clock. */
import { syncBuiltinESMExports } from 'node:module';
import { mock } from 'node:test';
import { testClock, type TestClock } from './stores.js';

export type VirtualTime = {
  clock: TestClock;
  /** Milliseconds since the first call of `virtualTime`. */
  now(): number;
  /** Lets time pass in small steps, until the condition holds, for at most `withinMs`. @returns whether it holds */
  passUntil(condition: () => boolean, withinMs: number): Promise<boolean>;
};

const STEP_MS = 50;

/** For each test of a suite whose stores are in memory: what else takes real time is not waited for. */
export function virtualTime(): VirtualTime {
  const real = performance.now;
  let clock = testClock();
  let now = 0;
  beforeEach(() => {
    clock = testClock();
    now = 0;
    mock.timers.enable({ apis: ['setTimeout', 'setInterval'] });
    performance.now = () => now;
    // Modules import the functions of timers by name.
    syncBuiltinESMExports();
  });
  afterEach(() => {
    mock.timers.reset();
    performance.now = real;
    syncBuiltinESMExports();
  });
  return {
    get clock() {
      return clock;
    },
    now: () => now,
    async passUntil(condition, withinMs) {
      for (const end = now + withinMs; ;) {
        // All promises that need no timer are settled after it.
        await new Promise(setImmediate);
        if (condition() || now >= end) return condition();
        now += STEP_MS;
        clock.forward(STEP_MS);
        mock.timers.tick(STEP_MS);
      }
    },
  };
}
