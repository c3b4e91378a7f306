import type { ReportItem } from '../entry.js';
import { saysFailed } from '../says-failed.js';

export type CaseFacts = {
  /** Elements `failure` and `error`. */
  failures: number;
  skipped: { type: string; message: string } | null;
  /** The attributes `status` and `result`. */
  status: string;
  result: string;
};

/** Elements decide, in any number and order: a failure beats a skip. An attribute counts only where no element does. */
export function outcomeOf({ failures, skipped, status, result }: CaseFacts): ReportItem['status'] {
  if (failures > 0) return skipped !== null && isExpected(skipped.message) ? 'known_fail' : 'failed';
  if (skipped !== null) {
    if (skipped.type === 'pytest.xfail') return 'known_fail';
    return couldNotStart(status, skipped.message) ? 'failed' : 'skipped';
  }
  return ofAttribute(status) ?? ofAttribute(result) ?? 'passed';
}

/** Catch2 writes both for a test that may or should fail, and counts no failure. */
function isExpected(message: string): boolean {
  return /tagged with !(?:mayfail|shouldfail)/.test(message);
}

/** ctest writes a test that it could not start as one that was skipped, and fails. A real skip names what asked for it. */
function couldNotStart(status: string, message: string): boolean {
  return status.trim().toLowerCase() === 'notrun' && message !== '' && !message.startsWith('SKIP_');
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
    default:
      return saysFailed(text) ? 'failed' : null;
  }
}
