/** The state of a test in words: what it is, by which rule, and what shows it (docs/api.md, section 5.2). */
import type { components } from '../../../client/api.generated.js';
import { WINDOW } from '../../../domain/test-history/test-history.js';
import type { Outcome } from '../result/load.js';

type Test = components['schemas']['Test'];

export type StateName = 'flaky' | 'broken' | 'failing' | 'stable';

export type StateInWords = {
  name: StateName;
  rule: string;
  /** Outcomes that show it, as far as they are among those given: the earlier one first. */
  evidence: readonly Outcome[];
};

/** As the badges of outcomes look. */
export const looks = { failing: 'failed', broken: 'failed', flaky: 'flaky', stable: 'passed' } as const;

/** Of a line, or of a test in one environment. Of a test as a whole, that of its worst line. */
export function stateName({ state, last_outcomes }: Pick<Test, 'state' | 'last_outcomes'>): StateName {
  if (state !== 'stable') return state;
  const newest = last_outcomes.find((outcome) => outcome === 'passed' || outcome === 'failed');
  return newest === 'failed' ? 'failing' : 'stable';
}

export type Line = Pick<Test['environments'][number], 'environment_key' | 'state' | 'last_outcomes'>;

/** That which says the state of the test, so that every page and every format has the same word: a pass elsewhere hides nothing. */
export function worstLine(
  test: Pick<Test, 'state' | 'last_outcomes'> & { environments: readonly Line[] },
): Line {
  return worst(test.environments) ?? { ...test, environment_key: '' };
}

/** Of lines that are as bad the first one. */
export function worst<L extends Line>(lines: readonly L[]): L | undefined {
  const rank = (line: L) => worstFirst.indexOf(stateName(line));
  return lines.toSorted((one, other) => rank(one) - rank(other))[0];
}

const worstFirst: readonly StateName[] = ['broken', 'flaky', 'failing', 'stable'];

/** Of a line. `outcomes`: its own, newest first. */
export function stateInWords(
  line: Pick<Line, 'state' | 'last_outcomes'>,
  outcomes: readonly Outcome[],
): StateInWords {
  const name = stateName(line);
  switch (name) {
    case 'broken':
      return {
        name,
        rule: 'A test is broken when it failed in each of its last 20 runs. The first pass ends that.',
        evidence: outcomes.filter(({ status }) => status === 'failed').slice(0, 1),
      };
    case 'flaky':
      return {
        name,
        rule: 'A test is flaky when, within its last 50 outcomes, it failed and then passed in a later attempt of the same run, or failed and passed at the same commit. After 20 outcomes in a row without new evidence it is stable again.',
        evidence: passedLater(outcomes) ?? bothInOneRun(outcomes) ?? [],
      };
    case 'stable':
      return {
        name,
        rule: outcomes.some(isVerdict)
          ? 'There is no evidence that it is flaky, and it passed last.'
          : 'There is no evidence that it is flaky. None of its last outcomes is a pass or a failure.',
        evidence: [],
      };
    case 'failing': {
      const verdicts = outcomes.filter(isVerdict);
      const row = verdicts.findIndex(({ status }) => status === 'passed');
      // An attempt that came after the one that replaces it still is the last outcome.
      const failures = Math.max(1, row === -1 ? verdicts.length : row);
      const times = failures === 1 ? 'Its last outcome' : `Its last ${failures} outcomes`;
      return {
        name,
        rule: `${times} failed. It counts as broken after 20 failed runs in a row.`,
        evidence: (row === 0 ? outcomes : verdicts)
          .filter(({ status }) => status === 'failed')
          .slice(failures - 1, failures),
      };
    }
  }
}

/** `total`: the number of its outcomes, on the branch of `failure_rate`. */
export function failsInWords(
  { failure_rate }: Pick<Test, 'failure_rate'>,
  total: number,
): { share: string; of: string } {
  if (total === 0) return { share: '–', of: 'no outcome yet' };
  const of = total === 1 ? 'of its only outcome' : `of its last ${Math.min(total, WINDOW)} outcomes`;
  return { share: `${Math.round(failure_rate * 100)} %`, of };
}

function isVerdict({ status, superseded_by }: Outcome): boolean {
  return (status === 'passed' || status === 'failed') && superseded_by === null;
}

/** Of two lines, which are no evidence of each other. */
function isElsewhere(one: Outcome, other: Outcome): boolean {
  return one.environment_key !== other.environment_key;
}

function passedLater(outcomes: readonly Outcome[]): [Outcome, Outcome] | null {
  for (const [n, pass] of outcomes.entries()) {
    if (pass.status !== 'passed' || pass.attempt === 1 || pass.test_run_id === null) continue;
    const failure = outcomes
      .slice(n + 1)
      .find(
        (other) =>
          other.status === 'failed' &&
          !isElsewhere(other, pass) &&
          other.test_run_id === pass.test_run_id &&
          other.attempt < pass.attempt,
      );
    if (failure !== undefined) return [failure, pass];
  }
  return null;
}

/** Both outcomes in one run are at one commit. */
function bothInOneRun(outcomes: readonly Outcome[]): [Outcome, Outcome] | null {
  for (const [n, later] of outcomes.entries()) {
    if (later.test_run_id === null || (later.status !== 'passed' && later.status !== 'failed')) continue;
    const earlier = outcomes
      .slice(n + 1)
      .find(
        (other) =>
          other.test_run_id === later.test_run_id &&
          !isElsewhere(other, later) &&
          (other.status === 'passed' || other.status === 'failed') &&
          other.status !== later.status,
      );
    if (earlier !== undefined) return [earlier, later];
  }
  return null;
}
