/** Limits how many pieces of work run at the same time in this process. The others wait, first come, first served. */
import { openFairSemaphore } from './fair-semaphore.js';

export type Semaphore = {
  /**
   * Waits for a permit. @returns the function that gives the permit back, or null where the wait was aborted or took
   * longer than `withinMs`.
   */
  acquire(limits: { signal?: AbortSignal; withinMs?: number }): Promise<(() => void) | null>;
  /**
   * Does the work while it holds a permit. @throws Error when no permit is free within the limit: the work has not begun.
   * @throws what the work throws
   */
  run<T>(withinMs: number, work: () => Promise<T>): Promise<T>;
};

export function openSemaphore(permits: number): Semaphore {
  const shared = openFairSemaphore(permits, { perKey: permits });
  const acquire: Semaphore['acquire'] = (limits) => shared.acquire('', limits);
  return {
    acquire,
    run: async (withinMs, work) => {
      const release = await acquire({ withinMs });
      if (release === null) throw new Error(`no turn within ${Math.round(withinMs)} ms`);
      try {
        return await work();
      } finally {
        release();
      }
    },
  };
}
