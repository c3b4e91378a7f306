/** One test as text: its state with the reason, what it fails with, and its last outcomes. */
import { usualDuration, type Outcome } from '../result/load.js';
import { errorGroups, type TestView } from './load.js';
import { inEnvironment, isInEnvironments, knownWhere } from './in-environment.js';
import { failsInWords, stateName, stateInWords } from './state.js';
import { duration, utc } from '../../parts/time.js';
import type { TextLinks } from '../../text/links.js';
import { inMarkdown, jsonWithin, listWithin, withinBytes } from '../../text/text-page.js';

/** Rows of the list of outcomes. */
const OUTCOMES = 50;

export function testMarkdown(view: TestView, links: TextLinks): string {
  const { test, project, outcomes, branch, environment, total, line } = view;
  const { name, rule, evidence } = stateInWords(line.test, line.outcomes);
  const fails = failsInWords(line.test, line.total);
  const usual = usualDuration(line.outcomes);
  const where = isInEnvironments(test) ? ` ${inMarkdown(inEnvironment(line), 300)}` : '';
  const groups = errorGroups(outcomes);
  return withinBytes(
    [
      `# ${inMarkdown(test.name, 200)}`,
      [
        `- State: ${name}${where}. ${rule}`,
        ...evidence.map(
          (each) => `- Evidence: ${each.status}, attempt ${each.attempt}, ${links.result(each.result_id)}`,
        ),
        `- Fails: ${fails.share} ${fails.of}${where}`,
        ...(usual === null
          ? []
          : [`- Takes: ${duration(usual.p50)}, rarely over ${duration(usual.p95)}${where}`]),
        ...(test.owner === null ? [] : [`- Owner: ${inMarkdown(test.owner, 200)}`]),
        ...(branch === null ? [] : [`- Branch: ${inMarkdown(branch, 200)}`]),
        ...(environment === null ? [] : [`- Environment: ${inMarkdown(environment || 'none', 300)}`]),
        ...(test.known_failure === null ? [] : [`- Known failure ${knownInMarkdown(test.known_failure)}`]),
      ].join('\n'),
      isInEnvironments(test)
        ? `Environments:\n\n${test.environments
            .map(
              (each) =>
                `- ${inMarkdown(each.environment_key || 'none', 300)}: ${stateName(each)}, fails ${failsInWords(each, each.last_outcomes.length).share}`,
            )
            .join('\n')}`
        : '',
      groups.length === 0
        ? ''
        : `Errors in the last ${outcomes.length} outcomes:\n\n${listWithin(
            groups,
            10,
            (group) =>
              `${group.outcomes.length} × ${inMarkdown(group.title, 200)}, last ${links.result(group.outcomes[0]!.result_id)}`,
          )}`,
      outcomes.length === 0
        ? ''
        : `The last ${Math.min(OUTCOMES, outcomes.length)} outcomes of ${total}, newest first:\n\n${outcomes
            .slice(0, OUTCOMES)
            .map((each) => lineOf(each, isInEnvironments(test), links))
            .join('\n')}`,
      `Project ${inMarkdown(project.name, 100)}: ${links.test(project.id, test.id)}`,
    ],
    links.whole.test(project.id, test.id),
  );
}

function lineOf(outcome: Outcome, isInOne: boolean, links: TextLinks): string {
  const { status, attempt, at, duration_ms, branch, result_id } = outcome;
  const where = [
    ...(branch === null ? [] : [inMarkdown(branch, 60)]),
    ...(isInOne ? [inMarkdown(inEnvironment(outcome), 300)] : []),
  ].map((each) => `, ${each}`);
  return `- ${utc(at)} ${status}, attempt ${attempt}, ${duration(duration_ms)}${where.join('')}, ${links.result(result_id)}`;
}

/** `until 2026-12-01 00:00 UTC on main in os=windows: reason` */
export function knownInMarkdown(known: NonNullable<TestView['test']['known_failure']>): string {
  const where = knownWhere(known);
  return `until ${utc(known.expires_at)}${where === '' ? '' : ` ${inMarkdown(where, 400)}`}: ${inMarkdown(known.reason, 300)}`;
}

/** `test` is as in the API, whose states have no `failing`. `status` is the state in words, as every page says it, of the line that it names. */
export function testJson(view: TestView, links: TextLinks): string {
  const { test, project, outcomes, branch, environment, branches, total, line } = view;
  const { name, rule, evidence } = stateInWords(line.test, line.outcomes);
  const { environment_key } = line;
  const head = {
    url: links.test(project.id, test.id),
    whole: links.whole.test(project.id, test.id),
    test,
    project: { id: project.id, name: project.name },
    branch,
    environment,
    status: { name, environment_key, rule, evidence: evidence.map(({ result_id }) => result_id) },
    usual_duration_ms: usualDuration(line.outcomes),
    outcomes_total: total,
  };
  return jsonWithin(head, {
    errors: errorGroups(outcomes)
      .slice(0, 10)
      .map(({ id, title, outcomes: all }) => ({
        id,
        title,
        failures: all.length,
        last: all[0]!.result_id,
      })),
    branches: branches.slice(0, 20).map(({ name: of, newest }) => ({ name: of, status: newest.status })),
    outcomes: outcomes
      .slice(0, OUTCOMES)
      .map(({ result_id, status, attempt, at, duration_ms, branch: on, environment_key: key }) => ({
        result_id,
        status,
        attempt,
        at,
        duration_ms,
        branch: on,
        environment_key: key,
      })),
  });
}
