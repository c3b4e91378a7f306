/** Attempts of a test in Robot's output, as the tools say them that write them. */
import { errorSaying, unlistedAttempt, type Reported } from '../reported.js';

export const RETRY =
  'rebot --merge and robotframework-retryfailed say in the message of a test that it ran again';

/** What `robotframework-retryfailed` makes of a failure behind which the test runs again. */
const SKIPPED_FOR_RETRY = /\n?Skipped for Retry$/;
const PASSED_ON_RETRY = /\n?\[RETRY\] PASS on \d+\. retry\.$/;
const MERGED = /^\*HTML\* <span class="merge">Test has been re-executed/;

export function isMerged(message: string): boolean {
  return MERGED.test(message);
}

export function isRetriedLater(status: Reported['status'], message: string): boolean {
  return status === 'skipped' && SKIPPED_FOR_RETRY.test(message);
}

/** The text of a failure, without the count of the attempt. */
export function withoutRetry(message: string): string {
  return message.replace(/\n?\[RETRY\] FAIL on \d+\. retry\.$/, '');
}

/** The result as the attempts that its message tells of, the oldest first. `areListed`: its earlier attempts are in the report. */
export function attemptsOf(result: Reported, message: string, areListed: boolean): Reported[] {
  if (isRetriedLater(result.status, message)) {
    const error = errorSaying(message.replace(SKIPPED_FOR_RETRY, '') || 'The test failed.');
    return [{ ...result, status: 'failed', error, reason: null }];
  }
  if (isMerged(message)) return mergedAttempts(result, message);
  if (result.status === 'passed' && !areListed && PASSED_ON_RETRY.test(message))
    return [unlistedAttempt(result), result];
  return [result];
}

/** `rebot --merge` keeps the newest attempt, and puts the statuses and messages of all into its message. */
function mergedAttempts(result: Reported, message: string): Reported[] {
  const attempts = message
    .split('<hr>')
    .slice(1)
    .flatMap((part) => {
      const status = /-status">(?:New|Old) status:<\/span> <span class="(pass|fail|skip)">/.exec(part)?.[1];
      if (status === undefined) return [];
      const text = /-message">(?:New|Old) message:<\/span>([^]*?)(?:<br>)?$/.exec(part)?.[1] ?? '';
      return [{ status: words[status]!, text: plain(text) }];
    });
  const [newest, ...older] = attempts;
  if (newest === undefined) return [result];
  const without = { durationMs: null, startedAt: null, output: { stdout: '', stderr: '' }, attachments: [] };
  return [
    ...older.toReversed().map((attempt) => ({ ...ended(result, attempt), ...without })),
    ended(result, newest),
  ];
}

const words: Record<string, Reported['status']> = { pass: 'passed', fail: 'failed', skip: 'skipped' };

function ended(result: Reported, { status, text }: { status: Reported['status']; text: string }): Reported {
  return {
    ...result,
    status,
    error: status === 'failed' ? errorSaying(text || 'The test failed.') : null,
    reason: status === 'skipped' ? text || null : null,
  };
}

const entities: Record<string, string> = { '&lt;': '<', '&gt;': '>', '&amp;': '&', '&quot;': '"' };

/** The text of a message in HTML. */
export function plain(html: string): string {
  return html
    .replaceAll(/<br\s*\/?>/g, '\n')
    .replaceAll(/<[^>]{0,1000}>/g, '')
    .replaceAll(/&(?:lt|gt|amp|quot);/g, (entity) => entities[entity]!)
    .trim();
}
