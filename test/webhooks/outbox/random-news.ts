/** Random histories of runs of the default branch and others, in which the same tests and causes come and go. */
import * as fc from 'fast-check';
import type { LedgerEvent } from '../../../src/domain/events.js';
import { openMemoryLedger } from '../../domain/memory-ledger.js';
import { randomHistories } from '../../domain/random-histories.js';
import { unlessRefused } from '../../domain/unless-refused.js';

type Move = {
  kind: string;
  status: 'Failed' | 'Passed' | 'Skipped';
  name: string;
  error_message: string;
  track: number;
  which: number;
};

/** Few tests, causes and tracks, so that the same ones fail, pass and are left out again and again. */
const move: fc.Arbitrary<Move> = fc.record({
  kind: fc.constantFrom(
    'run',
    'run',
    'run',
    'run',
    'shard',
    'shard',
    'late',
    'complete again',
    'result',
    'retry',
    'correct',
    'delete',
    'known',
    'end',
    'branch',
    'close day',
  ),
  status: fc.constantFrom('Failed', 'Passed', 'Passed', 'Skipped'),
  name: fc.constantFrom('pays', 'refunds'),
  error_message: fc.constantFrom('no', 'no', 'never'),
  track: fc.nat(3),
  which: fc.nat(7),
});

/** The day of all events, and the one on which known failures end. */
export const DAY = '2026-11-21';
const NEXT_DAY_S = 86_400;

const tracks = [
  { branch: 'main' },
  { branch: 'main', tool: 'jest' },
  { branch: 'main', environment: { os: 'linux' } },
  { branch: 'feature' },
];

const ownerOf: Readonly<Record<string, string>> = { pays: 'checkout', refunds: 'billing' };

function performed(moves: readonly Move[]): LedgerEvent[] {
  const ledger = openMemoryLedger();
  const project = ledger.project(ledger.team());
  ledger.webhook(project.team, ['*']);
  const runs: ReturnType<typeof ledger.run>[] = [];
  const results: ReturnType<typeof ledger.result>[] = [];
  const perform = ({ kind, status, name, error_message, track, which }: Move) => {
    const metadata = tracks[track]!;
    const other = { test_name: 'other', status: which % 3 === 0 ? status : 'Passed', error_message } as const;
    const own = { test_name: name, status, error_message, metadata: { owner: ownerOf[name] ?? null } };
    const items = which % 2 === 0 ? [own] : [own, other];
    const result = results.at(-1 - (which % Math.max(results.length, 1)));
    const run = runs.at(-1 - (which % Math.max(runs.length, 1)));
    if (kind === 'run') {
      const submitted = ledger.submit(project, items, { metadata });
      return results.push(...submitted.results) + runs.push(submitted.run);
    }
    if (kind === 'shard' || kind === 'late') {
      const shard = { index: 1 + (which % 2), total: 2, attempt: 1 + (which % 3) };
      const key = `run ${kind === 'late' ? track : ledger.events.length} ${track}`;
      const called = ledger.call(project, key, items, { metadata, shard });
      if (!runs.some(({ id }) => id === called.run.id)) runs.push(called.run);
      return results.push(...called.results);
    }
    if (kind === 'close day') return ledger.closeDays(project, DAY);
    if (kind === 'known')
      return ledger.setKnownFailure(project, name, { seconds: which < 4 ? 9 : NEXT_DAY_S });
    if (kind === 'end') return ledger.endKnownFailure(project, name);
    if (kind === 'branch')
      return ledger.changeProject(project, { default_branch: which < 6 ? 'main' : 'feature' });
    if (run !== undefined) {
      if (kind === 'complete again') {
        ledger.updateRun(run, { status: 'Running' });
        return ledger.updateRun(run, { status: 'Completed' });
      }
      if (kind === 'result') return results.push(ledger.result(run, status, { name }));
    }
    if (result === undefined) return;
    if (kind === 'retry') return results.push(ledger.retry(result, status));
    if (kind === 'correct') return ledger.updateResult(result, { status, error_message });
    if (kind === 'delete') return ledger.deleteResult(result);
  };
  for (const each of moves) unlessRefused(() => perform(each));
  return ledger.events;
}

/** A cause goes, and comes back: random histories may all have none that does. */
export const cameBack = performed(
  (['Failed', 'Passed', 'Failed'] as const).map((status) => {
    return { kind: 'run', status, name: 'pays', error_message: 'no', track: 0, which: 0 };
  }),
);

export const newsHistories = fc.oneof(
  { weight: 3, arbitrary: fc.array(move, { maxLength: 40, size: 'max' }).map(performed) },
  { weight: 1, arbitrary: randomHistories(60).map(({ events }) => events) },
);
