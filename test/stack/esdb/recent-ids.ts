/**
 * The events of the last calls by id. It begins empty and has an end, as on the real server, so that a test can
 * see what that does: a repeat with `any` after a restart, or after very many other events, is written again.
 */
import type { Entry } from './log-index.js';

export type RecentIds = {
  get(id: string): Entry | undefined;
  add(entry: Entry): void;
};

const MOST = 100_000;

export function recentIds(): RecentIds {
  const entries = new Map<string, Entry>();
  return {
    get: (id) => entries.get(id),
    add: (entry) => {
      // The first event of an id stays the one that a repeat is answered with.
      if (entries.has(entry.id)) return;
      entries.set(entry.id, entry);
      if (entries.size <= MOST) return;
      const [oldest] = entries.keys();
      entries.delete(oldest!);
    },
  };
}
