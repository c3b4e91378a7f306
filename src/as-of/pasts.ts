/** The pasts that were asked for last, in memory. */
import { LRUCache } from 'lru-cache';
import { limits } from '../limits.js';
import type { EventLog } from '../ports/event-log.js';
import { bytesOf, foldPast, type FoldedPast, type PastLog } from './fold-past.js';
import { keyOfPast, type Past, type Pasts } from './past.js';

/** `log`: with its events as they are stored, without what was redacted. */
export function openPasts(log: PastLog & Pick<EventLog, 'forgotten'>): Pasts {
  const kept = new LRUCache<string, FoldedPast>({
    maxSize: limits.asOfBytes,
    sizeCalculation: bytesOf,
  });
  const folding = new Map<string, Promise<FoldedPast>>();
  let generation: number | undefined;

  /** What was forgotten since must not be shown any more. */
  async function dropForgotten(): Promise<void> {
    const now = await log.forgotten?.();
    if (now === generation) return;
    generation = now;
    kept.clear();
    folding.clear();
  }

  async function documentsOf(past: Past): Promise<FoldedPast> {
    await dropForgotten();
    const key = keyOfPast(past);
    const known = kept.get(key) ?? folding.get(key);
    if (known !== undefined) return known;
    const fold = foldPast(log, past);
    folding.set(key, fold);
    try {
      const documents = await fold;
      // Something may have been forgotten while it was folded.
      if (folding.get(key) === fold) kept.set(key, documents);
      return documents;
    } finally {
      if (folding.get(key) === fold) folding.delete(key);
    }
  }

  return {
    async open(past) {
      await documentsOf(past);
    },
    async has(past) {
      await dropForgotten();
      return kept.has(keyOfPast(past));
    },
    get: async ({ past, model, collection }, ids) => (await documentsOf(past))[model]!.get(collection, ids),
    find: async ({ past, model, collection }, query) =>
      (await documentsOf(past))[model]!.find(collection, query),
  };
}
