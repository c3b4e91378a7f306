/** How a wait ended. */
export type WaitEnd = 'called' | 'timeout' | 'aborted';

/**
 * Waits until a callback is called, until a limit, or until the abort, whichever comes first. It always removes the
 * timer, the listener and the subscription: a wait that leaves one behind leaks with each of thousands of waits.
 * The timer keeps no process running.
 *
 * @param subscribe registers the callback, and returns the function that removes it
 * @returns how the wait ended
 */
export function waitForCallback(
  subscribe: (callback: () => void) => () => void,
  { withinMs = Infinity, signal }: { withinMs?: number; signal?: AbortSignal | undefined } = {},
): Promise<WaitEnd> {
  if (signal?.aborted === true) return Promise.resolve('aborted');
  return new Promise((resolve) => {
    const called = (): void => end('called');
    const aborted = (): void => end('aborted');
    const timer =
      withinMs > LONGEST_TIMER_MS ? undefined : setTimeout(() => end('timeout'), withinMs).unref();
    signal?.addEventListener('abort', aborted);
    const unsubscribe = subscribe(called);

    function end(how: WaitEnd): void {
      clearTimeout(timer);
      signal?.removeEventListener('abort', aborted);
      unsubscribe();
      resolve(how);
    }
  });
}

/** `setTimeout` fires at once where the time is longer. */
const LONGEST_TIMER_MS = 2 ** 31 - 1;
