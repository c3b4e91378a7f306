import { Buffer } from 'node:buffer';
import { testName } from '../../test-name.js';
import { cutText } from '../values/bounded-text.js';
import type { ReportAttachment, ReportItem } from '../entry.js';
import type { ImporterContext } from '../importer.js';
import type { JsonImporter } from '../json/importer.js';
import type { JsonPath } from '../json/reader.js';
import { lineOf, listOf, objectOf, textOf, type JsonObject } from '../json/values.js';
import { durationFromMs } from '../values/numbers.js';
import { attachmentOf, bodyAttachment } from '../report-attachment.js';
import { bounds, errorSaying, ofProject, reported, unlistedFailures, type Reported } from '../reported.js';
import { reportedInstant, reportedTimes } from '../values/reported-instant.js';
import { withoutCheckout } from '../source-paths.js';
import { stepsReader, type StepsReader } from '../steps.js';
import { tagsFrom } from '../tags.js';

/** The JSON of Playwright's reporter. Its `stats` count what failed; older reports have none. */
export function playwrightImporter({ sink, options }: ImporterContext): JsonImporter {
  let errors = 0;
  let isReport = false;
  /** The tests that the report counts as failed, and those of them that it lists; null where it judges no test. */
  let unexpected = 0;
  let listed: number | null = null;

  function suite(found: JsonObject, around: readonly string[]): void {
    const title = textOf(found.title);
    const titles = title === null ? around : [...around, title];
    for (const spec of listOf(found.specs)) {
      for (const test of listOf(objectOf(spec).tests)) attempts(objectOf(test), objectOf(spec), titles);
    }
    for (const inner of listOf(found.suites)) suite(objectOf(inner), titles);
  }

  function attempts(test: JsonObject, spec: JsonObject, titles: readonly string[]): void {
    const project = textOf(test.projectName) ?? '';
    const [file = '', ...inner] = titles;
    // As the reporter has it: a title that repeats another one stays.
    const name = testName(
      [withoutCheckout(file, options.checkout), ...inner, textOf(spec.title) ?? ''],
      project,
    );
    const base: Reported = {
      ...reported(name, 'skipped', null),
      file: textOf(spec.file),
      line: lineOf(spec.line),
      suite: titles.at(-1) ?? null,
      extra: { ...ofProject(project), ...extraOf(test, spec) },
    };
    const says = textOf(test.status);
    if (says !== null) listed = (listed ?? 0) + (says === 'unexpected' ? 1 : 0);
    const results = listOf(test.results).map((result) => resultOf(sink, objectOf(result), test, base));
    sink.results(judged(results, test, base), 'Playwright lists the results of each test');
  }

  /** An error outside of all tests, such as one in a file that cannot be loaded. */
  function globalError(error: JsonObject): void {
    const file = textOf(objectOf(error.location).file);
    errors += 1;
    const title = `error outside of tests${errors > 1 ? ` #${errors}` : ''}`;
    const name = testName([file === null ? 'playwright' : withoutCheckout(file, options.checkout), title]);
    sink.outside({
      ...reported(name, 'failed', null),
      file,
      line: lineOf(objectOf(error.location).line),
      error: { ...errorOf({ errors: [error] }), hook: 'suite' },
    });
  }

  return {
    value(path, value) {
      switch (path[0]) {
        case 'config':
          isReport ||= 'rootDir' in objectOf(value) || 'projects' in objectOf(value);
          return sink.facts({ tool: 'playwright', ...shardOf(objectOf(value)) });
        case 'stats':
          unexpected = Number(objectOf(value).unexpected ?? 0);
          return sink.facts(
            reportedTimes(sink, { start: textOf(objectOf(value).startTime) ?? undefined }, null),
          );
        case 'suites':
          isReport ||= 'specs' in objectOf(value) || 'suites' in objectOf(value);
          return suite(objectOf(value), []);
        case 'errors':
          isReport = true;
          return globalError(objectOf(value));
        default:
      }
    },
    cut(path, valueAt) {
      const found = wholeTestsIn(path, valueAt);
      if (found === null) return;
      isReport = true;
      suite(found, []);
    },
    isReport: () => isReport,
    end() {
      const missing = listed === null && sink.failing() > 0 ? 0 : unexpected - (listed ?? 0);
      if (missing > 0)
        sink.outside({ ...reported('report', 'failed', null), error: unlistedFailures(missing) }, missing);
    },
  };
}

/** The suite of a file in which the report is cut off. A test that is cut off has not all of its attempts. */
function wholeTestsIn(path: JsonPath, valueAt: (depth: number) => unknown): JsonObject | null {
  if (path[0] !== 'suites' || path.length < 2) return null;
  const tests = path.indexOf('tests');
  const at = tests === -1 ? undefined : path[tests + 1];
  if (typeof at === 'number') (valueAt(tests + 1) as unknown[]).splice(at);
  return objectOf(valueAt(2));
}

