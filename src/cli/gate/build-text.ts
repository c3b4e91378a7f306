/** How the gate of a whole build is shown: for a person, and as JSON. It is pure. */
import type { RunFacts } from '../summary/facts.js';
import { asLogText } from '../../domain/text/harmless.js';
import { counted } from '../../domain/text/amounts.js';
import { NEEDS } from './earlier-starts.js';
import { gateJson, gateText } from './gate-text.js';
import type { Judgement } from './judge.js';

export type JudgedRun = { facts: RunFacts; judgement: Judgement };

/** `expected`: null where the command names no number of runs. */
export type JudgedBuild = {
  build: string;
  expected: number | null;
  runs: readonly JudgedRun[];
  /** The number of runs of earlier starts of the build that do not count. */
  outdated: number;
  /** The runs are all that have come. */
  isCurrent: boolean;
};

export function buildPasses(judged: JudgedBuild): boolean {
  return reasonsOf(judged).length === 0;
}

/** A run that is missing cannot pass: its job may have died before it reported. */
function reasonsOf({ expected, runs, outdated, isCurrent }: JudgedBuild): string[] {
  const failed = runs.filter(({ judgement }) => !judgement.passes).length;
  return [
    ...(isCurrent ? [] : ['the server is behind: it may have more runs']),
    ...(expected !== null && runs.length < expected
      ? [`only ${runs.length} of ${counted(expected, 'run')} came`]
      : []),
    ...(outdated > 0
      ? [`${counted(outdated, 'run')} of an earlier attempt may have been started again (set ${NEEDS})`]
      : []),
    ...(failed > 0 ? [`${failed} of ${counted(runs.length, 'run')} failed`] : []),
  ];
}

/** No line begins with a text of a report: a CI server would run a command in it. */
export function buildText(judged: JudgedBuild): string[] {
  const { build, runs } = judged;
  const reasons = reasonsOf(judged);
  const of = `of build ${asLogText(build)}`;
  return [
    reasons.length === 0
      ? `gate passed: ${counted(runs.length, 'run')} ${of}`
      : `gate failed ${of}: ${reasons.join(', ')}`,
    ...runs.flatMap(({ facts, judgement }) => [
      `run ${asLogText(nameOf(facts))}`,
      ...gateText(facts, judgement).map((line) => `  ${line}`),
    ]),
  ];
}

function nameOf({ run }: RunFacts): string {
  const name = run.label ?? run.run_key ?? run.id;
  // A run key of the command ends with the environment.
  return run.environment_key === '' || name.endsWith(` ${run.environment_key}`)
    ? name
    : `${name}, ${run.environment_key}`;
}

export function buildJson(judged: JudgedBuild): Record<string, unknown> {
  const { build, expected, runs } = judged;
  const reasons = reasonsOf(judged);
  return {
    passed: reasons.length === 0,
    build,
    expected,
    reasons,
    runs: runs.map(({ facts, judgement }) => gateJson(facts, judgement)),
  };
}
