import { NO_NAME } from '../../test-name.js';
import { cutText } from '../values/bounded-text.js';
import type { ReportAttachment, ReportItem, RunFacts } from '../entry.js';
import type { ImporterContext } from '../importer.js';
import type { JsonImporter } from '../json/importer.js';
import { lineOf, listOf, objectOf, textOf, type JsonObject } from '../json/values.js';
import { suitePath, reportedName } from '../values/naming.js';
import { durationFromMs, instantOfEpoch } from '../values/numbers.js';
import { attachmentOf, bodyAttachment } from '../report-attachment.js';
import { bounds, reported, unlistedAttempt, unlistedFailures, type Reported } from '../reported.js';
import { saysFailed } from '../says-failed.js';
import { stepsReader } from '../steps.js';
import { tagsFrom } from '../tags.js';
import { reportedInstant } from '../values/reported-instant.js';
import { attemptFields, environmentFields, summaryFields, testFields, toolFields } from './fields.js';

const ATTEMPTS =
  'CTRF has the attempts of a test in retryAttempts, or says by flaky and retries that there were some';

/** The Common Test Report Format, with the fields of older writers too. */
export function ctrfImporter(context: ImporterContext): JsonImporter {
  const { sink, refuse } = context;
  let shard: string | null = null;
  /** The failed tests that the summary counts, and those that are listed. */
  let counted = 0;
  let listed = 0;
  let isReport = false;

  function value(path: readonly (string | number)[], found: unknown): void {
    switch (path.join('.')) {
      case 'reportFormat':
        isReport = true;
        if (found !== 'CTRF') refuse('unknown_format', 'The field reportFormat is not "CTRF".');
        return;
      case 'runId': {
        const run_key = textOf(found);
        if (run_key !== null) sink.facts({ run_key });
        return;
      }
      case 'shardId':
        shard = textOf(found);
        return;
      case 'results.tool': {
        const tool = textOf(known(context, found, toolFields, 'results.tool').name);
        if (tool !== null) sink.facts({ tool });
        return;
      }
      case 'results.summary': {
        isReport = true;
        const summary = known(context, found, summaryFields, 'results.summary');
        const failed = Number(summary.failed ?? 0);
        if (Number.isSafeInteger(failed)) counted = failed;
        return sink.facts(timesOf(sink, summary));
      }
      case 'results.environment':
        return sink.facts(environmentOf(known(context, found, environmentFields, 'results.environment')));
      default: {
        if (path[1] !== 'tests') return;
        isReport = true;
        const attempts = attemptsOf(context, known(context, found, testFields, 'results.tests'));
        if (sink.results(attempts, ATTEMPTS) === 'failed') listed += 1;
      }
    }
  }

  return {
    value,
    isReport: () => isReport,
    end() {
      const match = /^(\d{1,4})\s*\/\s*(\d{1,4})$/.exec(shard ?? '');
      if (match !== null) sink.facts({ shard: { index: Number(match[1]), total: Number(match[2]) } });
      const missing = counted - listed;
      if (missing > 0)
        sink.outside({ ...reported('report', 'failed', null), error: unlistedFailures(missing) }, missing);
    },
  };
}

/** The object with the names of the specification. Its writers are older than it, so other names are only counted. */
function known(
  { sink, options, refuse }: ImporterContext,
  found: unknown,
  fields: ReadonlySet<string>,
  where: string,
): JsonObject {
  const object = Object.fromEntries(
    Object.entries(objectOf(found)).map(([name, each]) => [fields.has(name) ? name : camelCase(name), each]),
  );
  const unknown = Object.keys(object).filter((name) => !fields.has(name));
  if (unknown.length > 0) {
    const detail = `The specification has no field ${JSON.stringify(unknown[0]!.slice(0, 100))} in ${where}.`;
    if (options.strict === true) refuse('unknown_fields', detail);
    sink.warn('unknown_fields', detail, null, unknown.length);
  }
  return object;
}

function attemptsOf(context: ImporterContext, test: JsonObject): Reported[] {
  const main = resultOf(context, test);
  const attempts = listOf(test.retryAttempts)
    .map((attempt) => known(context, attempt, attemptFields, 'retryAttempts'))
    .sort((one, other) => Number(one.attempt ?? 0) - Number(other.attempt ?? 0))
    .map((attempt) => withAttempt(context, main, attempt));
  const last = attempts.at(-1);
  if (last === undefined) return isFlakyByWord(test, main) ? [unlistedAttempt(main), main] : [main];
  // Some writers list the last attempt too, which is the test itself.
  return isListed(test, main, last, attempts.length) ? [...attempts.slice(0, -1), main] : [...attempts, main];
}

/** The writer says that earlier attempts failed, and lists none. */
function isFlakyByWord({ flaky, retries }: JsonObject, { status }: Reported): boolean {
  return status === 'passed' && (flaky === true || (typeof retries === 'number' && retries > 0));
}

/** A longer text is no browser. */
const BROWSER = 300;

function resultOf(context: ImporterContext, test: JsonObject): Reported {
  const suites = Array.isArray(test.suite)
    ? listOf(test.suite).flatMap((suite) => textOf(suite) ?? [])
    : [textOf(test.suite) ?? ''];
  // Cut first: the pattern looks at each blank of a run again from there.
  const project =
    textOf(test.browser)
      ?.slice(0, BROWSER)
      .replace(/[\s/]+v?\d[\d.]*$/, '') ?? '';
  const name = reportedName(
    {
      suites: suitePath(suites, context.options.checkout),
      className: '',
      name: textOf(test.name) ?? '',
      project,
    },
    context.options.checkout,
  );
  if (name === NO_NAME) context.sink.warn('unnamed', 'A test has no name.');
  const status = statusOf(context, test.status);
  return {
    ...reported(name, status, null),
    ...timingOf(context, test),
    ...explanationOf(test, status),
    file: textOf(test.filePath),
    line: lineOf(test.line),
    suite: suites.at(-1) || null,
    owner: textOf(objectOf(test.labels).owner),
    extra: extraOf(test),
    output: { stdout: linesOf(test.stdout), stderr: linesOf(test.stderr) },
    attachments: attachmentsOf(test),
  };
}

