/** Limits what runs at the same time in this process, and shares it between keys: for example between teams. */
import { waitForCallback } from './wait-for-callback.js';

export type FairSemaphore = {
  /** Takes permits now. @returns the function that gives them back, or null where they are not free for this key. */
  tryAcquire(key: string, permits?: number): (() => void) | null;
  /**
   * Waits for permits. Of the keys that wait, the one that holds the fewest gets the next ones, and among equals the one
   * whose turn is longer ago. A key that holds its share does not hold up the others.
   * @returns the function that gives the permits back, or null where the wait was aborted or took longer than `withinMs`
   * @throws Error when the share of a key is smaller than the number of permits
   */
  acquire(key: string, limits?: FairWait): Promise<(() => void) | null>;
  /** Counts permits as taken, whether they are free or not: for something that exists already. */
  take(key: string, permits: number): () => void;
  /** True if this number of permits is free for this key. Others may wait for them. */
  isFree(key: string, permits: number): boolean;
  /** The permits that are taken now. */
  taken(): number;
};

export type FairWait = { signal?: AbortSignal | undefined; withinMs?: number; permits?: number };

type Waiter = { key: string; permits: number; take(release: () => void): void };

/**
 * One key gets at most `perKey` of the permits at the same time, so that it cannot take all of them. A permit can stand
 * for a piece of work, or for a byte. A key that neither holds nor waits takes no memory.
 */
export function openFairSemaphore(permits: number, { perKey }: { perKey: number }): FairSemaphore {
  let taken = 0;
  const held = new Map<string, number>();
  /** The waiters of each key in the order of arrival. The keys are in the order of their turns. */
  const queues = new Map<string, Set<Waiter>>();
  const heldBy = (key: string): number => held.get(key) ?? 0;
  const isFree = (key: string, wanted: number): boolean =>
    taken + wanted <= permits && heldBy(key) + wanted <= perKey;

  function take(key: string, wanted: number): () => void {
    taken += wanted;
    held.set(key, heldBy(key) + wanted);
    let released = false;
    return () => {
      if (released) return;
      released = true;
      taken -= wanted;
      const left = heldBy(key) - wanted;
      if (left > 0) held.set(key, left);
      else held.delete(key);
      admit();
    };
  }

  /** Admits waiters until the next one has to wait for others. */
  function admit(): void {
    for (let next = nextWaiter(); next !== null && isFree(next.key, next.permits); next = nextWaiter()) {
      leave(next);
      // The key moves behind the others. Otherwise, one with a long queue would always come before its equals.
      const queue = queues.get(next.key);
      if (queue !== undefined && queues.delete(next.key)) queues.set(next.key, queue);
      next.take(take(next.key, next.permits));
    }
  }

  /**
   * The first waiter of the key that holds the fewest. It keeps its turn while too few permits are free for it: others
   * that need fewer would overtake it for ever.
   */
  function nextWaiter(): Waiter | null {
    let first: Waiter | null = null;
    for (const [key, queue] of queues) {
      const [waiter] = queue;
      if (heldBy(key) + waiter!.permits > perKey) continue;
      if (first === null || heldBy(key) < heldBy(first.key)) first = waiter!;
    }
    return first;
  }

  function leave(waiter: Waiter): void {
    const queue = queues.get(waiter.key);
    queue?.delete(waiter);
    if (queue?.size === 0) queues.delete(waiter.key);
  }

  function enter(waiter: Waiter): void {
    const queue = queues.get(waiter.key) ?? new Set();
    queues.set(waiter.key, queue.add(waiter));
  }

  function tryAcquire(key: string, wanted = 1): (() => void) | null {
    if (!isFree(key, wanted)) return null;
    const first = nextWaiter();
    return first === null || heldBy(key) < heldBy(first.key) ? take(key, wanted) : null;
  }

  return {
    taken: () => taken,
    take,
    isFree,
    tryAcquire,
    async acquire(key, { permits: wanted = 1, ...limits } = {}) {
      if (wanted > Math.min(permits, perKey))
        throw new Error(`${wanted} permits are more than one key can get`);
      if (limits.signal?.aborted === true) return null;
      let release = tryAcquire(key, wanted);
      if (release !== null) return release;
      const waiter: Waiter = { key, permits: wanted, take: () => undefined };
      await waitForCallback((callback) => {
        waiter.take = (given) => {
          release = given;
          callback();
        };
        enter(waiter);
        return () => leave(waiter);
      }, limits);
      // The next ones may have waited only because this one was before them.
      if (release === null) admit();
      return release;
    },
  };
}
