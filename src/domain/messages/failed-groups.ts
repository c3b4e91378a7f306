/**
 * The failures of a completed run by their groups, as messages tell of them: of each group as many parts as its tests have
 * owners, so that a filter takes the tests of some out of the counts.
 */
import type { EnvironmentKey } from '../environment.js';
import type { FailureGroup } from '../test-history/result-facts.js';

/** `new`: the baseline of the run does not have it, as in the groups of a run. */
export type FailedGroup = {
  group: FailureGroup;
  new: boolean;
  /** An earlier completion of the run told of it. Absent otherwise. */
  told?: true;
  parts: readonly FailedPart[];
};

/** What a filter asks of a failure. `new`: of a result, its test did not fail before; in a run, its group is new there. */
export type FailureTraits = { owner: string | null; known: boolean; new: boolean };

/** A failing result, and the group that it is of. */
export type FailureOfGroup = {
  result_id: string;
  run_id: string | null;
  project_id: string;
  branch: string | null;
  environment: EnvironmentKey;
  owner: string | null;
  known: boolean;
  group: FailureGroup;
};

/**
 * The failing tests of one owner. A test is known where all its failures are. `examples`: the ids of the first results.
 */
export type FailedPart = {
  owner: string | null;
  known: boolean;
  tests: number;
  results: number;
  examples: readonly string[];
};

/** A failing result of a run. */
export type FailureInRun = {
  result_id: string;
  test_id: string;
  owner?: string;
  known: boolean;
  group: FailureGroup;
};

/** In a message. */
export const MOST_EXAMPLES = 5;
/** Together, of a run: failures of more owners count as those of none. */
const MOST_PARTS = 5_000;

/** Of a run, for a message of its own: those of more kinds are left out. */
const MOST_TRAITS = 1_000;

type Test = { owner: string | null; known: boolean; results: string[] };

/** The largest groups first, those of one size in the order of their first failures. */
export function failedGroups(
  failures: readonly FailureInRun[],
  isNew: (group: string) => boolean,
): FailedGroup[] {
  const groups = new Map<string, { group: FailureGroup; results: number; tests: Map<string, Test> }>();
  for (const { result_id, test_id, owner = null, known, group } of failures) {
    let found = groups.get(group.id);
    if (found === undefined) groups.set(group.id, (found = { group, results: 0, tests: new Map() }));
    found.results += 1;
    const test = found.tests.get(test_id);
    if (test === undefined) found.tests.set(test_id, { owner, known, results: [result_id] });
    else {
      Object.assign(test, { owner, known: test.known && known });
      test.results.push(result_id);
    }
  }
  let left = MOST_PARTS;
  return [...groups.values()]
    .sort((one, other) => other.results - one.results)
    .map(({ group, tests }) => {
      const parts = partsOf(tests.values(), left);
      left -= parts.length;
      return { group, new: isNew(group.id), parts };
    });
}

function partsOf(tests: Iterable<Test>, most: number): FailedPart[] {
  const parts = new Map<string, FailedPart & { examples: string[] }>();
  for (const { owner, known, results } of tests) {
    const own = JSON.stringify([owner, known]);
    const isNamed = parts.has(own) || parts.size + 2 < most;
    const key = isNamed ? own : JSON.stringify([null, known]);
    let part = parts.get(key);
    if (part === undefined) {
      part = { owner: isNamed ? owner : null, known, tests: 0, results: 0, examples: [] };
      parts.set(key, part);
    }
    part.tests += 1;
    part.results += results.length;
    part.examples.push(...results.slice(0, MOST_EXAMPLES - part.examples.length));
  }
  return [...parts.values()];
}

/** What the failures of a run are like, each kind once. */
export function traitsOf(groups: readonly FailedGroup[]): FailureTraits[] {
  const traits = new Map<string, FailureTraits>();
  for (const { new: isNew, parts } of groups) {
    for (const { owner, known } of parts) {
      if (traits.size < MOST_TRAITS)
        traits.set(JSON.stringify([owner, known, isNew]), { owner, known, new: isNew });
    }
  }
  return [...traits.values()];
}
