/** Waiting for something that may happen at any time, also right before the wait. */
export type Notifier = {
  notify: () => void;
  /** How often it was woken: read before the look that makes waiting needful. */
  count(): number;
  /** Waits for a wake-up after the one `seen`, for so long at the most, or for the abort. */
  wait(seen: number, withinMs: number, signal: AbortSignal): Promise<void>;
};

export function openNotifier(): Notifier {
  let count = 0;
  const waiting = new Set<() => void>();
  return {
    notify: () => {
      count += 1;
      for (const done of waiting) done();
    },
    count: () => count,
    wait: (seen, withinMs, signal) => {
      if (count !== seen || signal.aborted) return Promise.resolve();
      return new Promise((resolve) => {
        const done = (): void => {
          clearTimeout(timer);
          waiting.delete(done);
          signal.removeEventListener('abort', done);
          resolve();
        };
        const timer = setTimeout(done, withinMs).unref();
        waiting.add(done);
        signal.addEventListener('abort', done);
      });
    },
  };
}
