/** Runs the commands on one stream one after the other in this process. A hundred at once would refuse each other's appends. */
import { randomInt } from 'node:crypto';
import { setTimeout as pause } from 'node:timers/promises';
import { openSerializeByKey } from '../concurrency/serialize-by-key.js';
import { isLedgerError } from '../errors.js';
import type { Ledger } from './ledger.js';

/** The number of times that a command may lose all the tries that the ledger itself makes. */
const TRIES = 5;
const LONGEST_PAUSE_MS = 40;

/**
 * Returns a ledger whose commands on one stream wait for each other. Writers of other processes are still found by the
 * revision of the stream; a command that keeps losing against them pauses for a moment. While a command on one stream
 * waits for a command on a second stream, no command on the second one may wait for the first: both would wait forever.
 */
export function serializeByStream(ledger: Ledger): Ledger {
  const serialize = openSerializeByKey();
  return {
    ...ledger,
    execute: (decider, stream, ...more) =>
      serialize(stream, () => retryConflicts(() => ledger.execute(decider, stream, ...more))),
  };
}

async function retryConflicts<T>(work: () => Promise<T>): Promise<T> {
  for (let tries = 1; ; tries += 1) {
    try {
      return await work();
    } catch (error) {
      // Only the ledger gives a time for the next try. A decider that refuses with this code will refuse again.
      const contended = isLedgerError(error, 'write_conflict') && error.retryAfter !== undefined;
      if (!contended || tries === TRIES) throw error;
      await pause(randomInt(LONGEST_PAUSE_MS));
    }
  }
}
