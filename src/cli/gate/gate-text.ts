/** How a gate is shown: for a person, and as JSON. It is pure. */
import { runPageUrl, runUrl, type GroupFacts, type RunFacts } from '../summary/facts.js';
import { asLogText } from '../../domain/text/harmless.js';
import { capitalized, counted } from '../../domain/text/amounts.js';
import { noBaselineText, passedOverText } from '../../domain/text/baseline.js';
import { verdictOf } from '../summary/verdict.js';
import type { Judgement } from './judge.js';

/** No line begins with a text of a report: a CI server would run a command in it. */
export function gateText(facts: RunFacts, { passes, reasons, settings }: Judgement): string[] {
  const failOn = settings.fail_on;
  const { server, run, comparison, project, groups, groupsTotal } = facts;
  const more = groupsTotal - groups.length;
  const ofBaseline = [
    noBaselineText(comparison, asLogText(project.default_branch)),
    passedOverText(comparison),
  ];
  return [
    passes ? `gate passed (--fail-on ${failOn})` : `gate failed (--fail-on ${failOn}): ${reasons.join(', ')}`,
    verdictOf(facts, asLogText),
    ...ofBaseline.filter((said) => said !== '').map(capitalized),
    ...groups.flatMap(groupLines),
    ...(more > 0 ? [`and ${counted(more, 'more group')} of failures`] : []),
    runPageUrl(server, run.id),
  ];
}

function groupLines({ new: isNew, title, tests, names, first_seen, example }: GroupFacts): string[] {
  const age = isNew ? 'new' : `since ${first_seen.at.slice(0, 'YYYY-MM-DD'.length)}`;
  const owner = example?.owner ? `, owner ${asLogText(example.owner)}` : '';
  const what =
    tests === 1 && names[0] !== undefined ? `${asLogText(names[0])}: ${asLogText(title)}` : asLogText(title);
  if (tests === 1) return [`- ${age}: ${what}${owner}`];
  const shown = names.map((name) => `    ${asLogTextOfTest(name)}`);
  const more = tests - names.length;
  return [
    `- ${age}: ${what} (${counted(tests, 'test')}${owner})`,
    ...shown,
    ...(more > 0 ? [`    and ${more} more`] : []),
  ];
}

/** GitHub takes spaces away before it looks for a command. */
function asLogTextOfTest(name: string): string {
  return `- ${asLogText(name)}`;
}

export function gateJson(
  facts: RunFacts,
  { passes, reasons, codes, settings }: Judgement,
): Record<string, unknown> {
  const { server, run, comparison, groups, groupsTotal } = facts;
  return {
    passed: passes,
    fail_on: settings.fail_on,
    reasons,
    gate_reasons: codes,
    settings,
    run: { id: run.id, run_key: run.run_key, status: run.status, url: runUrl(server, run.id) },
    baseline: comparison.baseline,
    passed_over: comparison.passed_over,
    counts: comparison.counts,
    tests: comparison.tests,
    baseline_tests: comparison.baseline_tests,
    groups_total: groupsTotal,
    groups: groups.map(({ group, title, results, tests, new: isNew, first_seen, names, example }) => ({
      group,
      title,
      results,
      tests,
      new: isNew,
      first_seen,
      names,
      owner: example?.owner ?? null,
    })),
  };
}
