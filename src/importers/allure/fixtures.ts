/** Failures of Allure's results that are in no test: of fixtures, and of the whole run. */
import { cutText } from '../values/bounded-text.js';
import type { ReportAttachment } from '../entry.js';
import { listOf, objectOf, textOf, type JsonObject } from '../json/values.js';
import { bounds, reported, type Reported } from '../reported.js';
import { stepsReader } from '../steps.js';
import { durationOf, readSteps, statusOf } from './fields.js';
import { instantOfEpoch } from '../values/numbers.js';

/**
 * A fixture that failed, and the tests that it was for. `names`: of the result that TestNG's adapter writes of it, too, which
 * is not always one of them.
 */
export type FailedFixture = { failure: Reported; children: readonly string[]; names: readonly string[] };

/** Fixtures that failed, of `*-container.json`. */
export function failedFixtures(container: JsonObject): FailedFixture[] {
  const children = listOf(container.children).flatMap((child) => textOf(child) ?? []);
  const around = textOf(container.name);
  return (['befores', 'afters'] as const).flatMap((kind) =>
    listOf(container[kind])
      .map(objectOf)
      .filter(({ status }) => statusOf(status) === 'failed')
      .map((fixture) => ({
        failure: failureOf(fixture, around, kind),
        children,
        names: around === null ? [] : [around, `${around}.${textOf(fixture.name)}`],
      })),
  );
}

/** Errors of the run itself, of `*-globals.json`: adapters write one for each hook of a suite that failed. */
export function globalErrors(globals: JsonObject): Reported[] {
  return listOf(globals.errors)
    .map(objectOf)
    .map((error) => {
      const message = textOf(error.message) ?? 'The report says that the run failed.';
      const title = /^(.{1,200}) failed: /s.exec(message)?.[1] ?? 'error outside of tests';
      return {
        ...reported(title, 'failed', null),
        startedAt: typeof error.timestamp === 'number' ? instantOfEpoch(error.timestamp) : null,
        error: {
          message: cutText(message, bounds.message),
          type: null,
          stack: stackOf(error),
          hook: title === 'error outside of tests' ? 'suite' : title,
        },
      };
    });
}

function failureOf(fixture: JsonObject, around: string | null, kind: 'befores' | 'afters'): Reported {
  const details = objectOf(fixture.statusDetails);
  const title = textOf(fixture.name) ?? (kind === 'befores' ? 'set-up' : 'tear-down');
  const steps = stepsReader();
  const attachments: ReportAttachment[] = [];
  readSteps(fixture, steps, attachments);
  const start = fixture.start;
  return {
    ...reported(around === null || around === title ? title : `${around} › ${title}`, 'failed', null),
    durationMs: durationOf(fixture),
    startedAt: typeof start === 'number' && start > 0 ? instantOfEpoch(start) : null,
    error: {
      message: cutText(textOf(details.message) ?? 'The fixture failed.', bounds.message),
      type: null,
      stack: stackOf(details),
      hook: title,
    },
    suite: around,
    extra: steps.fields(),
    attachments,
  };
}

function stackOf({ trace }: JsonObject): string | null {
  const stack = textOf(trace);
  return stack === null ? null : cutText(stack, bounds.stack);
}
