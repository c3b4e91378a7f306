/** One group of failures as text: what it is, since when, its newest failure, and the runs in which it was seen. */
import type { components } from '../../../client/api.generated.js';
import { counted } from '../../../domain/text/amounts.js';
import type { PageApi } from '../../page-api.js';
import type { Text } from '../../page.js';
import { withoutAnsi } from '../../parts/texts/ansi.js';
import { utc } from '../../parts/time.js';
import type { TextLinks } from '../../text/links.js';
import { placeOf } from '../../text/short.js';
import { codeInMarkdown, inMarkdown, jsonWithin, markdownPage } from '../../text/text-page.js';
import { stateWords } from './state.js';

type Schemas = components['schemas'];

type Cause = Schemas['ProjectFailureGroupWithOutcomes'];
type KnownFailureGroup = Schemas['KnownFailureGroup'];

export type GroupView = Schemas['ProjectFailure'] & { project: Schemas['Project'] };

const RUNS = 50;

/** @throws AppError `not_found` */
export async function loadGroup(
  api: Pick<PageApi, 'get'>,
  { project, group }: { project: string; group: string },
): Promise<GroupView> {
  const [{ data }, found] = await Promise.all([
    api.get('/v1/projects/{id}', { params: { id: project } }),
    api.get('/v1/projects/{id}/failures/{group}', {
      params: { id: project, group },
      query: { per_page: RUNS },
    }),
  ]);
  return { ...found, project: data };
}

export function groupMarkdown(view: GroupView, links: TextLinks): Text {
  const { data: group, runs, pagination, project } = view;
  const { example, first_seen, last_seen } = group;
  const message = messageOf(example);
  const head = [
    `# ${inMarkdown(group.title)}`,
    [
      `${counted(group.results, 'failure', 'failures')} in ${counted(group.runs, 'run', 'runs')}`,
      `grouped by ${group.kind}`,
      ...(group.owner === null ? [] : [`owner ${inMarkdown(group.owner)}`]),
    ].join(' · '),
    [
      `- First seen: ${momentOf(first_seen, links)}`,
      `- Last seen: ${momentOf(last_seen, links)}`,
      ...saidOf(group),
    ].join('\n'),
    ...(group.note === null ? [] : [`Note:\n\n${codeInMarkdown(group.note)}`]),
    ...(example === null
      ? []
      : [
          `Newest failure: ${inMarkdown(example.name)}${placeOf(example) === null ? '' : `, ${inMarkdown(placeOf(example)!)}`} <${links.result(example.id)}.md>`,
        ]),
    ...(message.trim() === '' ? [] : [codeInMarkdown(message.slice(0, 8_000))]),
    `Project ${inMarkdown(project.name, 100)}: <${links.group(project.id, group.group)}>`,
  ].join('\n\n');
  return markdownPage(
    head,
    [
      {
        heading: '## Runs',
        items: runs.map(
          (run) =>
            `- ${momentOf(run, links)}: ${counted(run.tests, 'test', 'tests')}, ${counted(run.results, 'failure', 'failures')}`,
        ),
        total: pagination.total,
        thing: ['run', 'runs'],
      },
    ],
    links.whole.group(project.id, group.group),
  );
}

/** How it stands, and what people said of it. */
function saidOf({ state, state_since, state_by, fixed_after, known_failure, ticket }: Cause): string[] {
  const by = state_by === null ? '' : `, as ${inMarkdown(state_by, 100)} said`;
  const fixed =
    fixed_after === null ? '' : `; fixed by itself if runs do not see it until ${utc(fixed_after)}`;
  return [
    `- State: ${stateWords[state]} since ${utc(state_since)}${by}${fixed}`,
    ...(known_failure === null ? [] : [`- Known failure: ${knownAs(known_failure)}`]),
    ...(ticket === null ? [] : [`- Ticket: ${addressOf(ticket)}`]),
  ];
}

/** A redaction may have taken it away. */
function addressOf(ticket: string): string {
  return URL.canParse(ticket) ? `<${new URL(ticket).href}>` : inMarkdown(ticket);
}

function knownAs({ reason, by, expires_at, branch, environment_key }: KnownFailureGroup): string {
  const only = [branch, environment_key].flatMap((each) => (each === null ? [] : [inMarkdown(each, 200)]));
  const where = only.length === 0 ? '' : `, only on ${only.join(', ')}`;
  return `${inMarkdown(reason)} (${inMarkdown(by, 100)}), until ${utc(expires_at)}${where}`;
}

function momentOf(
  { run_id, commit, at }: { run_id: string | null; commit: string | null; at: string },
  links: TextLinks,
): string {
  const on = commit === null ? '' : `, commit ${inMarkdown(commit, 60)}`;
  return `${utc(at)}${on}${run_id === null ? '' : ` <${links.run(run_id)}.md>`}`;
}

export function groupJson({ data, runs, pagination, project }: GroupView, links: TextLinks): Text {
  const { example, outcomes, days, branches, environments, ...group } = data;
  const head = {
    url: links.group(project.id, group.group),
    whole: links.whole.group(project.id, group.group),
    ...group,
    project: { id: project.id, name: project.name },
    example: example && {
      id: example.id,
      url: links.result(example.id),
      name: example.name,
      at: placeOf(example),
      owner: example.owner,
      message: messageOf(example) || null,
      stack: example.error?.stack == null ? null : withoutAnsi(example.error.stack),
    },
    runs_total: pagination.total,
  };
  return {
    type: 'application/json',
    text: jsonWithin(head, { runs_seen: runs, branches, environments, days, outcomes }),
  };
}

function messageOf(example: Schemas['TestResult'] | null): string {
  return withoutAnsi(example?.error?.message ?? example?.error_message ?? '');
}
