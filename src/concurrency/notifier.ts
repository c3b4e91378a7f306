/** Waiting for something that may happen at any time, also right before the wait begins. */
import { waitForCallback, type WaitEnd } from './wait-for-callback.js';

export type Notifier = {
  notify: () => void;
  /** The number of notifications. Read it before the check that leads to a wait. */
  count(): number;
  /**
   * Waits for a notification after the `seen` count, for at most `withinMs`, or until the abort. A notification between
   * the check and the wait has changed the count, so the wait ends at once instead of missing it.
   */
  wait(seen: number, withinMs: number, signal?: AbortSignal): Promise<WaitEnd>;
  /**
   * Waits until the condition holds, for at most `withinMs`, or until the abort. Checks it after each notification.
   * @returns whether the condition holds
   */
  until(condition: () => boolean, withinMs: number, signal?: AbortSignal): Promise<boolean>;
};

export function openNotifier(): Notifier {
  const waiting = new Set<() => void>();
  let count = 0;

  function wait(seen: number, withinMs: number, signal?: AbortSignal): Promise<WaitEnd> {
    if (count !== seen) return Promise.resolve('called');
    const subscribe = (callback: () => void) => {
      waiting.add(callback);
      return () => waiting.delete(callback);
    };
    return waitForCallback(subscribe, { withinMs, signal });
  }

  return {
    notify: () => {
      count += 1;
      for (const callback of waiting) callback();
    },
    count: () => count,
    wait,
    until: async (condition, withinMs, signal) => {
      const end = performance.now() + withinMs;
      while (!condition()) {
        if ((await wait(count, Math.max(0, end - performance.now()), signal)) !== 'called')
          return condition();
      }
      return true;
    },
  };
}
