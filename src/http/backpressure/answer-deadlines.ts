/** Deadlines for answers: a reader that takes nothing must not hold a connection, its memory and its file for ever. */
import type { ServerResponse } from 'node:http';

export type ReaderLimits = {
  /** A reader that takes nothing for this time is cut off. */
  stalledMs: number;
  /** After that time, a reader for whom bytes wait must take at least this many of them. */
  bytesPerSecond: number;
};

/** An answer while bytes of it wait for its reader. */
type Waiting = {
  /** The bytes that the operating system had taken at the last look. */
  taken: number;
  /** The time since it last took some, while bytes waited. */
  sinceTakenMs: number;
  /** The bytes that were taken while others waited, and the time for which they waited. */
  takenWaiting: number;
  waitedMs: number;
};

/** The number of looks at the answers within `stalledMs`. */
const LOOKS = 60;

/** Looks at the answers that are open until `stop`, and cuts off those whose readers are too slow. */
export function watchReaders(
  open: ReadonlySet<ServerResponse>,
  { stalledMs, bytesPerSecond }: ReaderLimits,
): { stop(): void } {
  // One timer for all answers: a timer for each would cost more than all the rest here.
  const readers = new WeakMap<ServerResponse, Waiting>();
  const lookMs = stalledMs / LOOKS;
  let lastLook = performance.now();

  function isTooSlow(response: ServerResponse, elapsedMs: number): boolean {
    const { socket } = response;
    // An answer gets the socket only when the earlier answers of its connection are sent.
    if (socket === null) return false;
    const taken = socket.bytesWritten - socket.writableLength;
    const before = readers.get(response);
    // The time in which nothing waits for the reader does not count.
    if (before === undefined || socket.writableLength === 0) {
      readers.set(response, { takenWaiting: 0, waitedMs: 0, ...before, taken, sinceTakenMs: 0 });
      return false;
    }
    before.takenWaiting += taken - before.taken;
    before.waitedMs += elapsedMs;
    before.sinceTakenMs = taken > before.taken ? 0 : before.sinceTakenMs + elapsedMs;
    before.taken = taken;
    const due = ((before.waitedMs - stalledMs) / 1_000) * bytesPerSecond;
    return before.sinceTakenMs >= stalledMs || before.takenWaiting < due;
  }

  const look = (): void => {
    const now = performance.now();
    // A pause of this whole process counts as two looks at most: it handed nothing over meanwhile, so it could see no
    // progress of a reader.
    const elapsedMs = Math.min(now - lastLook, 2 * lookMs);
    for (const response of open) if (isTooSlow(response, elapsedMs)) response.destroy();
    lastLook = now;
  };
  const timer = setInterval(look, lookMs).unref();
  return { stop: () => clearInterval(timer) };
}
