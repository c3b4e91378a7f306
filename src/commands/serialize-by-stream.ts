/** Commands on one stream one after the other, in this process: a hundred at once would refuse each other's appends. */
import { randomInt } from 'node:crypto';
import { setTimeout as pause } from 'node:timers/promises';
import { openSerializeByKey } from '../concurrency/serialize-by-key.js';
import { isLedgerError } from '../errors.js';
import type { Ledger } from './ledger.js';

/** So often others may keep getting in first, each time for all the tries that the ledger itself makes. */
const TRIES = 5;
const LONGEST_PAUSE_MS = 40;

/**
 * The ledger, whose commands on one stream wait for each other. Those of other processes are met by the revision, as
 * before; who keeps losing against them steps aside for a moment. A command that commands another stream meanwhile
 * must never be waited for by that one.
 */
export function serializeByStream(ledger: Ledger): Ledger {
  const serialize = openSerializeByKey();
  return {
    ...ledger,
    execute: (decider, stream, ...more) =>
      serialize(stream, () => patiently(() => ledger.execute(decider, stream, ...more))),
  };
}

async function patiently<T>(work: () => Promise<T>): Promise<T> {
  for (let tries = 1; ; tries += 1) {
    try {
      return await work();
    } catch (error) {
      // A decider that refuses with this code says of no time after which it would not.
      const contended = isLedgerError(error, 'write_conflict') && error.retryAfter !== undefined;
      if (!contended || tries === TRIES) throw error;
      await pause(randomInt(LONGEST_PAUSE_MS));
    }
  }
}
