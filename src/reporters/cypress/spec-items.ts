/** What a spec file of Cypress has for results, each test with all its attempts and files. */
import { errorFields, type LiveAttachment, type LiveItem } from '../../client/live/item.js';
import { NAME_SEPARATOR, testName } from '../../test-name.js';
import { errorOfText } from '../error-of-text.js';
import { picturesOf } from './pictures.js';
import type { SpecResults, TestResult, ToldAttempt } from './types.js';

export type Told = ToldAttempt & { pictures: readonly string[] };

export type RanSpec = {
  file: string;
  browser: string | null;
  results: SpecResults;
  /** What the support file told, in the order of the attempts. Empty without it. */
  told: readonly Told[];
};

/** The test that Cypress adds for an error outside of all tests. */
const OUTSIDE = 'An uncaught error was detected outside of a test';

export function specItems({ file, browser, results, told }: RanSpec): LiveItem[][] {
  const tests = results.tests ?? [];
  const toldOf = queues(told);
  const base = { file, ...(browser !== null && { environment: { browser } }) };
  const taken = picturesOf(tests, results.screenshots);
  const items = tests.map((test, n) => attemptsOf(test, base, toldOf(test), taken[n]!));
  if (results.error != null) items.push([brokenFile(file, results.error, base)]);
  addVideo(items, results.video);
  return items;
}

type Base = { file: string; environment?: { browser: string } };

function attemptsOf(
  test: TestResult,
  base: Base,
  told: readonly Told[],
  pictures: readonly (readonly string[])[],
): LiveItem[] {
  const { title, attempts, duration } = test;
  const suite = title.slice(0, -1).join(NAME_SEPARATOR);
  const isOutside = title.length === 1 && title[0] === OUTSIDE;
  const name = testName(isOutside ? [base.file, OUTSIDE] : title);
  const states = attempts.length === 0 ? [test.state] : attempts.map(({ state }) => state);
  return states.map((state, n) => {
    const isLast = n === states.length - 1;
    const known = told[n];
    const failure = state === 'failed' ? failureOf(isLast ? test.displayError : null, known) : null;
    const reason = state === 'skipped' ? 'a hook failed before it' : null;
    return {
      name,
      status: statusOf(state),
      attempt: n + 1,
      // Without hooks, what the support file tells is a little shorter.
      duration_ms: ran(state)
        ? states.length === 1
          ? duration
          : (known?.duration_ms ?? undefined)
        : undefined,
      ...(known?.started_at != null && { started_at: known.started_at }),
      ...(failure && { error_message: failure.error_message }),
      metadata: {
        ...base,
        ...(suite !== '' && { suite }),
        ...(reason !== null && { reason }),
        ...(failure && { error: failure.error }),
      },
      attachments: [...(pictures[n] ?? []), ...(known?.pictures ?? [])].map(pictureAt),
    };
  });
}

function ran(state: string): boolean {
  return state === 'passed' || state === 'failed';
}

/** Null where nobody says why: then failures are grouped by their test. */
function failureOf(displayError: string | null, told: Told | undefined) {
  if (displayError !== null) return errorFields([errorOfText(displayError)]);
  if (told?.error == null) return null;
  const { name, message, stack } = told.error;
  return errorFields([{ type: name, message, stack }]);
}

function statusOf(state: string): LiveItem['status'] {
  switch (state) {
    case 'passed':
      return 'passed';
    // `pending` is skipped by the test, `skipped` by a hook that failed.
    case 'pending':
    case 'skipped':
      return 'skipped';
    default:
      return 'failed';
  }
}

/** Tests of one name share a queue: Cypress runs them in the order of its results. */
function queues(told: readonly Told[]): (test: TestResult) => Told[] {
  const queue = new Map<string, Told[]>();
  const keyOf = (title: readonly string[]) => title.join('\n');
  for (const each of told) {
    const found = queue.get(keyOf(each.title));
    if (found === undefined) queue.set(keyOf(each.title), [each]);
    else found.push(each);
  }
  return ({ title, attempts }) => queue.get(keyOf(title))?.splice(0, attempts.length) ?? [];
}

function pictureAt(path: string): LiveAttachment {
  return { name: path.split(/[/\\]/).at(-1)!, content_type: 'image/png', path };
}

/** There is one for all tests of a file: the first one that failed has it, also where it passed later. */
function addVideo(items: LiveItem[][], video: string | null): void {
  const failed = items.flat().find(({ status }) => status === 'failed');
  if (video === null || failed === undefined) return;
  const name = video.split(/[/\\]/).at(-1)!;
  failed.attachments = [...(failed.attachments ?? []), { name, content_type: 'video/mp4', path: video }];
}

function brokenFile(file: string, said: string, base: Base): LiveItem {
  const { error_message, error } = errorFields([{ ...errorOfText(said), hook: 'suite' }]);
  return { name: testName([file]), status: 'failed', error_message, metadata: { ...base, error } };
}
