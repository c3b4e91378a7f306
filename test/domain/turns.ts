/**
 * Turns on one test, each of which changes what the turns before it made: a retry of a retry, a rerun of a shard over a retried item,
 * a deletion of what superseded a corrected result. Steps that choose for themselves hardly ever meet on one result.
 */
import * as fc from 'fast-check';
import type { ResultStatus } from '../../src/domain/results/result.js';
import type { MemoryLedger } from './memory-ledger.js';
import { unlessRefused } from './unless-refused.js';

type ResultPlace = ReturnType<MemoryLedger['result']>;

/** `back`: the result that it changes, 0 for the newest. */
export type Turn = {
  kind: 'retry' | 'rerun' | 'correct' | 'move' | 'delete';
  back: number;
  status: ResultStatus;
  os: string | null;
};

export const turns: fc.Arbitrary<Turn[]> = fc.array(
  fc.record({
    kind: fc.constantFrom(
      ...([
        'retry',
        'retry',
        'retry',
        'rerun',
        'rerun',
        'rerun',
        'correct',
        'correct',
        'move',
        'delete',
      ] as const),
    ),
    back: fc.constantFrom(0, 0, 0, 1, 1, 2),
    status: fc.constantFrom('Passed' as const, 'Passed' as const, 'Failed' as const, 'Running' as const),
    os: fc.constantFrom(null, null, 'linux'),
  }),
  { minLength: 3, maxLength: 6 },
);

/** Of reruns in turn: the third one comes late. */
const ATTEMPTS = [1, 3, 2, 4];

/** Takes them on a result and those that come of it, which it returns. */
export function takeTurns(ledger: MemoryLedger, first: ResultPlace, all: readonly Turn[]): ResultPlace[] {
  const line = [first];
  let reruns = 0;
  const project = { team: first.team, id: first.project };
  for (const { kind, back, status, os } of all) {
    const result = line.at(-1 - Math.min(back, line.length - 1))!;
    const metadata = os === null ? {} : { environment: { os } };
    unlessRefused(() => {
      switch (kind) {
        case 'retry':
          if (result.run !== null) line.push(ledger.retry(result, status));
          return;
        case 'rerun': {
          const items = [{ test_name: first.name, status, metadata }];
          const shard = { index: 1, total: 2, attempt: ATTEMPTS[reruns % ATTEMPTS.length]! };
          reruns += 1;
          line.push(...ledger.call(project, `again ${first.id}`, items, { shard }).results);
          return;
        }
        case 'correct':
          return ledger.updateResult(result, { status });
        case 'move':
          return ledger.updateResult(result, { metadata });
        case 'delete':
          return ledger.deleteResult(result);
      }
    });
  }
  return line.slice(1);
}
