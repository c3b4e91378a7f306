import { withTimeout } from './with-timeout.js';

/**
 * Runs of `work`, one at a time, each shared by all who asked before it began: a flood of readers costs one read, and
 * yet nobody is answered by one that was under way when he came, which may have missed what he waits for. Behind one
 * that takes longer than `patienceMs` the next begins all the same: waiting for it would use up the time of its askers.
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
    // Who is told by the last run and asks again at once comes before the next has begun: it is his as well.
    if (next !== null) return next;
    if (running === null) return begin();
    const before = patienceMs === undefined ? running : withTimeout(patienceMs, running, () => undefined);
    return (next = before.then(begin, begin));
  };
}
