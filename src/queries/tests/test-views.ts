/** How tests are shown: by their lines, or by the entries of a selection. */
import { entryDocuments } from '../../../projections/history/entries.js';
import type { ListedEntry } from '../../../projections/history/history-blocks.js';
import { linesOf, worstFirst } from '../../../projections/history/lines.js';
import type { TestState } from '../../../projections/history/test-buckets.js';
import {
  idOfTest,
  type KnownFailureOfTest,
  type Line,
  type TestDocument,
} from '../../../projections/history/tests.js';
import { wholeTeam } from '../../domain/teams/access.js';
import { environmentOf, type Environment, type EnvironmentKey } from '../../domain/environment.js';
import type { Instant } from '../../domain/event.js';
import { ranAt } from '../../domain/instant.js';
import { unpackedTags } from '../../domain/test-history/packed-tags.js';
import { statusWords, type StatusWord } from '../../domain/results/result.js';
import {
  failureRate,
  lastOutcomes,
  rateOf,
  OUTCOMES,
  WINDOW,
  type TestHistory,
} from '../../domain/test-history/test-history.js';
import { readOnce, type TypedViews } from '../../projecting/typed-views.js';
import type { ActorNames } from '../actor-names.js';
import type { CountedPage } from '../find-page.js';
import { listedEntries, newestOfLine, type ListedPart } from '../listed-entries.js';
import { lastRunsOf, type LastRuns } from '../last-runs.js';
import { someResults } from '../results/run-results.js';
import type { TeamViews } from '../team-views.js';
import { ownersOf, placedLine, statesOf, statesOnBranch } from './test-states.js';

export type TestView = {
  id: string;
  project_id: string;
  name: string;
  state: TestHistory['state'];
  last_outcomes: StatusWord[];
  failure_rate: number;
  /** Null where the selection has no entry of the test. */
  last_result_at: Instant | null;
  /** Up to `ENVIRONMENTS`, the worst first. */
  environments: LineView[];
  /** Null where there is none in force. */
  known_failure: KnownFailureView | null;
  /** That of its newest result, or of the newest one of the selection. */
  owner: string | null;
  /** Those of its newest result, whatever the selection. */
  tags: readonly string[];
  last_runs?: LastRuns;
};

/** A test in one environment. */
export type LineView = {
  environment: Environment | null;
  environment_key: EnvironmentKey;
} & Pick<TestView, 'state' | 'last_outcomes' | 'failure_rate' | 'last_result_at'>;

/** Of which results a test is shown; undefined: of all branches, of all environments. `runs`: with its last runs. */
export type Selection = {
  branch?: string | undefined;
  environment?: EnvironmentKey | undefined;
  runs?: boolean | undefined;
};

/** `by`: the name of the key that set it. */
export type KnownFailureView = Omit<KnownFailureOfTest, 'actor' | 'environment'> & {
  by: string;
  environment: Environment | null;
  /** Null where the failure is known in all environments. */
  environment_key: EnvironmentKey | null;
};

/** `at`: when it ran; null where only its result says it. */
export type DatedEntry = ListedEntry & { at: Instant | null };

/**
 * The documents that are kept for one answer: the tests of a list share buckets and blocks, each of which takes most of a
 * millisecond to read. A list that needs more of them reads some again.
 */
const SHARED = 300;
/** The environments that a test shows. */
const ENVIRONMENTS = 50;

export type TestViews = {
  /** `owners`: of each of the tests. Left out: as the selection has them. */
  viewsOf(
    tests: readonly TestDocument[],
    selection: Selection,
    owners?: readonly (string | null)[],
  ): Promise<TestView[]>;
  /** The entries, with when they ran. */
  dated(part: ListedPart): Promise<CountedPage<DatedEntry>>;
};

type Others = { actors: ActorNames; results: TeamViews };

export function openTestViews(stored: Pick<TypedViews, 'get'>, others: Others): TestViews {
  const forAnswer = () => openAnswer(readOnce(stored, SHARED), others);
  return {
    viewsOf: async (...given) => forAnswer().viewsOf(...given),
    dated: async (part) => forAnswer().dated(part),
  };
}

