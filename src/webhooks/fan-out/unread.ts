/**
 * The partitions that may have messages without deliveries: every commit of the history wakes the fan-out, in its own thread
 * and over the relay.
 */
import { openNotifier } from '../../concurrency/notifier.js';
import type { Partition, Partitions } from '../../domain/partition.js';

export type Unread = ReturnType<typeof openUnread>;

export function openUnread() {
  let partitions = new Set<Partition>();
  const { count, wait, notify } = openNotifier();
  return {
    /** As those of a notifier. */
    count,
    wait,
    add(some: Partitions): void {
      for (const partition of some) partitions.add(partition);
      notify();
    },
    /** Those that were added since the last call, each once. */
    take(): ReadonlySet<Partition> {
      const taken = partitions;
      partitions = new Set();
      return taken;
    },
  };
}
