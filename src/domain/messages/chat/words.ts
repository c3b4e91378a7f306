/**
 * What a message says in a chat, in plain words. A new type of messages puts its words into `words`; until then a message says
 * when its type is sent, of what, and leads to the page of that.
 */
import { capitalized, counted, number, some } from '../../text/amounts.js';
import type { Environment } from '../../environment.js';
import { MOST_GROUPS } from '../group-payload.js';
import { messageTypes, type MessageType } from '../message-types.js';

/** The parts of payloads that are said: `data` of each type has some of them. */
export type ToldData = {
  test?: { id: string; name: string; project_id: string } | null;
  result?: ToldResult | null;
  run?: ToldRun | null;
  project?: { project_id: string; name: string } | null;
  /** In messages about groups it is the id, and the other fields of the group stand beside it. */
  group?: string | { id: string; title: string } | null;
  title?: string;
  tests?: number;
  results?: number;
  /** In a digest it is a number. */
  new?: boolean | number;
  owners?: readonly string[];
  examples?: readonly ToldResult[];
  failures?: readonly { group: string; title: string; tests: number; new: boolean }[];
  known?: boolean;
  environment?: Environment | null;
  gate?: 'passed' | 'failed' | null;
  webhook_id?: string;
  branch?: string | null;
  tool?: string | null;
  day?: string;
  fixed?: number;
  flaky?: number;
  known_ending?: number;
  lost_ms?: number;
};

type Metadata = Record<string, unknown> | null;
type ToldResult = {
  test_result_id: string;
  test_name: string;
  error_message: string | null;
  metadata?: Metadata;
};
type ToldRun = {
  test_run_id: string;
  label: string | null;
  metadata: Metadata;
  counts: Record<'passed' | 'failed' | 'skipped' | 'known_fail', number>;
};

/** One thing of several that a message is about. `path`: of its page on this server. */
export type Item = { title: string; path: string; more?: string };

export type Words = {
  title: string;
  path: string;
  /** Stands below the title. */
  text?: string | null;
  items?: readonly Item[];
  /** Of how many the items are the first; null where nobody has counted them. */
  total?: number | null;
};

/** Without a path, the title leads to the page of what the message is about. */
type Say = (data: ToldData, team: string) => Omit<Words, 'path'> & { path?: string };

const words: Readonly<Partial<Record<MessageType, Say>>> = {
  'test.failed': ({ result, group, known }) => ({
    title: `${known === true ? 'Known failure' : 'Failed'}: ${result?.test_name ?? 'a test'}`,
    text: (typeof group === 'object' ? group?.title : null) ?? result?.error_message ?? null,
  }),

  'test.recovered': ({ result }) => ({ title: `Passes again: ${result?.test_name ?? 'a test'}` }),

  'test.flaky': ({ test }) => ({ title: `Flaky: ${test?.name ?? 'a test'}` }),

  'run.completed': ({ run, project, gate, failures = [] }) => ({
    title: `Run completed: ${run == null ? 'it is deleted' : countsText(run)}`,
    text: gate == null ? null : `Gate: ${gate}`,
    items: failures.map(({ group, title, tests, new: isNew }) => ({
      title,
      path: groupPath(project, group),
      more: `${counted(tests, 'test')}${isNew ? ', new' : ''}`,
    })),
    total: failures.length < MOST_GROUPS ? failures.length : null,
  }),

  'group.failed': ({ title = '', tests = 0, results = 0, new: isNew, examples = [] }) => ({
    title: `${counted(tests, 'test')} failed of ${isNew === true ? 'a new' : 'one'} cause: ${title}`,
    items: examples.map(itemOf),
    total: results,
  }),

  'group.new': ({ title = '', group, project }) => ({
    title: `New cause of failures: ${title}`,
    ...(project != null && typeof group === 'string' && { path: groupPath(project, group) }),
  }),

  'group.gone': ({ title = '' }) => ({ title: `Gone from the default branch: ${title}` }),

  'group.back': ({ title = '', results = 0, examples = [] }) => ({
    title: `Back on the default branch: ${title}`,
    items: examples.map(itemOf),
    total: results,
  }),

  'main.red': ({ branch, tool }) => ({ title: `${trackText(branch, tool)} is red` }),

  'main.green': ({ branch, tool }) => ({ title: `${trackText(branch, tool)} is green again` }),

  'digest.daily': (
    { day, new: isNew, fixed = 0, flaky = 0, known_ending = 0, lost_ms = 0, project },
    team,
  ) => {
    const minutes = Math.round(lost_ms / 60_000);
    const also = [
      ...(known_ending === 0
        ? []
        : [`${counted(known_ending, 'known failure ends', 'known failures end')} today`]),
      ...(minutes === 0 ? [] : [`${counted(minutes, 'minute')} lost`]),
    ];
    return {
      title: `${day}: ${counted(Number(isNew), 'new cause')}, ${number(fixed)} gone, ${counted(flaky, 'flaky test')}`,
      text: also.length === 0 ? null : also.join(' · '),
      ...(project != null && { path: `teams/${team}/projects/${project.project_id}` }),
    };
  },

  'webhook.ping': ({ webhook_id }, team) => ({
    title: 'A ping of testledger: this webhook works',
    path: `teams/${team}/team/webhooks/${webhook_id}`,
  }),
};

/** `type`: also one that has no words of its own. */
export function wordsOf(type: MessageType, data: ToldData, team: string): Words {
  return { path: pathOf(data), ...(words[type] ?? sayWhen(type))(data, team) };
}

/** `A test becomes flaky: pays by card` */
function sayWhen(type: MessageType): Say {
  return ({ test, result, title, group, project }) => {
    const group_title = title ?? (typeof group === 'object' ? group?.title : undefined);
    const name = test?.name ?? result?.test_name ?? group_title ?? project?.name;
    const when = capitalized(messageTypes[type].when);
    return { title: name === undefined ? when : `${when}: ${name}` };
  };
}

function itemOf({ test_name, test_result_id }: ToldResult): Item {
  return { title: test_name, path: `results/${test_result_id}` };
}

/** `main (playwright)` */
function trackText(branch: string | null | undefined, tool: string | null | undefined): string {
  return `${branch ?? 'The default branch'}${tool == null ? '' : ` (${tool})`}`;
}

function countsText({ counts: { failed, passed, skipped, known_fail } }: ToldRun): string {
  return [
    `${number(failed)} failed`,
    ...some(passed, 'passed'),
    ...some(skipped, 'skipped'),
    ...some(known_fail, 'known to fail'),
  ].join(', ');
}

/** The page that says most of what a message is about; the first page of the server where it is about nothing with one. */
function pathOf({ test, result, run, group, project }: ToldData): string {
  if (result != null) return `results/${result.test_result_id}`;
  if (test != null) return `tests/${test.id}`;
  if (group != null) return groupPath(project, typeof group === 'string' ? group : group.id);
  return run == null ? '' : `runs/${run.test_run_id}`;
}

function groupPath(project: ToldData['project'], group: string): string {
  return project == null ? '' : `groups/${project.project_id}/${group}`;
}