/** Long because its functions share the views: each is short. */
function openAnswer(views: Pick<TypedViews, 'get'>, { actors, results }: Others): TestViews {
  /** The results of entries may have been changed since. An item that was not has no document: its result says it. */
  async function dated({ items, total }: ListedPart): Promise<CountedPage<DatedEntry>> {
    const found = await views.get(
      entryDocuments,
      items.map(({ result_id }) => result_id),
    );
    return { items: items.map((entry, n) => ({ ...entry, at: found[n]?.at ?? null })), total };
  }

  /** When the newest entry of the selection ran: after a deletion, no state says it. */
  async function newestAt(test: TestDocument, selection: Selection): Promise<Instant | null> {
    const items = await newestEntries(test, selection, 1);
    const [newest] = (await dated({ items, total: items.length })).items;
    if (newest === undefined || newest.at !== null) return newest?.at ?? null;
    const [result] = await someResults(results, wholeTeam(test.team_id), [newest.result_id], true);
    return result === undefined ? null : ranAt(result);
  }

  async function knownFailureView(
    teamId: string,
    known: KnownFailureOfTest | null,
  ): Promise<KnownFailureView | null> {
    if (known === null) return null;
    const { actor, reason, at, expires_at, branch, environment: environment_key, hidden_results } = known;
    const nameOf = await actors(teamId);
    const by = (await nameOf(actor)) ?? actor;
    const environment = environmentOf(environment_key ?? '');
    return { reason, by, at, expires_at, branch, environment, environment_key, hidden_results };
  }

  async function newestEntries(
    test: TestDocument,
    { branch, environment }: Selection,
    limit: number,
  ): Promise<ListedEntry[]> {
    if (environment !== undefined) return newestOfLine(views, test, { branch, environment }, limit);
    return (await listedEntries(views, test, { branch }, { offset: 0, limit })).items;
  }

  async function viewsOf(
    tests: readonly TestDocument[],
    selection: Selection,
    given?: readonly (string | null)[],
  ): Promise<TestView[]> {
    const owners = given ?? (await ownersOf(views, tests, selection));
    const lines = tests.map((test) => shownLines(test, selection.environment));
    const numbered = lines.flatMap((of, n) =>
      of.map(({ number }) => ({ number, project_id: tests[n]!.project_id })),
    );
    // The lines of a test are mostly in its own bucket: all are read at once.
    const states = await statesOf(views, [...tests, ...numbered]);
    let next = tests.length;
    const shown = tests.map((test, n) => {
      const own = lines[n]!.map(({ environment }): LineState => ({ environment, state: states[next++]! }));
      return viewOf(test, states[n]!, own, selection, owners[n] ?? null);
    });
    if (selection.runs !== true) return Promise.all(shown);
    const runs = await lastRunsOf({ views, records: results }, tests, selection);
    return (await Promise.all(shown)).map((test, n) => ({ ...test, last_runs: runs[n]! }));
  }

  async function viewOf(
    test: TestDocument,
    state: TestState,
    lines: readonly LineState[],
    selection: Selection,
    owner: string | null,
  ): Promise<TestView> {
    const { team_id, project_id, name } = test;
    const known_failure = await knownFailureView(team_id, test.known_failure);
    const environments = await Promise.all(
      lines.slice(0, ENVIRONMENTS).map((line) => lineViewOf(test, line)),
    );
    return {
      id: idOfTest(test),
      project_id,
      name,
      owner,
      tags: unpackedTags(test.tags),
      state: stateOf(test, lines, selection),
      known_failure,
      environments,
      ...(await outcomesOf(test, state, lines, selection)),
    };
  }

  async function lineViewOf(test: TestDocument, line: LineState): Promise<LineView> {
    const { environment, state } = line;
    const { last_result_at } = environment === '' ? (state.plain ?? state) : state;
    return {
      environment: environmentOf(environment),
      environment_key: environment,
      state: state.history.state,
      last_outcomes: lastOutcomes(state.history),
      failure_rate: failureRate(state.history),
      last_result_at: last_result_at ?? (await newestAt(test, { environment })),
    };
  }

  /** The window of a line has its newest results. Those of several lines together, and those on a branch, are read from the list. */
  async function outcomesOf(
    test: TestDocument,
    whole: TestState,
    lines: readonly LineState[],
    selection: Selection,
  ): Promise<Pick<TestView, 'last_outcomes' | 'failure_rate' | 'last_result_at'>> {
    const { branch, environment } = selection;
    const shown = environment === undefined ? onlyOne(lines) : lineIn(lines, environment);
    if (branch === undefined && shown !== undefined) {
      const { last_outcomes, failure_rate, last_result_at } = await lineViewOf(test, shown);
      return { last_outcomes, failure_rate, last_result_at };
    }
    const outcomes = (await newestEntries(test, selection, WINDOW)).map(({ status }) => statusWords[status]);
    const line = placedLine(test, environment);
    const known = branch === undefined ? whole : (await statesOnBranch(views, [line], branch))[0]!;
    // At the place of a test are its results in all environments together.
    const isOwn = environment !== '' || test.lines === undefined;
    const last_result_at = isOwn ? known.last_result_at : null;
    return {
      last_outcomes: outcomes.slice(0, OUTCOMES),
      failure_rate: rateOf(outcomes),
      last_result_at: outcomes.length === 0 ? null : (last_result_at ?? (await newestAt(test, selection))),
    };
  }

  return { viewsOf, dated };
}

type LineState = { environment: EnvironmentKey; state: TestState };

/** The lines that the view of a test is made from: that of the selection may be behind the worst ones. */
function shownLines(test: TestDocument, selected: EnvironmentKey | undefined): Line[] {
  const lines = worstFirst(linesOf(test));
  return lines.filter(({ environment }, n) => n < ENVIRONMENTS || environment === selected);
}

function lineIn(lines: readonly LineState[], wanted: EnvironmentKey): LineState | undefined {
  return lines.find(({ environment }) => environment === wanted);
}

function onlyOne(lines: readonly LineState[]): LineState | undefined {
  return lines.length === 1 ? lines[0] : undefined;
}

/** The state of a test as a whole is that of the worst of its lines. */
function stateOf(
  test: TestDocument,
  lines: readonly LineState[],
  { environment }: Selection,
): TestHistory['state'] {
  if (environment === undefined) return test.state ?? 'stable';
  return lineIn(lines, environment)?.state.history.state ?? 'stable';
}
