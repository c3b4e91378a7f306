/** Waiting until a projection has come far enough: the writer tells all readers of the folder, in any thread. */
import { mkdirSync, realpathSync } from 'node:fs';
import { BroadcastChannel } from 'node:worker_threads';
import type { Position } from '../../../domain/event.js';

export type Announcer = { announce(projection: string): void; close(): void };

export type PositionWaits = {
  /** Resolves with the position once it is `atLeast`, or with what it is after `timeoutMs`. */
  wait(projection: string, atLeast: Position, timeoutMs: number): Promise<Position>;
  /** Lets all who wait go, with the position as it is. */
  close(): void;
};

type PositionWaiter = { atLeast: Position; settle(position: Position | Promise<never>): void };

/** The writer's end: says that the live build of a projection has moved, after the commit. */
export function openAnnouncer(folder: string): Announcer {
  const channel = openChannel(folder);
  return { announce: (projection) => channel.postMessage(projection), close: () => channel.close() };
}

/** The reader's end. `read` tells where the live build of a projection stands. */
export function openPositionWaits(folder: string, read: (projection: string) => Position): PositionWaits {
  const waiting = new Map<string, Set<PositionWaiter>>();
  // A live build never goes back, so what it once reached answers most waits without a look at the file.
  const reached = new Map<string, Position>();
  const readPosition = (projection: string): Position => {
    const position = read(projection);
    reached.set(projection, position);
    return position;
  };
  // One read for all who wait, however many they are.
  const wake = (projection: string): void => {
    const waiters = waiting.get(projection);
    if (waiters === undefined || waiters.size === 0) return;
    const position = tryRead(projection);
    // Unreadable now: those who wait read again when their time is over.
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

  // Open before anything is read: what is committed after a read is then always heard.
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

/** Named after the folder itself, whatever path leads to it. Keeps no thread alive. */
function openChannel(folder: string, hear?: (projection: string) => void): BroadcastChannel {
  mkdirSync(folder, { recursive: true });
  const channel = new BroadcastChannel(`testledger views ${realpathSync(folder)}`);
  if (hear !== undefined) channel.onmessage = ({ data }: { data: unknown }) => hear(String(data));
  channel.unref();
  return channel;
}
