/** What pages and the command line say alike of the gate: why a run does not pass it. */
import type { Compared } from '../comparison/verdict.js';
import type { GateReason, GateSettings } from '../gate/judge-gate.js';
import type { Report } from '../runs/unread-reports.js';
import { counted, number } from './amounts.js';

type Shards = { total: number; received: readonly { index: number }[] } | null;

/** `missing`: what is said of the tests that are missing (`missingTestsText`); empty where it is said elsewhere. */
type Facts = { run: { report: Report; shards: Shards }; comparison: Compared; missing: string };

/**
 * The numbers are those of now. A later correction of the baseline turns no verdict, so a reason that they do not show any
 * more is named without its number.
 */
export function gateReasonText(
  reason: GateReason,
  { run, comparison, missing }: Facts,
  { min_tests, max_known }: GateSettings,
): string {
  const { new_failures, still_failing, known, flaky } = comparison.counts;
  switch (reason) {
    case 'new_failures':
      return new_failures > 0 ? counted(new_failures, 'new failure') : 'new failures';
    case 'failures':
      return counted(new_failures + still_failing, 'failure');
    case 'flaky':
      return counted(flaky, 'flaky result');
    case 'removed':
      return missing || 'too many tests are missing';
    case 'min_tests':
      return `ran ${counted(comparison.tests, 'test')}, fewer than ${number(min_tests ?? 0)}`;
    case 'max_known':
      return `${counted(known, 'known failure')}, more than ${number(max_known ?? 0)}`;
    case 'empty':
      return 'no test ran';
    case 'incomplete':
      return (
        missingShardsText(run) ||
        (run.report.partial ? 'a report is not whole' : 'its client never completed it')
      );
    case 'report_failed': {
      const { failures_unread } = run.report;
      return `a report counts ${counted(failures_unread, 'failure')} that could not be read`;
    }
  }
}

/** `only 2 of 4 shards came`; empty where none is missing. Of a completed run too: it may have been completed by hand, or because nothing came any more. */
export function missingShardsText({ shards }: { shards: Shards }): string {
  const came = new Set(shards?.received.map(({ index }) => index)).size;
  return shards === null || came >= shards.total
    ? ''
    : `only ${came} of ${counted(shards.total, 'shard')} came`;
}
