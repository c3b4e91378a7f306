/** `testledger/playwright`: a reporter of Playwright Test. */
import { relative } from 'node:path';
import {
  cleanText,
  errorFields,
  type LiveAttachment,
  type LiveItem,
  type ReportedError,
} from '../client/live/item.js';
import { startLiveRun, type LiveRun } from '../client/live/live-run.js';
import type { LiveRunOptions } from '../client/live/settings.js';
import { readShardPlan } from '../client/shard-plan.js';
import { nextDidNotRun, withoutUnrun } from '../deciding-attempt.js';
import { NAME_SEPARATOR, testName } from '../test-name.js';
import { keepShare, skipKnownFailures, type Share } from './playwright-preprocess.js';
import type { Reporter, Suite, TestCase, TestError, TestResult, TestStep } from './playwright-types.js';

export type PlaywrightReporterOptions = LiveRunOptions & {
  /** The path of a file of `testledger shard-plan`, from the folder of the command. It needs Playwright 1.62. */
  shardPlan?: string | undefined;
  /** Whether the tests of each shard are chosen by the durations of the shard plan. */
  balanceShards?: boolean | undefined;
  /** Whether the tests that the shard plan knows to fail are skipped. */
  skipKnownFailures?: boolean | undefined;
};

/** Playwright calls it with `new`. */
export default function testledgerReporter(options: PlaywrightReporterOptions = {}): Reporter {
  let run: LiveRun | null = null;
  let root: Suite | null = null;
  /** The number of attempts by the id of the test. */
  const sent = new Map<string, number>();
  let errors = 0;
  // A merge of reports replays tests that ended before, and may be done again.
  const isMerge = process.argv.includes('merge-reports');
  // A list has the tests without results, and would be posted as a shard without tests.
  const isList = process.argv.includes('--list');

  function send(test: TestCase): void {
    const attempts = test.results.slice(sent.get(test.id) ?? 0);
    sent.set(test.id, test.results.length);
    if (attempts.length > 0)
      run?.add(
        ...withoutUnrun(
          attempts.map((result) => itemOf(test, result)),
          withReason,
        ),
      );
  }

  return {
    printsToStdio: () => false,
    async preprocess(params) {
      const { shardPlan, balanceShards = false, skipKnownFailures: skips = false } = options;
      if (!balanceShards && !skips) return;
      if (!shardPlan) throw new Error('testledger: balanceShards and skipKnownFailures need shardPlan');
      // An error ends the tests: a shard without the plan would choose tests that another one chooses too, and others
      // would run in no shard.
      const plan = readShardPlan(shardPlan);
      const skipped = skips ? skipKnownFailures(params, plan.knownFailures) : 0;
      const share = balanceShards ? keepShare(params, plan) : null;
      for (const line of preprocessLines(skipped, share)) process.stderr.write(`testledger: ${line}\n`);
    },
    onBegin({ shard }, suite) {
      root = suite;
      run = startLiveRun({
        ...options,
        shard: options.shard ?? (shard ? { index: shard.current, total: shard.total } : undefined),
        tool: 'playwright',
        live: !isMerge,
        runsTests: !isList,
      });
    },
    onTestEnd(test, result) {
      // A merge does not know which suites are serial, and nothing is posted before its end.
      if (!isMerge && isLastAttempt(test, result)) send(test);
    },
    onError(error) {
      errors += 1;
      run?.add(outsideOfTests(error, errors));
    },
    async onEnd() {
      // Tests that an interruption or a limit of failures left without their last attempt, and tests of serial suites.
      for (const test of root?.allTests() ?? []) send(test);
      await run?.finish();
    },
  };
}

function preprocessLines(skipped: number, share: Share | null): string[] {
  const seconds = (ms: number) => Math.round(ms / 1_000);
  return [
    ...(skipped > 0 ? [`${skipped} tests are skipped, because they are known to fail`] : []),
    ...(share
      ? [
          `this shard has ${share.tests} of ${share.ofTests} tests, about ${seconds(share.ms)} of ${seconds(share.ofMs)} s`,
        ]
      : []),
  ];
}

/**
 * Whether no other attempt of the test can follow. A retry of a serial suite runs all of its tests again, those too that
 * passed, so its tests wait for the end.
 */
function isLastAttempt(test: TestCase, { retry }: TestResult): boolean {
  if (retry >= test.retries) return true;
  return test.outcome() !== 'unexpected' && !isSerial(test.parent);
}

function isSerial(suite: Suite): boolean {
  for (let at: Suite | undefined = suite; at; at = at.parent) {
    // No public field says it after the start. Where this one is gone, tests of serial suites are posted early.
    if ((at as { _parallelMode?: string })._parallelMode === 'serial') return true;
  }
  return false;
}

