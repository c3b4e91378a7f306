/** Turns: so many pieces of work at once, the others in the order they came. */

export type Turns = <T>(work: () => Promise<T>) => Promise<T>;

export function turns(atOnce: number): Turns {
  const waiting: (() => void)[] = [];
  let free = atOnce;
  return async (work) => {
    // Who is woken has been handed the turn: nobody who comes in between takes it.
    if (free > 0) free -= 1;
    else await new Promise<void>((resolve) => waiting.push(resolve));
    try {
      return await work();
    } finally {
      const next = waiting.shift();
      if (next === undefined) free += 1;
      else next();
    }
  };
}
