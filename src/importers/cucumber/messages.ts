/** Cucumber's messages, one in each line: https://github.com/cucumber/messages */
import { limits } from '../../limits.js';
import { testName } from '../../test-name.js';
import type { ImporterContext } from '../importer.js';
import { objectOf, textOf, type JsonObject } from '../json/values.js';
import type { LinesImporter } from '../lines/importer.js';
import { bounds, errorSaying, reported, type Reported } from '../reported.js';
import { cutText } from '../values/bounded-text.js';
import { errorOf, instantOfTimestamp, openAttempt, type Attempt } from './attempt.js';
import { definitions, type TestCase } from './definitions.js';

const RETRY = 'Cucumber starts a test case again, which is another attempt of its scenario';
/** Scenarios that wait for another attempt, or for the verdict of the run. */
const MOST_WAITING = 10_000;
const MOST_WAITING_BYTES = 64 * 1_024 * 1_024;
/** Scenarios that run at a time. */
const MOST_OPEN = 10_000;

type Ended = ReturnType<Attempt['ended']>;

export function cucumberImporter({ sink, line, refuse }: ImporterContext): LinesImporter {
  const defined = definitions(refuse);
  const open = new Map<string, { attempt: Attempt; testCase: string; scenario: TestCase }>();
  /**
   * Attempts that did not pass, by their test case. Whether another one follows is known at the end of the run alone: some
   * tools announce one that never comes, and others do not announce one that does.
   */
  const waiting = new Map<string, { scenario: TestCase; attempts: readonly Ended[] }>();
  let waitingBytes = 0;
  const hooks = new Map<string, string>();
  /** A file may have several runs behind each other. */
  let state: 'none' | 'not parsed' | 'running' | 'finished' = 'none';
  let failingBefore = 0;
  let isHookFailed = false;

  function started({ id, testCaseId, timestamp, attempt }: JsonObject): void {
    const testCase = textOf(testCaseId) ?? '';
    const key = textOf(id);
    if (open.size >= MOST_OPEN) refuse('too_large', `More than ${MOST_OPEN} scenarios run at a time.`);
    if (key === null) return;
    if (open.has(key)) finish(key, {}, true);
    // Cucumber for Ruby ends an attempt after those that follow it, by the id of the last one.
    if (typeof attempt === 'number' && attempt > 0)
      for (const [other, before] of open) if (before.testCase === testCase) finish(other, {}, true);
    const known = waiting.get(testCase)?.scenario ?? defined.testCase(testCase);
    if (known === null) sink.warn('unnamed', 'A scenario that is not defined has no name.', line());
    const scenario = known ?? UNDEFINED;
    open.set(key, { attempt: openAttempt(scenario, timestamp, line()), testCase, scenario });
  }

  function finish(key: string, timestamp: unknown, isRetried: boolean): void {
    const found = open.get(key);
    if (found === undefined) return;
    open.delete(key);
    const { testCase, scenario } = found;
    // What is defined waits in blocks, which are given back as a whole.
    defined.ended(testCase);
    const ended = found.attempt.ended(timestamp);
    const attempts = [...take(testCase), ended].slice(-limits.attempts);
    if (!isRetried && !ended.isFailed && !ended.isUnsure) return report(attempts, false);
    waiting.set(testCase, { scenario, attempts });
    waitingBytes += bytesOf(attempts);
    while (waiting.size > MOST_WAITING || (waitingBytes > MOST_WAITING_BYTES && waiting.size > 1)) {
      const first = waiting.keys().next().value!;
      report(take(first), false);
    }
  }

  function take(testCase: string): readonly Ended[] {
    const { attempts } = waiting.get(testCase) ?? { attempts: [] };
    waiting.delete(testCase);
    waitingBytes -= bytesOf(attempts);
    return attempts;
  }

  function report(attempts: readonly Ended[], isLenient: boolean): void {
    sink.results(
      attempts.map(({ result }) => result(isLenient)),
      RETRY,
    );
  }

  function outside(
    name: string,
    message: string,
    hook: string | null,
    error: Partial<Reported['error']> = {},
  ) {
    sink.outside({
      ...reported(name, 'failed', line()),
      error: { ...errorSaying(cutText(message, bounds.message)), ...error, hook },
    });
  }

  function runHookFinished({ result, testRunHookStartedId }: JsonObject): void {
    const { status, message, exception } = objectOf(result);
    if (status !== 'FAILED') return;
    isHookFailed = true;
    const hook = hooks.get(textOf(testRunHookStartedId) ?? '') ?? 'hook of the run';
    const error = errorOf(textOf(message) ?? 'The hook failed.', objectOf(exception));
    outside(hook, error.message ?? '', hook, error);
  }

  function parseError({ source, message }: JsonObject): void {
    const uri = textOf(objectOf(source).uri);
    // Where a file cannot be parsed, Cucumber may not run at all.
    if (state === 'none') state = 'not parsed';
    outside(
      testName([uri ?? 'feature', 'parse error']),
      textOf(message) ?? 'The file cannot be parsed.',
      'suite',
    );
  }

  function object(envelope: JsonObject): void {
    // Some writers have a null for each other kind.
    const kind = Object.keys(envelope).find((key) => envelope[key] !== null);
    if (kind === undefined) return;
    const message = objectOf(envelope[kind]);
    switch (kind) {
      case 'meta':
        return sink.facts({ tool: textOf(objectOf(message.implementation).name) ?? 'cucumber' });
      case 'testCaseStarted':
        return started(message);
      case 'testStepFinished':
        return open.get(textOf(message.testCaseStartedId) ?? '')?.attempt.stepFinished(message);
      case 'attachment':
      case 'externalAttachment':
        return open.get(textOf(message.testCaseStartedId) ?? '')?.attempt.attached(message);
      case 'testCaseFinished':
        return finish(
          textOf(message.testCaseStartedId) ?? '',
          message.timestamp ?? {},
          message.willBeRetried === true,
        );
      case 'testRunHookStarted':
        hooks.set(textOf(message.id) ?? '', defined.hook(textOf(message.hookId) ?? ''));
        return;
      case 'testRunHookFinished':
        return runHookFinished(message);
      case 'parseError':
        return parseError(message);
      case 'testRunStarted':
        return runStarted(message);
      case 'testRunFinished':
        return runFinished(message);
      default:
        return defined.define(kind, message);
    }
  }

  function settle(isLenient: boolean): void {
    for (const { attempt, testCase } of open.values())
      report([...take(testCase), attempt.ended(null)], false);
    open.clear();
    for (const testCase of waiting.keys()) report(take(testCase), isLenient);
  }

  function runStarted({ timestamp }: JsonObject): void {
    state = 'running';
    failingBefore = sink.failing();
    isHookFailed = false;
    const instant = instantOfTimestamp(timestamp);
    if (instant !== null) sink.facts({ started_at: instant });
  }

  /** Only now it is known what a step that is pending or undefined means. */
  function runFinished({ success, message, exception, timestamp }: JsonObject): void {
    const instant = instantOfTimestamp(timestamp);
    if (instant !== null) sink.facts({ finished_at: instant });
    state = 'finished';
    settle(success === true);
    const isSaid = sink.failing() > failingBefore;
    const isOfRun = Object.keys(objectOf(exception)).length > 0 && !isHookFailed;
    // A writer may leave out what is false.
    if (!isOfRun && (success === true || isSaid)) return;
    const text = textOf(message) ?? textOf(objectOf(exception).message);
    const error = errorOf(
      text ?? 'The report says that the run failed, and no scenario did.',
      objectOf(exception),
    );
    outside('test run', error.message ?? '', 'run', error);
  }

  return {
    object,
    missing: () =>
      state === 'finished' || state === 'not parsed' ? null : 'The file ends before the run does.',
    // Of a file that is cut off, a scenario that has not ended might have passed.
    end() {
      if (state === 'running') open.clear();
      settle(false);
    },
  };
}

/** A scenario that is not defined. */
const UNDEFINED: TestCase = { name: '', file: null, line: null, around: [], tags: [], steps: new Map() };

function bytesOf(attempts: readonly Ended[]): number {
  return attempts.reduce((sum, { bytes }) => sum + bytes, 0);
}