function withReason(failure: LiveItem, unrun: LiveItem): LiveItem {
  return { ...failure, metadata: { ...failure.metadata, reason: nextDidNotRun(unrun.metadata?.['reason']) } };
}

function itemOf(test: TestCase, result: TestResult): LiveItem {
  const status = statusOf(test, result);
  const [, project = '', ...path] = test.titlePath();
  const suite = path.slice(1, -1).join(NAME_SEPARATOR);
  const failure =
    result.errors.length > 0 || status === 'failed' ? errorFields(errorsOf(test, result)) : null;
  const step = failingStep(result.steps).join(NAME_SEPARATOR);
  const annotations = test.annotations.slice(0, 20);
  return {
    name: testName(path, project || null),
    status,
    attempt: result.retry + 1,
    duration_ms: result.duration,
    started_at: result.startTime.toISOString(),
    ...(failure && { error_message: failure.error_message }),
    metadata: {
      file: relative(process.cwd(), test.location.file).replaceAll('\\', '/'),
      line: test.location.line,
      ...(suite !== '' && { suite }),
      // One test, with a history in each project.
      ...(project !== '' && { project, environment: { project } }),
      ...(test.tags?.length && { tags: test.tags.slice(0, 50) }),
      ...(annotations.length > 0 && {
        annotations: annotations.map(({ type, description }) => ({ type, description })),
      }),
      ...(reasonOf(test, result) && { reason: reasonOf(test, result) }),
      ...(step !== '' && { step }),
      ...(failure && { error: failure.error }),
    },
    attachments: result.attachments.flatMap(attachmentOf),
  };
}

function statusOf({ expectedStatus }: TestCase, { status }: TestResult): LiveItem['status'] {
  switch (status) {
    case 'passed':
      return expectedStatus === 'failed' ? 'failed' : 'passed';
    case 'failed':
      return expectedStatus === 'failed' ? 'known_fail' : 'failed';
    case 'timedOut':
      return 'failed';
    case 'skipped':
    // As Playwright counts it: the test was not to blame.
    case 'interrupted':
      return 'skipped';
  }
}

/** Why a test did not run; null where it did. */
function reasonOf({ expectedStatus, annotations }: TestCase, { status }: TestResult): string | null {
  if (status === 'interrupted') return 'interrupted';
  if (status !== 'skipped') return null;
  if (expectedStatus !== 'skipped') return 'did not run';
  const found = annotations.findLast(({ type }) => type === 'skip' || type === 'fixme');
  return found?.description ?? found?.type ?? null;
}

function errorsOf({ expectedStatus }: TestCase, { status, errors, steps }: TestResult): ReportedError[] {
  if (status === 'passed' && expectedStatus === 'failed')
    return [{ message: 'Expected to fail, but passed.' }];
  if (errors.length === 0) return [{ message: `The test ended as ${status}.` }];
  const hook = failingStep(steps, (step) => step.category === 'hook').at(-1);
  return errors.map((error) => ({ ...reportedError(error), hook }));
}

function reportedError({ message, stack, value }: TestError): ReportedError {
  const said = message ?? value;
  return {
    type: /^((?:[A-Z]\w*)?(?:Error|Exception))\b/.exec(cleanText(said ?? ''))?.[1],
    message: said,
    stack,
  };
}

/** The titles of the steps that failed, the outermost first. */
function failingStep(steps: readonly TestStep[], wanted: (step: TestStep) => boolean = () => true): string[] {
  const failed = steps.find(({ error }) => error !== undefined);
  if (failed === undefined) return [];
  return [...(wanted(failed) ? [failed.title] : []), ...failingStep(failed.steps, wanted)];
}

function attachmentOf({
  name,
  contentType,
  path,
  body,
}: TestResult['attachments'][number]): LiveAttachment[] {
  if (body !== undefined) return body.length === 0 ? [] : [{ name, content_type: contentType, body }];
  return path === undefined ? [] : [{ name, content_type: contentType, path }];
}

/** An error of the set-up, or of a file that cannot be loaded, fails the run without a test. */
function outsideOfTests(error: TestError, n: number): LiveItem {
  const file = error.location && relative(process.cwd(), error.location.file).replaceAll('\\', '/');
  const failure = errorFields([{ ...reportedError(error), hook: 'suite' }]);
  return {
    name: testName([file ?? 'playwright', `error outside of tests${n > 1 ? ` #${n}` : ''}`]),
    status: 'failed',
    error_message: failure.error_message,
    metadata: { ...(file !== undefined && { file, line: error.location?.line }), error: failure.error },
  };
}
