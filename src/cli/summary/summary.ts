/** The summary of a run for people, within the size that CI servers show. It is pure: facts in, text out. */
import { isWebUrl, runPageUrl, type GroupFacts, type Result, type RunFacts } from './facts.js';
import { fit, leftOutWords, type Section } from '../../domain/text/fit.js';
import { markupOf, type Markup, type SummaryFormat } from './markup.js';
import { capitalized, counted, number } from '../../domain/text/amounts.js';
import { missingTestsText, noBaselineText, passedOverText } from '../../domain/text/baseline.js';
import { firstLines, onOneLine } from '../../domain/text/harmless.js';
import { judge } from '../gate/judge.js';
import { signOf, verdictOf } from './verdict.js';

/** GitHub takes 65,535 bytes in a comment. */
export const SUMMARY_BYTES = 60_000;

const NAME_LENGTH = 300;
const MESSAGE = { lines: 12, length: 1_200 };
const COMMIT_LENGTH = 10;

/** Returns at most `SUMMARY_BYTES` bytes of UTF-8. The first line is the verdict. */
export function summarize(facts: RunFacts, format: SummaryFormat, bytes = SUMMARY_BYTES): string {
  const markup = markupOf(format);
  const url = runPageUrl(facts.server, facts.run.id);
  return fit(headOf(facts, markup), sectionsOf(facts, markup), {
    bytes,
    leftOut: (missing) => `${leftOutWords(missing)} ${markup.link('The run has all of them', url)}.`,
  });
}

function headOf(facts: RunFacts, markup: Markup): string {
  const { run, comparison, server, project } = facts;
  const { baseline } = comparison;
  const parts = [
    name(project.name, markup),
    ...(run.label === null ? [] : [name(run.label, markup)]),
    ...(run.branch === null ? [] : [`branch ${name(run.branch, markup)}`]),
    ...(run.commit === null ? [] : [`commit ${commit(run.commit, markup)}`]),
    markup.link('run', runPageUrl(server, run.id)),
    ...(baseline === null ? [] : [markup.link('baseline', runPageUrl(server, baseline.id))]),
    ...(isWebUrl(run.ci_url) ? [markup.link('CI', run.ci_url)] : []),
  ];
  const said = saidOf(facts, markup).map((text) => `\n\n${capitalized(text)}.`);
  const head = `### ${signOf(facts)} ${verdictOf(facts, markup.inline)}${gateOf(facts, markup)}`;
  return `${head}\n\n${parts.join(' · ')}${said.join('')}`;
}

/** What `testledger gate` says without flags. */
function gateOf(facts: RunFacts, markup: Markup): string {
  if (facts.run.gate === null || !facts.isCurrent) return '';
  const { passes, reasons } = judge({}, facts);
  return passes ? '\n\nGate passed' : `\n\n**Gate failed**: ${markup.inline(reasons.join(', '))}`;
}

/** What is said of the baseline. What has not come yet is not missing. */
function saidOf({ run, comparison, project }: RunFacts, markup: Markup): string[] {
  const branch = name(project.default_branch, markup);
  const missing = run.status === 'completed' ? missingTestsText(comparison, branch) : '';
  return [noBaselineText(comparison, branch), missing, passedOverText(comparison)].filter(
    (text) => text !== '',
  );
}

/** In the order of their importance. A group of one test is a single failure. */
function sectionsOf(facts: RunFacts, markup: Markup): Section[] {
  const { groups, groupsTotal, known, flaky, server } = facts;
  const { counts } = facts.comparison;
  const shared = groups.filter(({ tests }) => tests > 1);
  const single = groups.filter(({ tests }) => tests <= 1);
  // The API has them in its order, so it is not known which of the two they are.
  const unread = groupsTotal - groups.length;
  return [
    {
      heading: '#### Failures with one cause',
      items: shared.map((group) => groupItem(group, server, markup)),
      total: shared.length,
      thing: ['group of failures', 'groups of failures'],
    },
    {
      heading: shared.length === 0 ? '#### Failures' : '#### Single failures',
      items: single.map((group) => groupItem(group, server, markup)),
      total: single.length + unread,
      thing: unread > 0 ? ['other cause of failures', 'other causes of failures'] : ['failure', 'failures'],
    },
    listOf('#### Flaky', flaky, { total: counts.flaky, thing: ['flaky result', 'flaky results'] }, markup),
    listOf('#### Known', known, { total: counts.known, thing: ['known failure', 'known failures'] }, markup),
  ];
}

/** With the message of one failure, which is enough to begin with. */
function groupItem(group: GroupFacts, server: string, markup: Markup): string {
  const { title, results, tests, example, names } = group;
  const isShared = tests > 1;
  const facts = [
    group.new ? '**new**' : 'not new',
    ...(isShared ? [`${counted(results, 'result')} of ${counted(tests, 'test')}`] : []),
    firstSeen(group, server, markup),
    ...(example?.owner ? [`owner ${name(example.owner, markup)}`] : []),
    ...(example?.file ? [name(placeOf(example), markup)] : []),
  ];
  // Two spaces at its end break a line.
  const blocks = [
    `${name(isShared ? title : (names[0] ?? example?.name ?? title), markup)}  \n${facts.join(' · ')}`,
  ];
  const message = example?.error?.message ?? example?.error_message ?? '';
  if (message.trim() !== '') blocks.push(markup.lines(firstLines(message, MESSAGE)));
  if (isShared && names.length > 0) {
    const lines = names.map((test) => `- ${name(test, markup)}`);
    if (tests > names.length) lines.push(`- and ${number(tests - names.length)} more`);
    blocks.push(markup.folded(counted(tests, 'test'), lines.join('\n')));
  }
  return blocks.join('\n\n');
}

function firstSeen({ first_seen: seen }: GroupFacts, server: string, markup: Markup): string {
  const day = seen.at.slice(0, 'YYYY-MM-DD'.length);
  const where = seen.run_id === null ? markup.inline(day) : markup.link(day, runPageUrl(server, seen.run_id));
  return `first seen ${where}${seen.commit === null ? '' : ` at ${commit(seen.commit, markup)}`}`;
}

function listOf(
  heading: string,
  results: readonly Result[],
  { total, thing }: Pick<Section, 'total' | 'thing'>,
  markup: Markup,
): Section {
  const items = results.map(
    (result) =>
      `- ${name(result.name, markup)}${result.owner === null ? '' : ` · owner ${name(result.owner, markup)}`}`,
  );
  return { heading, items, total, thing };
}

function placeOf({ file, line }: Result): string {
  return line === null ? String(file) : `${file}:${line}`;
}

function name(text: string, markup: Markup): string {
  return markup.code(onOneLine(text, NAME_LENGTH));
}

function commit(text: string, markup: Markup): string {
  return markup.code(onOneLine(text.slice(0, COMMIT_LENGTH), COMMIT_LENGTH));
}
