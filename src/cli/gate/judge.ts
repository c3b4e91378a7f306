/** Whether a run passes the gate. It is pure. */
import { exitCodes, type ExitCode } from '../exit-codes.js';
import type { ComparisonCounts } from '../../domain/comparison/compare.js';
import { shardsThatCame, type Run } from '../summary/facts.js';
import { counted } from '../../domain/text/amounts.js';
import { failuresOf } from '../../domain/text/verdict.js';

/** Results that are not counted yet may have failed. */
const BEHIND = 'the server is behind: it has not counted all results in time';

export const failOnKinds = ['none', 'new', 'any', 'flaky'] as const;

/** Each kind fails for all that the kinds before it fail for. Known failures fail none of them. */
export type FailOn = (typeof failOnKinds)[number];

/** `reasons` is empty if the gate passes. */
export type Judgement = { passes: boolean; reasons: readonly string[] };

/** `isCurrent`: the answers show all that has come. */
export type Judged = { run: Run; comparison: { counts: ComparisonCounts }; isCurrent: boolean };

export function judge(failOn: FailOn, { run, comparison, isCurrent }: Judged): Judgement {
  if (failOn === 'none') return { passes: true, reasons: [] };
  // Nothing else is said of older answers: the run may be completed by now, and its shards may have come.
  if (!isCurrent) return { passes: false, reasons: [BEHIND] };
  const reasons = [...missing(run), ...failures(failOn, comparison.counts)];
  return { passes: reasons.length === 0, reasons };
}

/** Judges what has come so far as if it were all: the other shards have jobs of their own, which are judged by themselves. */
export function judgePart(failOn: FailOn, judged: Judged): Judgement {
  return judge(failOn, { ...judged, run: { ...judged.run, status: 'completed', shards: null } });
}

/** The exit code of `testledger gate`. */
export function exitCodeOf({ passes }: Judgement): ExitCode {
  return passes ? exitCodes.ok : exitCodes.failed;
}

/** Tests that did not run cannot pass: the job of a shard may have died before it reported. */
function missing({ status, shards }: Run): string[] {
  const came = shards === null ? 0 : shardsThatCame(shards);
  // Of a completed run too: it may have been completed by hand, or because nothing came any more.
  if (shards !== null && came < shards.total) {
    return [`only ${came} of ${counted(shards.total, 'shard')} came`];
  }
  return status === 'completed' ? [] : ['the run is not completed'];
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
