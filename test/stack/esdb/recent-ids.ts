/**
 * The events of the last calls, by id. As on the real server, it is empty at the start and has a limit. So a repeat
 * with `any` after a restart, or after very many other events, is written again, and tests can show that.
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
      // A repeat is answered with the first event of its id.
      if (entries.has(entry.id)) return;
      entries.set(entry.id, entry);
      if (entries.size <= MOST) return;
      const [oldest] = entries.keys();
      entries.delete(oldest!);
    },
  };
}
