/** A run as Markdown and as JSON: the verdict, then groups, then single results. */
import { capitalized } from '../../../domain/text/amounts.js';
import { missingTestsText, noBaselineText, passedOverText } from '../../../domain/text/baseline.js';
import { onOneLine, firstLines } from '../../../domain/text/harmless.js';
import type { Text } from '../../page.js';
import { outcomeWord } from '../../parts/outcome.js';
import type { TextLinks } from '../../text/links.js';
import { placeOf } from '../../text/short.js';
import { codeInMarkdown, inMarkdown, jsonPage, markdownPage } from '../../text/text-page.js';
import { missingShards, gateReasonsOf, verdictOf } from '../../text/verdict.js';
import {
  nameOf,
  type Group,
  type ListedKind,
  type Result,
  type RunFacts,
  type RunLists,
} from './read-run.js';
import { isShared, testsOf } from './groups.js';
import { messageOf } from './result-rows.js';

const kinds: readonly { kind: ListedKind; title: string; thing: readonly [string, string] }[] = [
  { kind: 'flaky', title: 'Flaky', thing: ['flaky result', 'flaky results'] },
  { kind: 'known', title: 'Known failures', thing: ['known failure', 'known failures'] },
  { kind: 'slower', title: 'Slower', thing: ['slower result', 'slower results'] },
  { kind: 'fixed', title: 'Fixed', thing: ['fixed result', 'fixed results'] },
  { kind: 'removed', title: 'Removed', thing: ['removed test', 'removed tests'] },
  { kind: 'added', title: 'Added', thing: ['added test', 'added tests'] },
];

export function runMarkdown(facts: RunFacts, lists: RunLists, links: TextLinks): Text {
  const { run, comparison, baseline } = facts;
  const verdict = verdictOf(facts);
  const shared = lists.groups.filter(isShared);
  const single = lists.groups.filter((group) => !isShared(group));
  const unread = lists.groupsTotal - lists.groups.length;
  const missing = run.shards === null ? null : missingShards(run.shards);
  const head = [
    `# ${[verdict.head, ...verdict.rest].map((part) => inMarkdown(part)).join(' · ')}`,
    aboutOf(facts),
    ...(run.status === 'completed' ? [] : [`The run is ${run.status}.`]),
    ...(missing === null ? [] : [`Missing shards: ${missing}.`]),
    ...(baseline === null
      ? []
      : [`Compared with ${inMarkdown(nameOf(baseline))}: <${links.run(baseline.id)}.md>`]),
    ...saidOf(facts),
  ].join('\n\n');
  return markdownPage(
    head,
    [
      {
        heading: '## Failures with one cause',
        items: shared.map((group) => groupItem(group, links)),
        total: shared.length,
        thing: ['group of failures', 'groups of failures'],
      },
      {
        heading: '## Single failures',
        items: single.map((group) => groupItem(group, links)),
        total: single.length + unread,
        thing: ['other cause of failures', 'other causes of failures'],
      },
      ...kinds.map(({ kind, title, thing }) => ({
        heading: `## ${title}`,
        items: lists.results[kind].map(
          (result) =>
            `- ${inMarkdown(result.name)}${kind === 'removed' ? ` (${outcomeWord(result.status)} in the baseline)` : ''} <${links.result(result.id)}.md>`,
        ),
        total: comparison.counts[kind],
        thing,
      })),
    ],
    links.whole.run(run.id),
  );
}

/** What else is said of the comparison. */
function saidOf({ run, comparison, baseline, project }: RunFacts): string[] {
  const why = gateReasonsOf({ run, comparison });
  const said = [
    why === '' ? '' : `the gate failed: ${why}`,
    noBaselineText(comparison, inMarkdown(project.default_branch)),
    passedOverText(comparison),
    // What has not come yet is not missing.
    run.status === 'completed'
      ? missingTestsText(comparison, inMarkdown(baseline?.branch ?? 'the baseline'))
      : '',
    ...(run.baseline === null ? [] : [`as a baseline, this run is ${run.baseline}, as somebody said`]),
  ];
  return said.filter((text) => text !== '').map((text) => `${capitalized(text)}.`);
}

