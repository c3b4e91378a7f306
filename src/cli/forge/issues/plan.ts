/** What a sync changes: one open issue a cause that fails, the oldest. It is pure. */
import type { Cause } from './causes.js';
import { isSameText, type IssueText, type MarkedIssue } from './issues.js';

export type Change =
  { did: 'reopened' | 'updated'; issue: MarkedIssue; cause: Cause } | { did: 'opened'; cause: Cause };

export type Plan = {
  /** In the order of their importance. */
  changes: readonly Change[];
  /** Open issues whose cause does not fail now: it may be gone, or its tests did not run. */
  quiet: readonly MarkedIssue[];
};

export function planOf(
  issues: readonly MarkedIssue[],
  causes: readonly Cause[],
  textOf: (cause: Cause) => IssueText,
): Plan {
  const kept = keptIssues(issues);
  const failing = new Set(causes.map(({ group }) => group));
  const quiet = [...kept.values()].filter(({ isOpen, group }) => isOpen && !failing.has(group));
  const changes = causes.flatMap((cause): Change[] => {
    const issue = kept.get(cause.group);
    if (issue === undefined) return [{ did: 'opened', cause }];
    if (issue.isOpen) return isSameText(issue, textOf(cause)) ? [] : [{ did: 'updated', issue, cause }];
    // Of the run in which it was closed: somebody closed it by hand, and nothing failed since.
    if (issue.isDeclined || issue.seen === cause.lastSeen.run) return [];
    return [{ did: 'reopened', issue, cause }];
  });
  const order = ['reopened', 'opened', 'updated'] as const;
  return { changes: order.flatMap((did) => changes.filter((change) => change.did === did)), quiet };
}

export type Duplicate = { issue: MarkedIssue; of: MarkedIssue };

/** Open issues beside an older one of their cause: two jobs have made them in the same moment. */
export function duplicatesIn(issues: readonly MarkedIssue[]): Duplicate[] {
  const kept = keptIssues(issues);
  return issues.flatMap((issue) => {
    const of = kept.get(issue.group);
    return issue.isOpen && of !== undefined && of.number !== issue.number ? [{ issue, of }] : [];
  });
}

/** The oldest of each cause. One that was closed as a duplicate stands for its cause only where somebody opened it again. */
function keptIssues(issues: readonly MarkedIssue[]): Map<string, MarkedIssue> {
  const kept = new Map<string, MarkedIssue>();
  for (const issue of issues) {
    const before = kept.get(issue.group);
    if (issue.seen === null && !issue.isOpen) continue;
    if (before === undefined || issue.number < before.number) kept.set(issue.group, issue);
  }
  return kept;
}
