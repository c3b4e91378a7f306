/** One test as text: its state with the reason, what it fails with, and its last outcomes. */
import { usualDuration, type Outcome } from '../result/load.js';
import { errorGroups, type TestView } from './load.js';
import { isInEnvironments } from './environments.js';
import { failsInWords, stateName, stateInWords } from './state.js';
import { duration, utc } from '../../parts/time.js';
import { inMarkdown, jsonWithin, withinBytes } from '../../text/text-page.js';

/** Rows of the list of outcomes. */
const OUTCOMES = 50;

/** `base`: the address of the team. */
export function testMarkdown(view: TestView, base: string): string {
  const { test, project, outcomes, branch, environment, total } = view;
  const { name, rule, evidence } = stateInWords(test, outcomes);
  const fails = failsInWords(test, total);
  const usual = usualDuration(outcomes);
  const known = test.known_failure;
  const groups = errorGroups(outcomes).slice(0, 10);
  const path = `${base}/projects/${project.id}/tests/${test.id}`;
  return withinBytes([
    `# ${inMarkdown(test.name, 200)}`,
    [
      `- State: ${name}. ${rule}`,
      ...evidence.map(
        (each) => `- Evidence: ${each.status}, attempt ${each.attempt}, ${base}/results/${each.result_id}`,
      ),
      `- Fails: ${fails.share} ${fails.of}`,
      ...(usual === null ? [] : [`- Takes: ${duration(usual.p50)}, rarely over ${duration(usual.p95)}`]),
      ...(test.owner === null ? [] : [`- Owner: ${inMarkdown(test.owner, 200)}`]),
      ...(branch === null ? [] : [`- Branch: ${inMarkdown(branch, 200)}`]),
      ...(environment === null ? [] : [`- Environment: ${inMarkdown(environment || 'none', 300)}`]),
      ...(known === null
        ? []
        : [`- Known failure until ${utc(known.expires_at)}: ${inMarkdown(known.reason, 300)}`]),
    ].join('\n'),
    isInEnvironments(test)
      ? `Environments:\n\n${test.environments
          .map(
            (line) =>
              `- ${inMarkdown(line.environment_key || 'none', 300)}: ${stateName(line)}, fails ${failsInWords(line, line.last_outcomes.length).share}`,
          )
          .join('\n')}`
      : '',
    groups.length === 0
      ? ''
      : `Errors in the last ${outcomes.length} outcomes:\n\n${groups
          .map(
            (group) =>
              `- ${group.outcomes.length} × ${inMarkdown(group.title, 200)}, last ${base}/results/${group.outcomes[0]!.result_id}`,
          )
          .join('\n')}`,
    outcomes.length === 0
      ? ''
      : `The last outcomes of ${total}, newest first:\n\n${outcomes
          .slice(0, OUTCOMES)
          .map((each) => lineOf(each, base))
          .join('\n')}`,
    `Project ${inMarkdown(project.name, 100)}: ${path}`,
  ]);
}

function lineOf({ status, attempt, at, duration_ms, branch, result_id }: Outcome, base: string): string {
  const where = branch === null ? '' : `, ${inMarkdown(branch, 60)}`;
  return `- ${utc(at)} ${status}, attempt ${attempt}, ${duration(duration_ms)}${where}, ${base}/results/${result_id}`;
}

/** `test` is as in the API, whose states have no `failing`. `status` is the state in words, as every page says it. */
export function testJson({
  test,
  project,
  outcomes,
  branch,
  environment,
  branches,
  total,
}: TestView): string {
  const { name, rule, evidence } = stateInWords(test, outcomes);
  const head = {
    test,
    project: { id: project.id, name: project.name },
    branch,
    environment,
    status: { name, rule, evidence: evidence.map(({ result_id }) => result_id) },
    usual_duration_ms: usualDuration(outcomes),
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
      .map(({ result_id, status, attempt, at, duration_ms, branch: on }) => ({
        result_id,
        status,
        attempt,
        at,
        duration_ms,
        branch: on,
      })),
  });
}
