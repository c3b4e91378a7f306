/** The tests of a project, from the history. */
import { entryDocuments } from '../../projections/history/entries.js';
import type { ListedEntry } from '../../projections/history/history-blocks.js';
import { knownFailureDocuments } from '../../projections/history/known-failures.js';
import { branchDocuments, branchId } from '../../projections/history/branches.js';
import { history } from '../../projections/history/history.js';
import {
  testDocuments,
  type KnownFailureOfTest,
  type TestDocument,
} from '../../projections/history/tests.js';
import type { TestState } from '../../projections/history/test-buckets.js';
import type { Instant } from '../domain/event.js';
import { isId } from '../domain/ids.js';
import { mustBePresent } from '../domain/life.js';
import { project } from '../domain/project.js';
import { ranAt } from '../domain/instant.js';
import { statusWords, type StatusWord } from '../domain/result.js';
import { testIdOf } from '../domain/test-history/test.js';
import {
  failureRate,
  lastOutcomes,
  rateOf,
  OUTCOMES,
  WINDOW,
  type TestHistory,
} from '../domain/test-history/test-history.js';
import { fail } from '../errors.js';
import type { CommandHandler } from '../commands/command-handler.js';
import { findCounted, findPage, type CountedPage } from './find-page.js';
import type { ActorNames } from './actor-names.js';
import type { Collection } from '../domain/projection.js';
import type { ViewQuery, ViewReader } from '../ports/views.js';
import { typedViews } from '../projecting/typed-views.js';
import { entriesAround, listedEntries, type ListedPart } from './listed-entries.js';
import { someResults } from './run-results.js';
import type { TeamViews } from './team-views.js';
import { stateOnBranch, statesOf } from './test-states.js';
import { streamNameOf } from '../domain/team-streams.js';

export type TestView = {
  id: string;
  project_id: string;
  name: string;
  state: TestHistory['state'];
  last_outcomes: StatusWord[];
  failure_rate: number;
  /** Null on a branch without an entry of the test. */
  last_result_at: Instant | null;
  /** Null where there is none in force. */
  known_failure: KnownFailureView | null;
  /** That of its newest result, or of its newest one on the branch. */
  owner: string | null;
};

/** `by`: the name of the key that set it. */
export type KnownFailureView = Omit<KnownFailureOfTest, 'actor'> & { by: string };

/** `at`: when it ran; null where only its result says it. */
export type DatedEntry = ListedEntry & { at: Instant | null };

/** Which tests of those that need somebody. */
export type Trouble = 'any' | 'flaky' | 'broken' | 'failing';

type PageOfTests = { branch: string | undefined; offset: number; limit: number };

/** `q`: a part of the name, ignoring case. */
type TestFilter = { owner: string | undefined; q: string | undefined };

export type TestQueries = {
  /** Reads the log only. @throws AppError `not_found` for ids that are malformed, unknown, or another team's */
  mustExist(team: string, projectId: string, testId?: string): Promise<void>;
  /** In the order of names. `searched`: the tests that `q` or `owner` looked through. */
  list(
    projectId: string,
    part: PageOfTests & TestFilter,
  ): Promise<CountedPage<TestView> & { searched: number }>;
  /** Those with a known failure in force, the first to end first. `branch` selects what is shown of them, not which. */
  listKnownFailures(projectId: string, part: PageOfTests): Promise<CountedPage<TestView>>;
  /** Those that need somebody, the ones with most failures among their last 50 results first. `branch` as above. */
  listTroubled(projectId: string, trouble: Trouble, part: PageOfTests): Promise<CountedPage<TestView>>;
  /** How many need somebody, by trouble. A test can be flaky and failing. */
  countTroubled(projectId: string): Promise<Record<Exclude<Trouble, 'any'>, number>>;
  /** @throws AppError `not_found` for a test that has no final result, or that is in another project */
  get(projectId: string, testId: string, branch: string | undefined): Promise<TestView>;
  /** The ids of the results in the history of a test, newest first. @throws as `get` */
  history(projectId: string, testId: string, part: PageOfTests): Promise<CountedPage<string>>;
  /** The entries themselves, newest first. @throws as `get` */
  entries(projectId: string, testId: string, part: PageOfTests): Promise<CountedPage<DatedEntry>>;
  /** The entries before and after that of a result, newest first; the newest ones where it has none. @throws as `get` */
  entriesAround(
    projectId: string,
    testId: string,
    part: { branch: string | undefined; result: string; limit: number },
  ): Promise<CountedPage<DatedEntry>>;
};