function aboutOf({ run, project }: RunFacts): string {
  const parts = [
    inMarkdown(project.name),
    inMarkdown(nameOf(run)),
    ...(run.branch === null ? [] : [`branch ${inMarkdown(run.branch)}`]),
    ...(run.commit === null ? [] : [`commit ${inMarkdown(run.commit, 40)}`]),
    ...(run.pull_request === null ? [] : [`pull request ${inMarkdown(run.pull_request)}`]),
    ...(run.actor === null ? [] : [`by ${inMarkdown(run.actor)}`]),
    ...(run.environment_key === '' ? [] : [`environment ${inMarkdown(run.environment_key)}`]),
    ...(run.gate === null ? [] : [`gate ${run.gate}`]),
  ];
  return parts.join(' · ');
}

function groupItem(group: Group, links: TextLinks): string {
  const { title, example, first_seen, first_results = [] } = group;
  const isOne = !isShared(group);
  const facts = [
    group.new ? '**new**' : 'not new',
    ...(isOne ? [] : [testsOf(group)]),
    `first seen ${first_seen.at}${first_seen.commit === null ? '' : ` at ${inMarkdown(first_seen.commit, 12)}`}`,
    ...(example?.owner == null ? [] : [`owner ${inMarkdown(example.owner)}`]),
    ...(example === null || placeOf(example) === null ? [] : [inMarkdown(placeOf(example)!)]),
  ];
  const name = isOne && example !== null ? example.name : title;
  const lines = [`### ${inMarkdown(name)}`, facts.join(' · ')];
  const message = example?.error?.message ?? example?.error_message ?? '';
  if (message.trim() !== '') lines.push(codeInMarkdown(message.slice(0, 8_000)));
  if (isOne && example !== null) lines.push(`<${links.result(example.id)}.md>`);
  else {
    const tested = first_results.map(({ id, name }) => `- ${inMarkdown(name)} <${links.result(id)}.md>`);
    lines.push(tested.join('\n'));
  }
  return lines.join('\n\n');
}

/** `counts` has superseded attempts among the failed ones. The verdict follows from `standing_counts`, which has not. */
const shown = [
  ...([
    'label',
    'status',
    'outcome',
    'baseline',
    'empty',
    'gate',
    'gate_reasons',
    'gate_settings',
    'counts',
    'standing_counts',
    'started_at',
    'finished_at',
    'duration_ms',
  ] as const),
  ...(['branch', 'commit', 'environment_key', 'pull_request', 'actor', 'ci_url'] as const),
];

/** The order of the lists is that of their importance. */
export function runJson(facts: RunFacts, lists: RunLists, links: TextLinks): Text {
  const { run, project, comparison } = facts;
  const { head, rest } = verdictOf(facts);
  const results = Object.fromEntries(
    kinds.map(({ kind }) => [
      kind,
      lists.results[kind].map((result) => (kind === 'removed' ? ofBaseline(result) : shortResult(result))),
    ]),
  );
  const content = {
    id: run.id,
    url: links.run(run.id),
    whole: links.whole.run(run.id),
    verdict: [head, ...rest].join(' · '),
    project: { id: project.id, name: project.name },
    ...Object.fromEntries(shown.map((field) => [field, run[field]])),
    missing_shards: run.shards === null ? null : missingShards(run.shards),
    comparison,
    groups_total: lists.groupsTotal,
    groups: lists.groups.map((group) => shortGroup(group, links)),
    ...results,
  };
  return jsonPage(content, ['groups', ...kinds.map(({ kind }) => kind)]);
}

function shortGroup(group: Group, links: TextLinks) {
  const { title, kind, results, tests, first_seen, example, first_results } = group;
  return {
    group: group.group,
    title: onOneLine(title, 300),
    kind,
    new: group.new,
    results,
    tests,
    first_seen,
    example: example === null ? null : { ...shortResult(example), url: links.result(example.id) },
    first_results,
  };
}

/** The test did not finish in this run, so nothing may look like its outcome here. */
function ofBaseline(result: Result) {
  const { id, name, status, ...rest } = shortResult(result);
  return { id, name, status_in_baseline: status, ...rest };
}

function shortResult(result: Result) {
  const { id, name, status, owner, duration_ms, attempt, error, error_message } = result;
  const whole = error?.message ?? error_message ?? '';
  const message =
    whole === '' ? messageOf(result) : firstLines(whole.slice(0, 4_000), { lines: 8, length: 600 });
  return {
    id,
    name,
    status,
    at: placeOf(result),
    owner,
    duration_ms,
    attempt,
    message: message === '' ? null : message,
  };
}
