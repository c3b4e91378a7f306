import { openNotifier } from './notifier.js';

/**
 * Yields what a source yields, and `idle` each time the source yields nothing for the time that `idleMs` answers. It ends
 * with the source or with the signal, even if the source hangs.
 */
export async function* withIdleTicks<T>(
  source: AsyncIterable<T>,
  idleMs: () => number,
  signal: AbortSignal,
): AsyncGenerator<T | 'idle', void> {
  const iterator = source[Symbol.asyncIterator]();
  const arrivals = openNotifier();
  let pending: Pending<T> | null = null;
  try {
    while (!signal.aborted) {
      const seen = arrivals.count();
      // One listener for each item, not one for each tick: the wait for one item may last days.
      pending ??= next(iterator, arrivals.notify);
      if (pending.answer === null) await arrivals.wait(seen, idleMs(), signal);
      if (signal.aborted) return;
      if (pending.answer === null) {
        yield 'idle';
        continue;
      }
      const { answer } = pending;
      pending = null;
      const result = answer();
      if (result.done === true) return;
      yield result.value;
    }
  } finally {
    // A generator that still works on its next item ends by the signal: until then it takes no other call.
    if (pending === null) await iterator.return?.();
  }
}

/** `answer` returns or throws what the source answered; null until then. */
type Pending<T> = { answer: (() => IteratorResult<T>) | null };

function next<T>(iterator: AsyncIterator<T>, settled: () => void): Pending<T> {
  const pending: Pending<T> = { answer: null };
  iterator.next().then(
    (result) => {
      pending.answer = () => result;
      settled();
    },
    (error: unknown) => {
      pending.answer = () => {
        throw error;
      };
      settled();
    },
  );
  return pending;
}
