/** Turns: so many pieces of work at once, the others in the order they came. */

/** @throws Error when no turn comes within the limit: then the work was not begun. */
export type WithPermit = <T>(limitMs: number, work: () => Promise<T>) => Promise<T>;

export function openPermits(atOnce: number): WithPermit {
  const waiting = new Set<() => void>();
  let free = atOnce;

  function turn(limitMs: number): Promise<void> {
    return new Promise((resolve, reject) => {
      const timer = setTimeout(() => {
        waiting.delete(given);
        reject(new Error(`no turn within ${Math.round(limitMs)} ms`));
      }, limitMs);
      waiting.add(given);

      function given(): void {
        clearTimeout(timer);
        waiting.delete(given);
        resolve();
      }
    });
  }

  return async (limitMs, work) => {
    // Who is woken has been handed the turn: nobody who comes in between takes it.
    if (free > 0) free -= 1;
    else await turn(limitMs);
    try {
      return await work();
    } finally {
      const [next] = waiting;
      if (next === undefined) free += 1;
      else next();
    }
  };
}
