import { Mutex } from 'async-mutex';

/** Does the work when all earlier work of the same key has ended. @throws what the work throws */
export type SerializeByKey = <T>(key: string, work: () => Promise<T>) => Promise<T>;

/**
 * Work of one key runs one piece after the other, in the order of the calls; work of different keys runs at the same
 * time. Work that fails does not hold up what waits behind it. A key without work takes no memory.
 */
export function openSerializeByKey(): SerializeByKey {
  const mutexes = new Map<string, Mutex>();
  return async (key, work) => {
    const mutex = mutexes.get(key) ?? new Mutex();
    mutexes.set(key, mutex);
    try {
      return await mutex.runExclusive(work);
    } finally {
      // The mutex passes to the next in the line before this runs, so it is free only where no one waits.
      if (!mutex.isLocked()) mutexes.delete(key);
    }
  };
}
