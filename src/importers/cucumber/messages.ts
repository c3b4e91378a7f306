/** Cucumber's messages, one in each line: https://github.com/cucumber/messages */
import { limits } from '../../limits.js';
import { testName } from '../../test-name.js';
import type { ImporterContext } from '../importer.js';
import { objectOf, textOf, type JsonObject } from '../json/values.js';
import type { LinesImporter } from '../lines/importer.js';
import { bounds, errorSaying, reported, type Reported } from '../reported.js';
import { cutText } from '../values/bounded-text.js';
import { errorOf, instantOfTimestamp, openAttempt, type Attempt } from './attempt.js';
import { definitions } from './definitions.js';

const RETRY = 'Cucumber says of each attempt whether it is retried';
/** Scenarios that wait for the verdict of the run. */
const MOST_UNSURE = 10_000;
/** Scenarios that run at a time, or wait until they are retried. */
const MOST_OPEN = 10_000;

type Ended = ReturnType<Attempt['ended']>;

export function cucumberImporter({ sink, line, refuse }: ImporterContext): LinesImporter {
  const defined = definitions(refuse);
  const open = new Map<string, { attempt: Attempt; testCase: string }>();
  /** The attempts before of scenarios that are retried. */
  const before = new Map<string, Ended[]>();
  const unsure: (readonly Ended[])[] = [];
  const hooks = new Map<string, string>();
  let run: JsonObject | null = null;

  function started({ id, testCaseId, timestamp }: JsonObject): void {
    const testCase = textOf(testCaseId) ?? '';
    const known = defined.testCase(testCase);
    const key = textOf(id);
    if (open.size >= MOST_OPEN) refuse('too_large', `More than ${MOST_OPEN} scenarios run at a time.`);
    if (known !== null && key !== null)
      open.set(key, { attempt: openAttempt(known, timestamp, line()), testCase });
  }

  function finished({ testCaseStartedId, willBeRetried, timestamp }: JsonObject): void {
    const key = textOf(testCaseStartedId) ?? '';
    const found = open.get(key);
    if (found === undefined) return;
    open.delete(key);
    const attempts = [...(before.get(found.testCase) ?? []), found.attempt.ended(timestamp ?? {})];
    before.delete(found.testCase);
    if (willBeRetried === true) {
      if (before.size >= MOST_OPEN)
        refuse('too_large', `More than ${MOST_OPEN} scenarios wait to be retried.`);
      return void before.set(found.testCase, attempts.slice(-limits.attempts));
    }
    defined.ended(found.testCase);
    if (attempts.some(({ isUnsure }) => isUnsure) && unsure.length < MOST_UNSURE) unsure.push(attempts);
    else report(attempts, false);
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
    const hook = hooks.get(textOf(testRunHookStartedId) ?? '') ?? 'hook of the run';
    const error = errorOf(textOf(message) ?? 'The hook failed.', objectOf(exception));
    outside(hook, error.message ?? '', hook, error);
  }

  function parseError({ source, message }: JsonObject): void {
    const uri = textOf(objectOf(source).uri);
    outside(
      testName([uri ?? 'feature', 'parse error']),
      textOf(message) ?? 'The file cannot be parsed.',
      'suite',
    );
  }

  function object(envelope: JsonObject): void {
    const [kind] = Object.keys(envelope);
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
        return finished(message);
      case 'testRunHookStarted':
        hooks.set(textOf(message.id) ?? '', defined.hook(textOf(message.hookId) ?? ''));
        return;
      case 'testRunHookFinished':
        return runHookFinished(message);
      case 'parseError':
        return parseError(message);
      case 'testRunStarted':
      case 'testRunFinished': {
        const instant = instantOfTimestamp(message.timestamp);
        if (kind === 'testRunFinished') run = message;
        if (instant === null) return;
        return sink.facts(kind === 'testRunStarted' ? { started_at: instant } : { finished_at: instant });
      }
      default:
        return defined.define(kind, message);
    }
  }

  /** Whether the run failed: only now it is known what a step that is pending or undefined means. */
  function end(): void {
    const failed = run?.success === false;
    // Of a file that is cut off, a scenario that has not ended might have passed.
    if (run !== null) for (const { attempt } of open.values()) report([attempt.ended(null)], false);
    for (const attempts of unsure) report(attempts, run?.success === true);
    if (!failed || sink.failing() > 0) return;
    const error = errorOf(
      textOf(run?.message) ?? 'The report says that the run failed, and no scenario did.',
      objectOf(run?.exception),
    );
    outside('test run', error.message ?? '', 'run', error);
  }

  return {
    object,
    missing: () => (run === null ? 'The file ends before the run does.' : null),
    end,
  };
}
