/** A cache of what was used last. */
import { LRUCache } from 'lru-cache';

/** With a number as its `max`, such a cache takes room for as many at once, in each thread, and most hold a few. */
export function recentlyUsed<K extends {}, V extends {}>(most: number): LRUCache<K, V> {
  return new LRUCache({ maxSize: most, sizeCalculation: () => 1 });
}
