/** The title and the text of the issue of a cause. It is pure. Names and messages come from tests: all are escaped. */
import { dayOf } from '../../../domain/instant.js';
import { counted, number } from '../../../domain/text/amounts.js';
import { asTitle, firstLines, onOneLine } from '../../../domain/text/harmless.js';
import { markupOf, type Markup } from '../../summary/markup.js';
import { runPageUrl } from '../../summary/facts.js';
import type { Cause } from './causes.js';
import { marksOf, type IssueText, type MarkedIssue } from './issues.js';

const TITLE_LENGTH = 180;
const NAME_LENGTH = 200;
const MESSAGE = { lines: 12, length: 1_200 };
const MOST_NAMES = 10;
const MOST_LINES = 10;

/** Both forges show HTML in Markdown. */
const markup = markupOf('github');

export type Place = {
  server: string;
  project: { id: string; name: string; default_branch: string };
  /** The id of the team: the page of a cause is one of a team. */
  team: string;
};

export function issueText(cause: Cause, place: Place): IssueText {
  const { project } = place;
  const { title, group, lastSeen, example } = cause;
  const message = example?.error?.message ?? example?.error_message ?? '';
  const blocks = [
    `${marksOf(project.id, group, lastSeen.run)}\n${stateOf(cause, place)}`,
    name(title),
    factsOf(cause, place),
    ...(message.trim() === '' ? [] : [markup.lines(firstLines(message, MESSAGE))]),
    testsOf(cause, markup),
    FOOT,
  ];
  return { title: `Tests fail: ${asTitle(title, TITLE_LENGTH)}`, body: `${blocks.join('\n\n')}\n` };
}

/** What the issue says from then on: the rest of its text tells of the time before. */
export function goneText(project: string, { body, group, seen }: MarkedIssue): string {
  const rest = body.replaceAll('\r\n', '\n').split('\n').slice(MARK_LINES);
  const before = rest.findIndex((line) => line === '');
  const said = before === -1 ? [] : rest.slice(before);
  return `${[marksOf(project, group, seen), GONE, ...said].join('\n').trimEnd()}\n`;
}

export function duplicateText(project: string, group: string, of: number): string {
  return `${marksOf(project, group, null)}\nDuplicate of #${of}\n`;
}

const MARK_LINES = 2;
const GONE =
  '**Gone**: in the newest runs of the default branch, every test that failed with it ran, and none did.';
const FOOT =
  'Kept by `testledger issues sync`, which writes this text anew. It closes the issue when every test that failed with it has run and none did, and opens it again when one fails with it.';

function stateOf({ results, tests, lastSeen }: Cause, { server, project }: Place): string {
  const commit = lastSeen.commit === null ? '' : ` at commit ${name(lastSeen.commit.slice(0, 10))}`;
  const run = markup.link(dayOf(lastSeen.at), runPageUrl(server, lastSeen.run));
  return `**Fails** on ${name(project.default_branch)}: ${counted(results, 'result')} of ${counted(tests, 'test')}, last seen ${run}${commit}.`;
}

function factsOf({ lines, firstSeen, example, group }: Cause, { server, project, team }: Place): string {
  const first = dayOf(firstSeen.at);
  const page = `${server}/teams/${encodeURIComponent(team)}/projects/${encodeURIComponent(project.id)}/failures/${encodeURIComponent(group)}`;
  const where = lines.slice(0, MOST_LINES).map(name);
  if (lines.length > where.length) where.push(`${number(lines.length - where.length)} more`);
  const file = example?.file ?? null;
  const at = file === null ? '' : example?.line == null ? file : `${file}:${example.line}`;
  return [
    `- Project ${name(project.name)}`,
    `- In ${where.join(' · ')}`,
    `- First seen ${firstSeen.run_id === null ? first : markup.link(first, runPageUrl(server, firstSeen.run_id))}`,
    ...(example?.owner ? [`- Owner ${name(example.owner)}`] : []),
    ...(at === '' ? [] : [`- ${name(at)}`]),
    `- ${markup.link('All runs in which it was seen', page)}`,
  ].join('\n');
}

function testsOf({ names, tests }: Cause, { folded }: Markup): string {
  const shown = names.slice(0, MOST_NAMES).map((each) => `- ${name(each)}`);
  if (tests > shown.length) shown.push(`- and ${number(tests - shown.length)} more`);
  return folded(counted(tests, 'test'), shown.join('\n'));
}

function name(text: string): string {
  return markup.code(onOneLine(text, NAME_LENGTH));
}
