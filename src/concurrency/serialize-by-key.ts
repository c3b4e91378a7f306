/** Does the work when all earlier work of the same key has ended. @throws what the work throws */
export type SerializeByKey = <T>(key: string, work: () => Promise<T>) => Promise<T>;

/**
 * Work of one key runs one piece after the other, in the order of the calls; work of different keys runs at the same
 * time. Work that fails does not hold up what waits behind it. A key without work takes no memory.
 */
export function openSerializeByKey(): SerializeByKey {
  /** The end of the last work of each key, whether it failed or not. */
  const ends = new Map<string, Promise<void>>();
  return async (key, work) => {
    const working = (ends.get(key) ?? Promise.resolve()).then(work);
    const end = working.then(
      () => undefined,
      () => undefined,
    );
    ends.set(key, end);
    try {
      return await working;
    } finally {
      if (ends.get(key) === end) ends.delete(key);
    }
  };
}
