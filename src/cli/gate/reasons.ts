/** Why a run does not pass the gate, in words. It is pure. */
import { shardsThatCame, type RunFacts } from '../summary/facts.js';
import type { GateReason, GateSettings } from '../../domain/gate/judge-gate.js';
import { missingTestsText } from '../../domain/text/baseline.js';
import { asLogText } from '../../domain/text/harmless.js';
import { counted, number } from '../../domain/text/amounts.js';

type Facts = Pick<RunFacts, 'run' | 'comparison' | 'project'>;

/**
 * The numbers are those of now. A later correction of the baseline turns no verdict, so a reason that they do not show any
 * more is named without its number.
 */
export function reasonInWords(
  reason: GateReason,
  facts: Facts,
  { min_tests, max_known }: GateSettings,
): string {
  const { run, comparison } = facts;
  const { new_failures, still_failing, known, flaky } = comparison.counts;
  switch (reason) {
    case 'new_failures':
      return new_failures > 0 ? counted(new_failures, 'new failure') : 'new failures';
    case 'failures':
      return counted(new_failures + still_failing, 'failure');
    case 'flaky':
      return counted(flaky, 'flaky result');
    case 'removed':
      return missingTestsText(comparison, asLogText(facts.project.default_branch)) || 'tests are missing';
    case 'min_tests':
      return `ran ${counted(comparison.tests, 'test')}, fewer than ${number(min_tests ?? 0)}`;
    case 'max_known':
      return `${counted(known, 'known failure')}, more than ${number(max_known ?? 0)}`;
    case 'empty':
      return 'no test ran';
    case 'incomplete':
      return missingShards(run) ?? 'a report was cut';
    case 'report_failed': {
      const { failures_unread } = run.report;
      return `a report counts ${counted(failures_unread, 'failure')} that could not be read`;
    }
  }
}

/** Of a completed run too: it may have been completed by hand, or because nothing came any more. */
export function missingShards({ shards }: Pick<RunFacts['run'], 'shards'>): string | null {
  const came = shards === null ? 0 : shardsThatCame(shards);
  return shards === null || came >= shards.total
    ? null
    : `only ${came} of ${counted(shards.total, 'shard')} came`;
}
