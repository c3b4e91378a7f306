/** Commands on one stream one after the other, in this process: a hundred at once would refuse each other's appends. */
import { Mutex } from 'async-mutex';
import type { StreamName } from '../domain/event.js';
import type { Ledger } from './ledger.js';

/**
 * The ledger, whose commands on one stream wait for each other: those of other processes are met as before, by the
 * revision. A command that commands another stream meanwhile must never be waited for by that one.
 */
export function inTurns(ledger: Ledger): Ledger {
  const turns = new Map<StreamName, { mutex: Mutex; waiting: number }>();
  return {
    ...ledger,
    async execute(decider, stream, ...more) {
      const turn = turns.get(stream) ?? { mutex: new Mutex(), waiting: 0 };
      turns.set(stream, turn);
      turn.waiting += 1;
      try {
        return await turn.mutex.runExclusive(() => ledger.execute(decider, stream, ...more));
      } finally {
        turn.waiting -= 1;
        if (turn.waiting === 0) turns.delete(stream);
      }
    },
  };
}
