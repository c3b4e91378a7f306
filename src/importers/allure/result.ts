import { cutText } from '../values/bounded-text.js';
import type { ReportAttachment, ReportItem } from '../entry.js';
import type { ImporterContext } from '../importer.js';
import { listOf, objectOf, textOf, type JsonObject } from '../json/values.js';
import { NO_NAME } from '../../test-name.js';
import { linksFrom } from '../links.js';
import { instantOfEpoch } from '../values/numbers.js';
import { bounds, ofProject, reported, type Reported, type ReportedError } from '../reported.js';
import { stepsReader } from '../steps.js';
import { tagsFrom } from '../tags.js';
import { durationOf, parametersOf, readSteps, statusOf, type Labels } from './fields.js';
import { nameOf } from './names.js';

/** One attempt of a test, as `*-result.json` has it. */
export function resultOf({ sink, options }: ImporterContext, result: JsonObject, labels: Labels): Reported {
  const { name, suite, file, project } = nameOf(result, labels, options.checkout);
  if (name === NO_NAME) sink.warn('unnamed', 'A test has no name.');
  const details = objectOf(result.statusDetails);
  const message = textOf(details.message);
  const status = judged(result, labels, sink);
  const steps = stepsReader();
  const files: ReportAttachment[] = [];
  readSteps(result, steps, files);
  const durationMs = durationOf(result);
  if (durationMs === null && typeof result.stop === 'number' && typeof result.start === 'number')
    sink.warn('bad_number', `The duration from ${result.start} to ${result.stop} is left out.`);
  return {
    ...reported(name, status, null),
    durationMs,
    startedAt: typeof result.start === 'number' && result.start > 0 ? instantOfEpoch(result.start) : null,
    error: status === 'failed' ? errorOf(result) : null,
    reason: status === 'failed' || status === 'passed' ? null : (message ?? reasonOf(result)),
    file,
    suite,
    owner: labels('owner')[0] ?? null,
    extra: { ...ofProject(project), ...extraOf(result, labels, details), ...steps.fields() },
    attachments: files,
  };
}

/** A failure of a bug that is known, or that somebody muted, is expected. So is an expected failure of pytest and Playwright. */
function judged(
  { status, stage, statusDetails }: JsonObject,
  labels: Labels,
  sink: ImporterContext['sink'],
): ReportItem['status'] {
  const { known, muted, message } = objectOf(statusDetails);
  const read = statusOf(status);
  if (read === 'failed') return known === true || muted === true ? 'known_fail' : read;
  if (read === 'skipped' && typeof message === 'string' && message.startsWith('XFAIL')) return 'known_fail';
  // Playwright calls the test passed, with the error that it was to have.
  if (read === 'passed' && textOf(message) !== null && labels('framework')[0] === 'playwright')
    return 'known_fail';
  if (read !== null) return read;
  if (status !== undefined && status !== null && status !== 'unknown' && stage !== 'interrupted')
    sink.warn('unknown_status', `The status ${JSON.stringify(status)?.slice(0, 50)} is read as skipped.`);
  return 'skipped';
}

function reasonOf({ status, stage }: JsonObject): string {
  if (status === 'skipped') return 'skipped';
  return stage === 'finished' ? 'the status is unknown' : 'the test did not end';
}

/** What a result says of its failure. */
export function errorOf({ statusDetails }: JsonObject): ReportedError {
  const { message: said, trace, actual, expected } = objectOf(statusDetails);
  const message = textOf(said);
  const stack = textOf(trace);
  return {
    message: message === null ? (stack?.split('\n')[0] ?? null) : cutText(message, bounds.message),
    type: /^([\w.]*(?:Error|Exception))\b/.exec(stack?.slice(0, 300) ?? '')?.[1] ?? null,
    stack: stack === null ? null : cutText(stack, bounds.stack),
    hook: null,
    expected: textOf(expected),
    actual: textOf(actual),
  };
}

/** Labels that say where a test belongs. Others are of the machine, or say again what the name says. */
const SHOWN = ['epic', 'feature', 'story', 'severity', 'layer'];

function extraOf(result: JsonObject, labels: Labels, details: JsonObject): Record<string, unknown> {
  const parameters = Object.fromEntries(
    parametersOf(result)
      .slice(0, 50)
      .map(({ name, value }) => [name, cutText(value, bounds.short)]),
  );
  const shown = SHOWN.flatMap((name) => {
    const [first] = labels(name);
    return first === undefined ? [] : [[name, cutText(first, bounds.short)] as const];
  });
  const flags = ['known', 'muted', 'flaky'].filter((name) => details[name] === true);
  const links = listOf(result.links)
    .map(objectOf)
    .map(({ name, url }) => ({ name: textOf(name), url: textOf(url) }));
  return {
    ...tagsFrom(labels('tag')),
    ...(shown.length > 0 && { labels: Object.fromEntries(shown) }),
    ...(Object.keys(parameters).length > 0 && { parameters }),
    ...(flags.length > 0 && { allure_flags: flags }),
    ...linksFrom(links),
  };
}
