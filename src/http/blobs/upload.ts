/** The bytes of an upload, which must arrive fast enough to be complete in time. */
import type { IncomingMessage } from 'node:http';
import { AppError } from '../../errors.js';

export type UploadPace = {
  /** The time in which the whole file has to arrive. */
  withinMs: number;
  /** The least speed of every upload: a small file that does not come must not hold its slot for all of that time. */
  bytesPerSecond: number;
};

/** An upload is not refused for its speed before this time, or this part of its time, has passed. */
const GRACE_MS = 5_000;
const GRACE = 0.1;

/**
 * Reads the bytes of a request. It leaves the request open when its reader stops early, so that an answer can still be
 * written. @throws AppError `request_timeout` as soon as the file is slower than its pace, or cannot be complete in
 * time at its speed so far; `malformed_request` where the connection ended early.
 */
export async function* uploadOf(
  request: IncomingMessage,
  size: number,
  { withinMs, bytesPerSecond }: UploadPace,
): AsyncGenerator<Uint8Array> {
  const began = performance.now();
  let received = 0;
  let giveUp: ((reason: Error) => void) | null = null;
  const graceMs = Math.min(GRACE_MS, GRACE * withinMs);
  const isTooSlow = (): boolean => {
    const spentMs = performance.now() - began;
    if (spentMs <= graceMs) return false;
    const due = Math.max(
      ((spentMs - graceMs) / (withinMs - graceMs)) * size,
      ((spentMs - graceMs) / 1_000) * bytesPerSecond,
    );
    return spentMs >= withinMs || received < due;
  };
  const watch = setInterval(() => isTooSlow() && giveUp?.(tooSlow()), Math.min(1_000, withinMs / 20));
  const chunks = request.iterator({ destroyOnReturn: false });
  try {
    for (;;) {
      const next = await new Promise<IteratorResult<Uint8Array>>((resolve, reject) => {
        giveUp = reject;
        chunks.next().then(resolve, (cause: unknown) => reject(cutOff(cause)));
      });
      if (next.done === true) return;
      giveUp = null;
      received += next.value.byteLength;
      yield next.value;
    }
  } finally {
    clearInterval(watch);
    // During a pending read this would wait for ever; then the connection has to end instead.
    if (giveUp === null) await chunks.return?.();
  }
}

function tooSlow(): AppError {
  return new AppError('request_timeout', 'The upload is too slow to be complete in time.');
}

function cutOff(cause: unknown): AppError {
  return new AppError('malformed_request', 'The upload ended before it was complete.', { cause });
}
