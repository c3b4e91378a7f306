/** One result as text: for an issue, a script or an agent. The most important comes first, up to 20 kB. */
import { shortStack } from './error.js';
import { usualDuration, type ResultView } from './load.js';
import { stepsOf, wayToFailure } from './steps.js';
import { NAME_SEPARATOR } from '../../../test-name.js';
import { textDiff } from '../../parts/texts/text-diff.js';
import { duration, utc } from '../../parts/time.js';
import { withoutAnsi } from '../../parts/texts/ansi.js';
import { cut, failingPlace, placeOf } from '../../text/short.js';
import type { TextLinks } from '../../text/links.js';
import { fenced, inMarkdown, jsonWithin, listWithin, withinBytes } from '../../text/text-page.js';
import { inEnvironment, isInEnvironments } from '../test/in-environment.js';
import { failsInWords, stateName, worstLine } from '../test/state.js';
import { knownInMarkdown } from '../test/test-text.js';

export function resultMarkdown(view: ResultView, links: TextLinks): string {
  const { result, run, project } = view;
  const { error } = result;
  const message = error?.message ?? result.error_message;
  const stack = shortStack(error?.stack ?? null);
  return withinBytes(
    [
      `# ${inMarkdown(result.name, 200)}`,
      factsOf(view, links).join('\n'),
      message === null ? '' : fenced(message, 3_000),
      error?.expected != null && error.actual != null ? diffOf(error.expected, error.actual) : '',
      stack.trim() === '' || stack === message ? '' : `Own frames:\n\n${fenced(stack, 3_000)}`,
      view.artifacts.length === 0
        ? ''
        : `Artifacts:\n\n${listWithin(
            view.artifacts,
            20,
            (each) =>
              `${inMarkdown(each.label, 100)}: ${links.artifact(each.artifact_id)} (${each.size_bytes} bytes)`,
          )}`,
      `Project ${inMarkdown(project.name, 100)}${run === null ? '' : `, run ${inMarkdown(run.label ?? run.id, 100)}`}: ${links.result(result.id)}`,
    ],
    links.whole.result(result.id),
  );
}

function factsOf(view: ResultView, links: TextLinks): string[] {
  const { result, test, run, outcomes, outcomesTotal, attempts, together, elsewhere } = view;
  const { failing_since, last_passed, also_fails_on, group, owner } = result;
  const place = placeOf(result);
  const usual = usualDuration(outcomes);
  const facts: [string, string | null][] = [
    ['Status', `${result.status}${result.known ? ' (known)' : ''}, attempt ${result.attempt}`],
    [
      'Attempts',
      attempts.length < 2 ? null : attempts.map(({ attempt, status }) => `${attempt} ${status}`).join(', '),
    ],
    ['Failing since', failing_since && momentOf(failing_since, links)],
    ['Last passed', last_passed && momentOf(last_passed, links)],
    [
      'Also fails on',
      also_fails_on?.length
        ? also_fails_on.map((each) => inMarkdown(failingPlace(each), 80)).join(', ')
        : null,
    ],
    ['State of the test', test && stateOf(test, result.environment_key, outcomesTotal)],
    ['Known failure', test?.known_failure ? knownInMarkdown(test.known_failure) : null],
    ['File', place === null ? null : inMarkdown(place, 200)],
    ['Failed step', wayIn(view)],
    ['Owner', owner === null ? null : inMarkdown(owner, 200)],
    [
      'Took',
      `${duration(result.duration_ms)}${usual === null ? '' : `, usually ${duration(usual.p50)} to ${duration(usual.p95)}`}`,
    ],
    [
      'Same error',
      group &&
        `${inMarkdown(group.title, 200)}; ${together.total} other results of this run, ${elsewhere.total} other runs`,
    ],
    ['Environment', result.environment_key === '' ? null : inMarkdown(result.environment_key, 300)],
    ['Branch', run?.branch == null ? null : inMarkdown(run.branch, 80)],
    ['Commit', run?.commit == null ? null : inMarkdown(run.commit, 80)],
  ];
  return facts.flatMap(([name, text]) => (text === null ? [] : `- ${name}: ${text}`));
}

