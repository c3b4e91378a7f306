import type { ReportItem } from '../entry.js';
import type { Attributes } from '../xml/reader.js';

/** The writer leaves out the default of the attribute, which is `Error`. */
export function outcomeIn({ outcome }: Attributes): string {
  return outcome || 'Error';
}

/** Some writers write small letters. */
export function statusOf(outcome: string): ReportItem['status'] {
  switch (outcome.toLowerCase()) {
    case 'passed':
    case 'passedbutrunaborted':
    case 'warning':
    case 'completed':
      return 'passed';
    case 'failed':
    case 'error':
    case 'aborted':
    case 'timeout':
    case 'disconnected':
      return 'failed';
    default:
      return 'skipped';
  }
}

export function typeOf(outcome: string): string | null {
  return outcome.toLowerCase() === 'failed' ? null : outcome;
}

/** An outcome of the whole run. A test that passed before the run was aborted passed; the run did not. */
export function saysRunFailed(outcome: string): boolean {
  return (
    outcome.toLowerCase() === 'passedbutrunaborted' || (outcome !== '' && statusOf(outcome) === 'failed')
  );
}
