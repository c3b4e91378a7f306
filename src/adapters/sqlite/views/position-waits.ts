/** Waits until a projection has reached a position. The writer notifies the readers of the folder, in every thread. */
import { mkdirSync, realpathSync } from 'node:fs';
import { BroadcastChannel } from 'node:worker_threads';
import type { Position } from '../../../domain/event.js';

export type Announcer = { announce(projection: string): void; close(): void };

export type PositionWaits = {
  /** Resolves with the position once it is `atLeast`, or with the current position after `timeoutMs`. */
  wait(projection: string, atLeast: Position, timeoutMs: number): Promise<Position>;
  /** Ends all waits with the current position. */
  close(): void;
};

type PositionWaiter = { atLeast: Position; settle(position: Position | Promise<never>): void };

/** The writer's end: announces, after the commit, that the live build of a projection has moved. */
export function openAnnouncer(folder: string): Announcer {
  const channel = openChannel(folder);
  return { announce: (projection) => channel.postMessage(projection), close: () => channel.close() };
}

/** The reader's end. `read` answers the position of the live build. */
export function openPositionWaits(folder: string, read: (projection: string) => Position): PositionWaits {
  const waiting = new Map<string, Set<PositionWaiter>>();
  // A live build never goes back, so a position that was reached once answers most waits without a read.
  const reached = new Map<string, Position>();
  const readPosition = (projection: string): Position => {
    const position = read(projection);
    reached.set(projection, position);
    return position;
  };
  // One read for all waits.
  const wake = (projection: string): void => {
    const waiters = waiting.get(projection);
    if (waiters === undefined || waiters.size === 0) return;
    const position = tryRead(projection);
    // The file cannot be read now. The waits read again at their timeout.
    if (position === null) return;
    for (const waiter of waiters) if (position >= waiter.atLeast) waiter.settle(position);
  };
  const tryRead = (projection: string): Position | null => {
    try {
      return readPosition(projection);
    } catch {
      return null;
    }
  };

  // Opened before any read, so that it hears of every commit after a read.
  const channel = openChannel(folder, wake);

  return {
    wait: async (projection, atLeast, timeoutMs) => {
      const known = reached.get(projection);
      if (known !== undefined && known >= atLeast) return known;
      const position = readPosition(projection);
      if (position >= atLeast || timeoutMs <= 0) return position;
      const waiters = waiting.get(projection) ?? new Set<PositionWaiter>();
      waiting.set(projection, waiters);
      return new Promise((resolve) => {
        const waiter: PositionWaiter = {
          atLeast,
          settle: (answer) => {
            clearTimeout(timer);
            waiters.delete(waiter);
            resolve(answer);
          },
        };
        const timer = setTimeout(() => waiter.settle(readLate(projection)), timeoutMs).unref();
        waiters.add(waiter);
      });
    },
    close: () => {
      channel.close();
      for (const [projection, waiters] of waiting) {
        for (const waiter of waiters) waiter.settle(readLate(projection));
      }
    },
  };

  function readLate(projection: string): Position | Promise<never> {
    try {
      return read(projection);
    } catch (error) {
      return Promise.reject(error);
    }
  }
}

/** Its name holds the real path of the folder. It keeps no thread alive. */
function openChannel(folder: string, hear?: (projection: string) => void): BroadcastChannel {
  mkdirSync(folder, { recursive: true });
  const channel = new BroadcastChannel(`testledger views ${realpathSync(folder)}`);
  if (hear !== undefined) channel.onmessage = ({ data }: { data: unknown }) => hear(String(data));
  channel.unref();
  return channel;
}
