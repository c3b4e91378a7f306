/** Waits until a projection has reached a position. The writer notifies the readers of the folder, in every thread. */
import { BroadcastChannel } from 'node:worker_threads';
import type { Position } from '../../../domain/event.js';
import type { Partition } from '../../../domain/partition.js';
import type { Checkpoint } from '../../../ports/views.js';
import { positionIn, type PositionWait } from '../../shared/checkpoints.js';
import { makePrivateFolder } from '../../shared/file-modes.js';
import { viewsChannel } from '../channels.js';

export type Announcer = { announce(projection: string): void; close(): void };

export type PositionWaits = {
  /** Resolves with the position once it is `atLeast`, or with the current position after `timeoutMs`. */
  wait(wanted: PositionWait): Promise<Position>;
  /** Ends all waits with the current position. */
  close(): void;
};

type PositionWaiter = Pick<PositionWait, 'partition' | 'atLeast'> & {
  settle(position: Position | Promise<never>): void;
};

/** The writer's end: announces, after the commit, that the live build of a projection has moved. */
export function openAnnouncer(folder: string): Announcer {
  const channel = openChannel(folder);
  return { announce: (projection) => channel.postMessage(projection), close: () => channel.close() };
}

/** The reader's end. `read` answers the checkpoints of the live build. */
export function openPositionWaits(
  folder: string,
  read: (projection: string) => readonly Checkpoint[],
): PositionWaits {
  const waiting = new Map<string, Set<PositionWaiter>>();
  // A live build never goes back, so checkpoints that were read once answer most waits without a read.
  const reached = new Map<string, readonly Checkpoint[]>();
  const readCheckpoints = (projection: string): readonly Checkpoint[] => {
    const checkpoints = read(projection);
    reached.set(projection, checkpoints);
    return checkpoints;
  };
  // One read for all waits.
  const wake = (projection: string): void => {
    const waiters = waiting.get(projection);
    if (waiters === undefined || waiters.size === 0) return;
    const checkpoints = tryRead(projection);
    // The file cannot be read now. The waits read again at their timeout.
    if (checkpoints === null) return;
    for (const waiter of waiters) {
      const position = positionIn(checkpoints, waiter.partition);
      if (position >= waiter.atLeast) waiter.settle(position);
    }
  };
  const tryRead = (projection: string): readonly Checkpoint[] | null => {
    try {
      return readCheckpoints(projection);
    } catch {
      return null;
    }
  };

  // Opened before any read, so that it hears of every commit after a read.
  const channel = openChannel(folder, wake);

  return {
    wait: async ({ projection, partition, atLeast, timeoutMs }) => {
      const known = positionIn(reached.get(projection) ?? [], partition);
      if (reached.has(projection) && known >= atLeast) return known;
      const position = positionIn(readCheckpoints(projection), partition);
      if (position >= atLeast || timeoutMs <= 0) return position;
      const waiters = waiting.get(projection) ?? new Set<PositionWaiter>();
      waiting.set(projection, waiters);
      return new Promise((resolve) => {
        const waiter: PositionWaiter = {
          partition,
          atLeast,
          settle: (answer) => {
            clearTimeout(timer);
            waiters.delete(waiter);
            resolve(answer);
          },
        };
        const timer = setTimeout(() => waiter.settle(readLate(projection, partition)), timeoutMs).unref();
        waiters.add(waiter);
      });
    },
    close: () => {
      channel.close();
      for (const [projection, waiters] of waiting) {
        for (const waiter of waiters) waiter.settle(readLate(projection, waiter.partition));
      }
    },
  };

  function readLate(projection: string, partition: Partition | undefined): Position | Promise<never> {
    try {
      return positionIn(read(projection), partition);
    } catch (error) {
      return Promise.reject(error);
    }
  }
}

/** It keeps no thread alive. */
function openChannel(folder: string, hear?: (projection: string) => void): BroadcastChannel {
  makePrivateFolder(folder);
  const channel = new BroadcastChannel(viewsChannel(folder));
  if (hear !== undefined) channel.onmessage = ({ data }: { data: unknown }) => hear(String(data));
  channel.unref();
  return channel;
}
