import { withTimeout } from './with-timeout.js';

/**
 * Shares runs of `work` among callers: one run at a time, and each run answers all callers from before it began. A
 * flood of readers costs one read. No caller gets the answer of a run that was already under way: that run may have
 * read before the change that the caller looks for. When a run takes longer than `patienceMs`, the next run begins
 * beside it: waiting for it would use up the callers' time.
 */
export function coalesce<T>(work: () => Promise<T>, patienceMs?: number): () => Promise<T> {
  let running: Promise<T> | null = null;
  let next: Promise<T> | null = null;
  const begin = (): Promise<T> => {
    next = null;
    const run = work().finally(() => {
      if (running === run) running = null;
    });
    running = run;
    return run;
  };
  return () => {
    // A caller that just got its answer may call again before the next run has begun: it shares that run.
    if (next !== null) return next;
    if (running === null) return begin();
    const before = patienceMs === undefined ? running : withTimeout(patienceMs, running, () => undefined);
    return (next = before.then(begin, begin));
  };
}

/**
 * As `coalesce`, for each key by itself: all callers with one key bring the same work. A key is forgotten once no caller
 * waits for it.
 */
export function coalesceByKey<T>(): (key: string, work: () => Promise<T>) => Promise<T> {
  const shared = new Map<string, { join: () => Promise<T>; waiting: number }>();
  return async (key, work) => {
    const own = shared.get(key) ?? { join: coalesce(work), waiting: 0 };
    shared.set(key, own);
    own.waiting += 1;
    try {
      return await own.join();
    } finally {
      own.waiting -= 1;
      if (own.waiting === 0) shared.delete(key);
    }
  };
}
