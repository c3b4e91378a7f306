/** `testledger/jest`: a reporter of Jest 29 and newer. */
import { relative } from 'node:path';
import { errorFields, type LiveItem } from '../client/live/item.js';
import { startLiveRun, type LiveRun } from '../client/live/live-run.js';
import type { LiveRunOptions } from '../client/live/settings.js';
import { errorOfText } from './error-of-text.js';
import { NAME_SEPARATOR, testName } from '../test-name.js';

export type JestReporterOptions = LiveRunOptions;

/** The parts of Jest's reporter API that are used. Jest is no dependency of this package. */
type AssertionResult = {
  ancestorTitles: string[];
  title: string;
  status: 'passed' | 'failed' | 'skipped' | 'pending' | 'todo' | 'disabled' | 'focused';
  duration?: number | null;
  startAt?: number | null;
  /** The number of attempts. `retryReasons` has a message for each but the last, or is missing. */
  invocations?: number;
  retryReasons?: string[];
  failureMessages: string[];
  failing?: boolean;
  location?: { line: number } | null;
};
type FileResult = {
  testFilePath: string;
  displayName?: { name: string };
  testResults: AssertionResult[];
  testExecError?: { message?: string; stack?: string } | null;
};
type GlobalConfig = { shard?: { shardIndex: number; shardCount: number } };
type Reporter = {
  onRunStart(): void;
  onTestResult(test: unknown, result: FileResult): void;
  onRunComplete(): Promise<void>;
  getLastError(): undefined;
};

/** Jest calls it with `new`. */
export default function testledgerReporter(
  { shard }: GlobalConfig,
  options: JestReporterOptions = {},
): Reporter {
  let run: LiveRun | null = null;
  return {
    onRunStart() {
      const own = shard && { index: shard.shardIndex, total: shard.shardCount };
      run = startLiveRun({ ...options, shard: options.shard ?? own, tool: 'jest' });
    },
    // Jest tells the results of a file at its end, with all their attempts.
    onTestResult(_test, result) {
      const file = relative(process.cwd(), result.testFilePath).replaceAll('\\', '/');
      for (const test of result.testResults) run?.add(...attemptsOf(test, file, result));
      if (result.testExecError) run?.add(brokenFile(file, result.testExecError, result));
    },
    async onRunComplete() {
      await run?.finish();
    },
    // Jest fails a run whose reporter has an error. This one never fails a run.
    getLastError: () => undefined,
  };
}

function attemptsOf(test: AssertionResult, file: string, { displayName }: FileResult): LiveItem[] {
  const suite = test.ancestorTitles.join(NAME_SEPARATOR);
  const name = testName([...test.ancestorTitles, test.title], displayName?.name ?? null);
  const base = {
    file,
    ...(test.location && { line: test.location.line }),
    ...(suite !== '' && { suite }),
    ...(displayName && { project: displayName.name }),
  };
  const failed = (messages: readonly string[], attempt: number): LiveItem => {
    const { error_message, error } = errorFields(messages.map(errorOfText));
    return { name, status: 'failed', attempt, error_message, metadata: { ...base, error } };
  };
  const reasons = test.retryReasons ?? [];
  const attempt = Math.max(test.invocations ?? 1, reasons.length + 1);
  const earlier = Array.from({ length: attempt - 1 }, (_, n) => failed(reasons.slice(n, n + 1), n + 1));
  const times = {
    ...(typeof test.duration === 'number' && { duration_ms: test.duration }),
    ...(typeof test.startAt === 'number' && { started_at: new Date(test.startAt).toISOString() }),
  };
  switch (test.status) {
    case 'passed':
    case 'focused':
      // `test.failing` failed, as it should.
      return [
        ...earlier,
        { name, status: test.failing ? 'known_fail' : 'passed', attempt, ...times, metadata: base },
      ];
    case 'failed':
      return [...earlier, { ...failed(test.failureMessages, attempt), ...times }];
    case 'todo':
      return [{ name, status: 'skipped', metadata: { ...base, reason: 'todo' } }];
    case 'skipped':
    case 'pending':
    case 'disabled':
      return [{ name, status: 'skipped', metadata: base }];
  }
}

/** A file that cannot be loaded has no tests. */
function brokenFile(
  file: string,
  { message, stack }: NonNullable<FileResult['testExecError']>,
  of: FileResult,
): LiveItem {
  const { error_message, error } = errorFields([{ message, stack, hook: 'suite' }]);
  return {
    name: testName([file], of.displayName?.name ?? null),
    status: 'failed',
    error_message,
    metadata: { file, error },
  };
}