function resultOf(
  sink: ImporterContext['sink'],
  result: JsonObject,
  test: JsonObject,
  base: Reported,
): Reported {
  const status = statusOf(textOf(result.status), textOf(test.expectedStatus) ?? 'passed');
  const duration = typeof result.duration === 'number' ? durationFromMs(result.duration) : null;
  if (duration?.ms === null)
    sink.warn(duration.reason, `The duration ${String(result.duration)} is left out.`);
  const steps = stepsReader();
  readSteps(result.steps, steps);
  return {
    ...base,
    extra: { ...base.extra, ...steps.fields() },
    status,
    durationMs: duration?.ms ?? null,
    startedAt: reportedInstant(sink, textOf(result.startTime) ?? undefined, null),
    error: status === 'failed' ? errorOf(result) : null,
    reason: status === 'failed' || status === 'passed' ? null : reasonOf(result, test),
    output: { stdout: outputOf(result.stdout), stderr: outputOf(result.stderr) },
    attachments: listOf(result.attachments).flatMap((each) => attachment(objectOf(each)) ?? []),
  };
}

/** Those that a test names by `test.step`. */
function readSteps(found: unknown, steps: StepsReader): void {
  for (const step of listOf(found).map(objectOf)) {
    const { title, duration, error } = step;
    steps.open(textOf(title) ?? 'step');
    readSteps(step.steps, steps);
    steps.close({
      status: error === undefined ? 'passed' : 'failed',
      durationMs: typeof duration === 'number' ? duration : null,
      error: textOf(objectOf(error).message),
    });
  }
}

/** Playwright judges a test over all its attempts; an attempt that was interrupted is none of them. */
function judged(results: readonly Reported[], test: JsonObject, base: Reported): readonly Reported[] {
  const says = textOf(test.status);
  if (says === 'unexpected' && !results.some(({ status }) => status === 'failed')) {
    const message = 'Playwright says that the outcome is unexpected, and no attempt says why.';
    return [
      ...results.filter(({ status }) => status !== 'skipped'),
      { ...base, status: 'failed', error: errorSaying(message) },
    ];
  }
  return results.length === 0 ? [{ ...base, reason: 'not run' }] : results;
}

/** A test that `test.fail()` marks has to fail. */
function statusOf(status: string | null, expected: string): ReportItem['status'] {
  switch (status) {
    case 'passed':
      return expected === 'failed' ? 'failed' : 'passed';
    case 'failed':
      return expected === 'failed' ? 'known_fail' : 'failed';
    case 'timedOut':
      return 'failed';
    default:
      return 'skipped';
  }
}

function errorOf({ error, errors, status }: JsonObject): NonNullable<Reported['error']> {
  const all = listOf(errors).map(objectOf);
  const [first = objectOf(error), ...others] = all;
  const message = textOf(first.message) ?? textOf(first.value) ?? textOf(first.stack)?.split('\n')[0] ?? null;
  const stacks = [first, ...others].flatMap((each) => textOf(each.stack) ?? textOf(each.message) ?? []);
  const unexpected = status === 'passed' ? 'The test passed, and was expected to fail.' : null;
  return {
    message: message === null ? unexpected : cutText(message, bounds.message),
    type: status === 'timedOut' ? 'TimeoutError' : (/^(\w*Error): /.exec(message ?? '')?.[1] ?? null),
    stack: stacks.length === 0 ? null : cutText(stacks.join('\n\n'), bounds.stack),
    hook: null,
  };
}

function reasonOf({ status }: JsonObject, { annotations }: JsonObject): string | null {
  if (status === 'interrupted') return 'interrupted';
  const descriptions = listOf(annotations).flatMap((each) => textOf(objectOf(each).description) ?? []);
  return descriptions[0] ?? null;
}

function extraOf({ annotations }: JsonObject, { tags }: JsonObject): Record<string, unknown> {
  const types = listOf(annotations)
    .map(objectOf)
    .flatMap(({ type, description }) => (textOf(type) === null ? [] : [{ type, description }]));
  return {
    ...tagsFrom(listOf(tags).map(textOf)),
    ...(types.length === 0 ? {} : { annotations: types.slice(0, 20) }),
  };
}

function attachment({ name, path, body, contentType }: JsonObject): ReportAttachment | null {
  const label = textOf(name) ?? undefined;
  const type = textOf(contentType) ?? undefined;
  if (typeof path === 'string') return attachmentOf(path, label, type);
  return typeof body === 'string' ? bodyAttachment(body, label ?? 'attachment', type) : null;
}

function outputOf(pieces: unknown): string {
  const text = listOf(pieces)
    .map((piece) => {
      const { text, buffer } = objectOf(piece);
      return typeof buffer === 'string' ? Buffer.from(buffer, 'base64').toString() : (textOf(text) ?? '');
    })
    .join('');
  return cutText(text, bounds.output);
}

function shardOf({ shard }: JsonObject): { shard?: { index: number; total: number } } {
  const { current, total } = objectOf(shard);
  return typeof current === 'number' && typeof total === 'number' ? { shard: { index: current, total } } : {};
}
