/** Makes results of what was read: one of each attempt of a test case, and one of a failure outside of all cases. */
import { NAME_SEPARATOR, NO_NAME } from '../../test-name.js';
import type { ImporterContext } from '../importer.js';
import { reportedName } from '../values/naming.js';
import { reportedSeconds } from '../values/reported-duration.js';
import { reportedInstant } from '../values/reported-instant.js';
import { ofProject, reported, type Reported } from '../reported.js';
import { extraOf, ownerOf, placeOf, textOf, type Attempt, type Case, type Suite } from './case.js';
import { errorOf } from './failure.js';
import { outcomeOf } from './outcome.js';
import { textsOf } from './output.js';
import type { MochaTitles } from './mocha-titles.js';
import { reporterName } from './reporter-names.js';

type Context = Pick<ImporterContext, 'sink' | 'options' | 'line'>;
type CaseContext = Context & { mocha: MochaTitles };

/** All attempts of a case, the first one first. */
export function attemptsOf(test: Case, suite: Suite | undefined, context: CaseContext): Reported[] {
  const main = mainAttempt(test, suite, context);
  const asAttempt = ({ time, output, ...failure }: Attempt): Reported => ({
    ...main,
    status: 'failed',
    durationMs: reportedSeconds(context, time, test.at),
    startedAt: null,
    error: errorOf([failure], ''),
    reason: null,
    output: textsOf(output),
    attachments: output.attachments,
  });
  // Without a failure of its own, the case is the last attempt, whatever the others are called.
  const before = main.status === 'failed' ? test.flaky : [...test.flaky, ...test.reruns];
  const after = main.status === 'failed' ? test.reruns : [];
  return [...before.map(asAttempt), main, ...after.map(asAttempt)];
}

function mainAttempt(test: Case, suite: Suite | undefined, context: CaseContext): Reported {
  const { sink, options, mocha } = context;
  const { attributes, failures, skipped } = test;
  const className = textOf(attributes.classname ?? attributes.class);
  const name = textOf(attributes.name);
  const known =
    suite === undefined ? null : reporterName(suite, { className, name }, mocha, options.checkout);
  if (known?.tool !== undefined) sink.facts({ tool: known.tool });
  const whole = known?.name ?? reportedName({ suites: suite?.path ?? [], className, name }, options.checkout);
  if (whole === NO_NAME) sink.warn('unnamed', 'A test case has no name.', test.at);
  const status = outcomeOf({
    failures: failures.length,
    skipped,
    status: textOf(attributes.status),
    result: textOf(attributes.result),
  });
  return {
    ...reported(whole, status, test.at),
    durationMs: reportedSeconds(context, attributes.time ?? attributes.duration, test.at),
    startedAt: reportedInstant(sink, attributes.timestamp, test.at),
    error: errorOf(failures, name) ?? (status === 'failed' ? noError : null),
    reason: status === 'skipped' || status === 'known_fail' ? (skipped?.message ?? null) : null,
    ...placeOf(test, suite, known?.file ?? ''),
    suite: suite?.name || null,
    owner: ownerOf(test.properties),
    extra: { ...ofProject(known?.project ?? ''), ...extraOf(test) },
    output: textsOf(test.output),
    attachments: test.output.attachments,
  };
}

/** A case that failed by its attribute alone. */
const noError = { message: null, type: null, stack: null, hook: null };

export function failureOfSuite(error: Reported['error'], at: number, suite: Suite | undefined): Reported {
  const result = reported((suite?.path ?? []).join(NAME_SEPARATOR), 'failed', at);
  return {
    ...result,
    name: result.name === '' ? 'suite' : result.name,
    error: error === null ? null : { ...error, hook: 'suite' },
    suite: suite?.name || null,
    file: suite?.file || null,
  };
}
