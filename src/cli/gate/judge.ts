/** Whether a run passes the gate. It is pure. */
import { exitCodes, type ExitCode } from '../exit-codes.js';
import type { ComparisonCounts, Run } from '../summary/facts.js';
import { counted } from '../../domain/text/amounts.js';
import { failuresOf } from '../../domain/text/verdict.js';

export const failOnKinds = ['none', 'new', 'any', 'flaky'] as const;

/** Each kind fails for all that the kinds before it fail for. Known failures fail none of them. */
export type FailOn = (typeof failOnKinds)[number];

/** `reasons` is empty if the gate passes. */
export type Judgement = { passes: boolean; reasons: readonly string[] };

export function judge(failOn: FailOn, run: Run, counts: ComparisonCounts): Judgement {
  const reasons = failOn === 'none' ? [] : [...missing(run), ...failures(failOn, counts)];
  return { passes: reasons.length === 0, reasons };
}

/** The exit code of `testledger gate`. */
export function exitCodeOf({ passes }: Judgement): ExitCode {
  return passes ? exitCodes.ok : exitCodes.failed;
}

/** Tests that did not run cannot pass: the job of a shard may have died before it reported. */
function missing({ status, shards }: Run): string[] {
  if (status === 'completed') return [];
  if (shards === null) return ['the run is not completed'];
  const received = new Set(shards.received.map(({ index }) => index)).size;
  return [`only ${received} of ${counted(shards.total, 'shard')} came`];
}

function failures(failOn: Exclude<FailOn, 'none'>, counts: ComparisonCounts): string[] {
  const { new_failures: fresh, known, flaky } = counts;
  const unknown = failuresOf(counts) - known;
  switch (failOn) {
    case 'new':
      return fresh > 0 ? [counted(fresh, 'new failure')] : [];
    case 'any':
      return unknown > 0 ? [counted(unknown, 'failure')] : [];
    case 'flaky':
      return [
        ...(unknown > 0 ? [counted(unknown, 'failure')] : []),
        ...(flaky > 0 ? [counted(flaky, 'flaky result')] : []),
      ];
  }
}
