/** Wake-ups for those who follow the SQLite log, in every thread of the process. */
import { BroadcastChannel } from 'node:worker_threads';

export type Wakes = {
  /** How many there were: the same number before a read and after it means that nothing came in between. */
  count(): number;
  /** Calls once, with the next one. Answers the function that gives up waiting. */
  next(wake: () => void): () => void;
  /** Wakes all, here and in the other threads. */
  wake(): void;
  close(): void;
};

/** Listens for wake-ups on the channel until it is closed. Does not keep the process running. */
export function listenForWakes(channel: string): Wakes {
  const listening = new BroadcastChannel(channel);
  const waiting = new Set<() => void>();
  let count = 0;
  const wakeHere = (): void => {
    count += 1;
    // A copy is made and cleared first: who is woken may wait again at once.
    const woken = [...waiting];
    waiting.clear();
    for (const wake of woken) wake();
  };
  listening.onmessage = wakeHere;
  listening.unref();
  return {
    count: () => count,
    next: (wake) => {
      waiting.add(wake);
      return () => waiting.delete(wake);
    },
    wake: () => {
      listening.postMessage(null);
      wakeHere();
    },
    close: () => {
      listening.close();
      wakeHere();
    },
  };
}

/** Waits for a wake-up after the one `seen`, for so long at the most, or for the abort. */
export function woken(wakes: Wakes, seen: number, withinMs: number, signal: AbortSignal): Promise<void> {
  if (signal.aborted || wakes.count() !== seen) return Promise.resolve();
  return new Promise((resolve) => {
    const timer = withinMs === Infinity ? undefined : setTimeout(done, withinMs).unref();
    const giveUp = wakes.next(done);
    signal.addEventListener('abort', done);

    function done(): void {
      clearTimeout(timer);
      giveUp();
      signal.removeEventListener('abort', done);
      resolve();
    }
  });
}
