import { openNotifier } from '../../concurrency/notifier.js';

/**
 * What a source gives, and `idle` each time that it gave nothing for so long. Ends with the source, or with the signal,
 * also where the source hangs.
 */
export async function* withIdleTicks<T>(
  source: AsyncIterable<T>,
  idleMs: number,
  signal: AbortSignal,
): AsyncGenerator<T | 'idle', void> {
  const iterator = source[Symbol.asyncIterator]();
  const arrivals = openNotifier();
  let asked: { answer: (() => IteratorResult<T>) | null } | null = null;
  try {
    while (!signal.aborted) {
      const seen = arrivals.count();
      // Listened to once, and not anew each time: the wait for one answer may be days long.
      asked ??= ask(iterator, arrivals.notify);
      if (asked.answer === null) await arrivals.wait(seen, idleMs, signal);
      if (signal.aborted) return;
      if (asked.answer === null) {
        yield 'idle';
        continue;
      }
      const { answer } = asked;
      asked = null;
      const result = answer();
      if (result.done === true) return;
      yield result.value;
    }
  } finally {
    // One that still works on its next ends by the signal: a generator takes no other call until then.
    if (asked === null) await iterator.return?.();
  }
}

function ask<T>(iterator: AsyncIterator<T>, settled: () => void) {
  const asked: { answer: (() => IteratorResult<T>) | null } = { answer: null };
  iterator.next().then(
    (result) => {
      asked.answer = () => result;
      settled();
    },
    (error: unknown) => {
      asked.answer = () => {
        throw error;
      };
      settled();
    },
  );
  return asked;
}