/** The innermost step is cut last: it is what failed. */
function wayIn({ result }: ResultView): string | null {
  const way = wayToFailure(stepsOf(result)).slice(-4);
  return way.length === 0 ? null : inMarkdown(way.map((name) => cut(name, 100)).join(NAME_SEPARATOR), 420);
}

type Test = NonNullable<ResultView['test']>;

function stateOf(test: Test, environment: string, total: number): string {
  const line = worstLine(test);
  const where = (environment_key: string) =>
    isInEnvironments(test) ? ` ${inMarkdown(inEnvironment({ environment_key }), 300)}` : '';
  const { share, of } = failsInWords(test, total);
  return `${stateName(line)}${where(line.environment_key)}, fails ${share} ${of}${where(environment)}`;
}

type Moment = NonNullable<ResultView['result']['failing_since']>;

function momentOf({ run_id, commit, at }: Moment, links: TextLinks): string {
  return `${utc(at)}${commit === null ? '' : `, commit ${inMarkdown(commit, 60)}`}${run_id === null ? '' : `, ${links.run(run_id)}`}`;
}

function diffOf(expected: string, actual: string): string {
  const diff = textDiff(expected, actual);
  if (diff.by !== 'lines') {
    const signed = (sign: string, text: string) => `${sign} ${text.slice(0, 1_200)}`;
    return fenced(`${signed('-', expected)}\n${signed('+', actual)}`, 2_600, 'diff');
  }
  const lines = diff.parts
    .filter(({ kind }) => kind !== 'same')
    .flatMap(({ kind, text }) =>
      text
        .replace(/\n$/, '')
        .split('\n')
        .map((line) => `${kind === 'expected' ? '-' : '+'} ${line}`),
    );
  return fenced(lines.slice(0, 80).join('\n'), 3_000, 'diff');
}

/** The record without its metadata, and what the page adds to it. Long texts are cut. */
export function resultJson(view: ResultView, links: TextLinks): string {
  const { metadata: _, error, error_message, ...result } = view.result;
  const short = (text: string | null | undefined, most: number) =>
    text == null ? null : cut(withoutAnsi(text), most);
  const line = view.test && worstLine(view.test);
  const head = {
    url: links.result(view.result.id),
    whole: links.whole.result(view.result.id),
    result: {
      ...result,
      error_message: short(error_message, 500),
      error: error && {
        type: error.type,
        hook: error.hook,
        message: short(error.message, 2_000),
        expected: short(error.expected, 1_000),
        actual: short(error.actual, 1_000),
        own_frames: short(shortStack(error.stack), 2_000),
      },
    },
    usual_duration_ms: usualDuration(view.outcomes),
    run: view.run && {
      id: view.run.id,
      label: view.run.label,
      branch: view.run.branch,
      commit: view.run.commit,
    },
    project: { id: view.project.id, name: view.project.name },
    test: view.test && {
      id: view.test.id,
      // Of its worst line: as in the API, and in the word that every page has.
      state: line!.state,
      status: stateName(line!),
      environment_key: line!.environment_key,
      // In the environment of the result.
      failure_rate: view.test.failure_rate,
      known_failure: view.test.known_failure,
    },
  };
  const lists = {
    attempts: view.attempts.map(({ result_id, attempt, status }) => ({ result_id, attempt, status })),
    same_error_in_run: view.together.results.map(({ id, name }) => ({ id, name })),
    same_error_in_runs: view.elsewhere.runs,
    artifacts: view.artifacts.map(({ artifact_id, label, content_type, size_bytes }) => ({
      artifact_id,
      url: links.artifact(artifact_id),
      label,
      content_type,
      size_bytes,
    })),
  };
  return jsonWithin(head, lists);
}
