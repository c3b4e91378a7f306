import type { ReportItem } from '../entry.js';

export type CaseFacts = {
  /** Elements `failure` and `error`. */
  failures: number;
  skipped: { type: string } | null;
  /** The attributes `status` and `result`. */
  status: string;
  result: string;
};

/** Elements decide, in any number and order: a failure beats a skip. An attribute counts only where no element does. */
export function outcomeOf({ failures, skipped, status, result }: CaseFacts): ReportItem['status'] {
  if (failures > 0) return 'failed';
  if (skipped !== null) return skipped.type === 'pytest.xfail' ? 'known_fail' : 'skipped';
  return ofAttribute(status) ?? ofAttribute(result) ?? 'passed';
}

function ofAttribute(text: string): ReportItem['status'] | null {
  switch (text.trim().toLowerCase()) {
    case 'disabled':
    case 'notrun':
    case 'not run':
    case 'skipped':
    case 'skip':
    case 'ignored':
    case 'pending':
    case 'suppressed':
      return 'skipped';
    case 'failed':
    case 'fail':
    case 'failure':
    case 'error':
      return 'failed';
    default:
      return null;
  }
}
