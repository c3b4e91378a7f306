/** What has to be closed at a stop. */
import type { OnStop } from './adapters/adapter.js';
import { reasonOf } from './errors.js';

export type StopList = {
  onStop: OnStop;
  /** Closes everything, last in, first out. @throws AggregateError the faults, after everything else is closed. */
  stop(): Promise<void>;
};

export function openStopList(): StopList {
  const closing: (() => Promise<void> | void)[] = [];
  return {
    onStop: (close) => void closing.push(close),
    async stop() {
      const faults: unknown[] = [];
      for (const close of closing.splice(0).toReversed()) {
        // One that fails must not keep the others open: the lock of the folder is the last.
        await Promise.resolve()
          .then(close)
          .catch((error: unknown) => void faults.push(error));
      }
      if (faults.length === 0) return;
      const reasons = faults.map((fault) => reasonOf(fault)).join('; ');
      throw new AggregateError(faults, `not everything could be closed: ${reasons}`);
    },
  };
}
