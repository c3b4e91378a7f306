/**
 * Runs of `work`, one at a time, each shared by all who asked before it began: a flood of readers costs one read, and
 * yet nobody is answered by one that was under way when he came, which may have missed what he waits for.
 */
export function afterThis<T>(work: () => Promise<T>): () => Promise<T> {
  let running: Promise<T> | null = null;
  let next: Promise<T> | null = null;
  const begin = (): Promise<T> => {
    next = null;
    running = work().finally(() => (running = null));
    return running;
  };
  return () => {
    // Who is told by the last run and asks again at once comes before the next has begun: it is his as well.
    if (next !== null) return next;
    if (running === null) return begin();
    return (next = running.then(begin, begin));
  };
}