/** Long because it has all queries: each is short, and they share the typed views. */
export function openTestQueries(
  { commands, actors, results }: { commands: CommandHandler; actors: ActorNames; results: TeamViews },
  reader: ViewReader,
): TestQueries {
  const views = typedViews(reader, history);

  async function testIn(projectId: string, testId: string): Promise<TestDocument> {
    const [test] = await views.get(testDocuments, [testId]);
    return test?.listed_in === projectId ? test : fail('not_found', 'There is no such test.');
  }

  /** The results of entries may have been changed since. An item that was not has no document: its result says it. */
  async function dated({ items, total }: ListedPart): Promise<CountedPage<DatedEntry>> {
    const found = await views.get(
      entryDocuments,
      items.map(({ result_id }) => result_id),
    );
    return { items: items.map((entry, n) => ({ ...entry, at: found[n]?.at ?? null })), total };
  }

  /** When the newest entry of a test ran: after a deletion, no state says it. */
  async function newestAt(test: TestDocument, branch: string | undefined): Promise<Instant | null> {
    const [newest] = (await dated(await listedEntries(views, test, branch, { offset: 0, limit: 1 }))).items;
    if (newest === undefined || newest.at !== null) return newest?.at ?? null;
    const [result] = await someResults(results, test.team_id, [newest.result_id], true);
    return result === undefined ? null : ranAt(result);
  }

  async function knownFailureView(
    teamId: string,
    known: KnownFailureOfTest | null,
  ): Promise<KnownFailureView | null> {
    if (known === null) return null;
    const { actor, reason, at, expires_at, branch, hidden_results } = known;
    const nameOf = await actors(teamId);
    return { reason, by: (await nameOf(actor)) ?? actor, at, expires_at, branch, hidden_results };
  }

  async function countOf(projectId: string): Promise<number> {
    const sort = { field: 'name', direction: 'ascending' } as const;
    const query = { where: { listed_in: projectId }, sort, offset: 0, limit: 1 };
    return (await findCounted(views, testDocuments)(query)).total;
  }

  /** `owners`: of each of the tests. */
  async function viewsOf(
    tests: readonly TestDocument[],
    branch: string | undefined,
    owners: readonly (string | null)[],
  ): Promise<TestView[]> {
    const states = await statesOf(views, tests);
    const shown = tests.map((test, n) => viewOf(test, states[n]!, branch, owners[n] ?? null));
    return Promise.all(shown);
  }

  async function viewOf(
    test: TestDocument,
    { history, last_result_at: newest_at }: TestState,
    branch: string | undefined,
    owner: string | null,
  ): Promise<TestView> {
    const { team_id, project_id, name } = test;
    const id = testIdOf(project_id, name);
    const known_failure = await knownFailureView(team_id, test.known_failure);
    const common = { id, project_id, name, owner, state: history.state, known_failure };
    if (branch === undefined) {
      const last_result_at = newest_at ?? (await newestAt(test, branch));
      const [last_outcomes, failure_rate] = [lastOutcomes(history), failureRate(history)];
      return { ...common, last_outcomes, failure_rate, last_result_at };
    }
    const onBranch = await stateOnBranch(views, test, branch);
    const { items } = await listedEntries(views, test, branch, { offset: 0, limit: WINDOW });
    const outcomes = items.map(({ status }) => statusWords[status]);
    return {
      ...common,
      last_outcomes: outcomes.slice(0, OUTCOMES),
      failure_rate: rateOf(outcomes),
      last_result_at: items.length === 0 ? null : (onBranch.last_result_at ?? (await newestAt(test, branch))),
    };
  }

  return {
    async mustExist(teamId, projectId, testId) {
      mustBePresent(await commands.load(project, streamNameOf('project', teamId, projectId)), 'project');
      if (testId !== undefined && !isId('test', testId)) fail('not_found', 'There is no such test.');
    },

    async list(projectId, { branch, owner, q: contains, ...part }) {
      const sort = { field: 'name', direction: 'ascending' } as const;
      const page = <D extends object>(collection: Collection<D>, place: ViewQuery['where']) => {
        const where = { ...place, ...(owner !== undefined && { owner }) };
        const search = contains === undefined ? {} : { contains };
        return findPage(findCounted(views, collection, search), { where, sort, ...part });
      };
      const filtered = contains !== undefined || owner !== undefined;
      const searched = filtered ? await countOf(projectId) : 0;
      if (branch === undefined) {
        const { items, total } = await page(testDocuments, { listed_in: projectId });
        const tests = await viewsOf(items, branch, items.map(ownerOf));
        return { items: tests, total, searched };
      }
      const { items, total } = await page(branchDocuments, { project_id: projectId, branch });
      const tests = await views.get(
        testDocuments,
        items.map(({ test_id }) => test_id),
      );
      // A test may have been removed between the two queries.
      const there = tests.flatMap((test, n) => (test === null ? [] : [{ test, owner: items[n]!.owner }]));
      const shown = await viewsOf(
        there.map(({ test }) => test),
        branch,
        there.map(ownerOf),
      );
      return { items: shown, total, searched };
    },

    async listKnownFailures(projectId, { branch, ...part }) {
      const sort = { field: 'expires_at', direction: 'ascending' } as const;
      const query = { where: { project_id: projectId }, sort, ...part };
      const { items, total } = await findPage(findCounted(views, knownFailureDocuments), query);
      const ids = items.map(({ test_id }) => test_id);
      const [known, onBranch] = await Promise.all([
        views.get(testDocuments, ids),
        branch === undefined
          ? []
          : views.get(
              branchDocuments,
              ids.map((id) => branchId(id, branch)),
            ),
      ]);
      // A known failure may have ended between the queries.
      const listed = known.flatMap((test, n) => (test?.known_failure ? [{ test, n }] : []));
      const tests = listed.map(({ test }) => test);
      const owners = listed.map(({ test, n }) => (branch === undefined ? test : onBranch[n])?.owner ?? null);
      return { items: await viewsOf(tests, branch, owners), total };
    },

    async listTroubled(projectId, trouble, { branch, ...part }) {
      const sort = { field: 'impact', direction: 'descending' } as const;
      const query = { where: whereTroubled(projectId, trouble), sort, ...part };
      const { items, total } = await findPage(findCounted(views, testDocuments), query);
      return { items: await viewsOf(items, branch, items.map(ownerOf)), total };
    },

    async countTroubled(projectId) {
      const sort = { field: 'impact', direction: 'descending' } as const;
      const count = async (trouble: Trouble) => {
        const query = { where: whereTroubled(projectId, trouble), sort, offset: 0, limit: 1 };
        return (await findCounted(views, testDocuments)(query)).total;
      };
      const [flaky, broken, failing] = await Promise.all([count('flaky'), count('broken'), count('failing')]);
      return { flaky, broken, failing };
    },

    async get(projectId, testId, branch) {
      const test = await testIn(projectId, testId);
      const onBranch =
        branch === undefined ? test : (await views.get(branchDocuments, [branchId(testId, branch)]))[0];
      return (await viewsOf([test], branch, [onBranch?.owner ?? null]))[0]!;
    },

    async history(projectId, testId, part) {
      const { branch, ...page } = part;
      const { items, total } = await listedEntries(views, await testIn(projectId, testId), branch, page);
      return { items: items.map(({ result_id }) => result_id), total };
    },

    async entries(projectId, testId, { branch, ...part }) {
      return dated(await listedEntries(views, await testIn(projectId, testId), branch, part));
    },

    async entriesAround(projectId, testId, { branch, result, limit }) {
      const test = await testIn(projectId, testId);
      const found = isId('result', result)
        ? await entriesAround(views, test, branch, { result, limit })
        : null;
      return dated(found ?? (await listedEntries(views, test, branch, { offset: 0, limit })));
    },
  };
}

function ownerOf({ owner }: { owner: string | null }): string | null {
  return owner;
}

function whereTroubled(project: string, trouble: Trouble): ViewQuery['where'] {
  switch (trouble) {
    case 'any':
      return { troubled_in: project };
    case 'flaky':
    case 'broken':
      return { troubled_in: project, state: trouble };
    case 'failing':
      return { troubled_in: project, newest: 'failed' };
  }
}