function withAttempt(context: ImporterContext, main: Reported, attempt: JsonObject): Reported {
  const status = statusOf(context, attempt.status);
  return {
    ...main,
    status,
    ...timingOf(context, attempt),
    ...explanationOf(attempt, status),
    output: { stdout: linesOf(attempt.stdout), stderr: linesOf(attempt.stderr) },
    attachments: attachmentsOf(attempt),
  };
}

function timingOf(
  { sink }: ImporterContext,
  { duration, start }: JsonObject,
): Pick<Reported, 'durationMs' | 'startedAt'> {
  const read = typeof duration === 'number' ? durationFromMs(duration) : null;
  if (read?.ms === null) sink.warn(read.reason, `The duration ${String(duration)} is left out.`);
  const startedAt = startOf(sink, start);
  return { durationMs: read?.ms ?? null, startedAt };
}

function statusOf({ sink }: ImporterContext, status: unknown): ReportItem['status'] {
  const word = typeof status === 'string' ? status.trim().toLowerCase() : '';
  switch (word) {
    case 'passed':
    case 'skipped':
      return word;
    case 'pending':
    case 'other':
      return 'skipped';
    default: {
      if (word === 'failed') return word;
      const read = saysFailed(word) ? 'failed' : 'skipped';
      sink.warn('unknown_status', `The status ${JSON.stringify(status)?.slice(0, 50)} is read as ${read}.`);
      return read;
    }
  }
}

function isListed(test: JsonObject, main: Reported, last: Reported, listed: number): boolean {
  if (typeof test.retries === 'number') return listed > test.retries;
  if (last.status !== main.status) return false;
  return main.status === 'passed' || last.durationMs === main.durationMs;
}

function explanationOf(
  { message, trace }: JsonObject,
  status: ReportItem['status'],
): Pick<Reported, 'error' | 'reason'> {
  const text = textOf(message);
  const stack = textOf(trace);
  if (status !== 'failed') return { error: null, reason: text };
  return {
    reason: null,
    error: {
      message: text ?? stack?.split('\n')[0] ?? null,
      type: null,
      stack: stack === null ? null : cutText(stack, bounds.stack),
      hook: null,
    },
  };
}

function extraOf(test: JsonObject): Record<string, unknown> {
  const { rawStatus, status, tags, labels, parameters, type } = test;
  const raw = textOf(rawStatus) ?? (status === 'pending' || status === 'other' ? status : null);
  const fields = { raw_status: raw, ...tagsFrom(listOf(tags).map(textOf)), labels, parameters, type };
  return {
    ...Object.fromEntries(
      Object.entries(fields).filter(([, value]) => value !== null && value !== undefined && isSmall(value)),
    ),
    ...stepsOf(test),
  };
}

function stepsOf({ steps: found }: JsonObject): Record<string, unknown> {
  const steps = stepsReader();
  for (const { name, status } of listOf(found).map(objectOf)) {
    const word = textOf(status) ?? '';
    steps.open(textOf(name) ?? 'step');
    steps.close({ status: word === 'passed' ? word : saysFailed(word) ? 'failed' : 'skipped' });
  }
  return steps.fields();
}

/** Larger values would leave no room for the rest of the metadata. */
function isSmall(value: unknown): boolean {
  return JSON.stringify(value).length <= 8 * 1_024;
}

function attachmentsOf({ attachments, screenshot }: JsonObject): ReportAttachment[] {
  const files = listOf(attachments).flatMap((each) => {
    const { name, path, contentType, content_type } = objectOf(each);
    return (
      attachmentOf(
        textOf(path) ?? '',
        textOf(name) ?? undefined,
        textOf(contentType ?? content_type) ?? undefined,
      ) ?? []
    );
  });
  const image = textOf(screenshot);
  if (image === null) return files;
  const inline = image.startsWith('data:')
    ? attachmentOf(image, 'screenshot.png')
    : bodyAttachment(image, 'screenshot.png', 'image/png');
  return inline === null ? files : [...files, inline];
}

function linesOf(lines: unknown): string {
  const text =
    typeof lines === 'string'
      ? lines
      : listOf(lines)
          .flatMap((each) => textOf(each) ?? [])
          .join('\n');
  return cutText(text, bounds.output);
}

/** 0 is what writers have for no time. */
function startOf(sink: ImporterContext['sink'], value: unknown): string | null {
  if (typeof value === 'number' && value > 0) return instantOfEpoch(value);
  return reportedInstant(sink, typeof value === 'string' ? value : undefined, null);
}

function timesOf(sink: ImporterContext['sink'], { start, stop }: JsonObject): RunFacts {
  const [started_at, finished_at] = [startOf(sink, start), startOf(sink, stop)];
  return { ...(started_at !== null && { started_at }), ...(finished_at !== null && { finished_at }) };
}

function environmentOf({ branchName, commit, buildUrl, reportName }: JsonObject): RunFacts {
  const facts = {
    branch: textOf(branchName),
    commit: textOf(commit),
    ci_url: textOf(buildUrl),
    label: textOf(reportName),
  };
  return Object.fromEntries(Object.entries(facts).filter(([, value]) => value !== null));
}

function camelCase(name: string): string {
  return name.replaceAll(/_([a-z])/g, (_, letter: string) => letter.toUpperCase());
}
