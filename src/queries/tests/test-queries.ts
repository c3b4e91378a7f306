/** The tests of a project, from the history. */
import { history } from '../../../projections/history/history.js';
import { idOfTest, testDocuments, type TestDocument } from '../../../projections/history/tests.js';
import { maySee, mustSee, type Reader } from '../../domain/teams/access.js';
import type { Instant } from '../../domain/event.js';
import { isId } from '../../domain/ids.js';
import { mustBePresent } from '../../domain/life.js';
import { project } from '../../domain/project.js';
import { streamNameOf } from '../../domain/teams/team-streams.js';
import { fail } from '../../errors.js';
import type { CommandHandler } from '../../commands/command-handler.js';
import type { ViewReader } from '../../ports/views.js';
import { typedViews } from '../../projecting/typed-views.js';
import type { ActorNames } from '../actor-names.js';
import { findCounted, findPage, type CountedPage } from '../find-page.js';
import { idleTests } from './idle-tests.js';
import { entriesAround, listedEntries } from '../listed-entries.js';
import { openSortedTests } from '../statistics/kept-lists.js';
import type { SortedPart, TestStatistics } from '../statistics/sorted-tests.js';
import { knownTests } from './known-tests.js';
import { filteredTests, listedIn, saysOwners, searchOf, wantsAll, type TestFilter } from './listed-tests.js';
import type { TeamViews } from '../team-views.js';
import { troubledLines, whereTroubled, type Trouble } from './troubled-tests.js';
import { openTestViews, type DatedEntry, type Selection, type TestView } from './test-views.js';

type PageOfTests = Selection & { offset: number; limit: number };

export type TestQueries = {
  /** Reads the log only. @throws AppError `not_found` for ids that are malformed, or do not exist for the reader */
  mustExist(reader: Reader, projectId: string, testId?: string): Promise<void>;
  /** In the order of names. `searched`: the tests that a filter looked through; ten for each that tags read. */
  list(
    projectId: string,
    part: PageOfTests & TestFilter & { order?: 'asc' | 'desc' },
  ): Promise<CountedPage<TestView> & { searched: number }>;
  /** Those with a known failure in force, the first to end first. The selection is what is shown of them, not which. */
  listKnownFailures(
    projectId: string,
    part: PageOfTests & TestFilter,
  ): Promise<CountedPage<TestView> & { searched: number }>;
  /**
   * Those that need somebody, the ones with most failures among their last 50 results first. The environment says which, by their
   * line in it; the branch what is shown of them. `searched`: the tests that it looked through for the environment or the filter.
   */
  listTroubled(
    projectId: string,
    trouble: Trouble,
    part: PageOfTests & TestFilter,
  ): Promise<CountedPage<TestView> & { searched: number }>;
  /** Those whose newest result ran before an instant, in the order of names; in an environment, by their line there. */
  listIdle(
    projectId: string,
    before: Instant,
    part: PageOfTests,
  ): Promise<CountedPage<TestView> & { searched: number }>;
  /** Those that ran in a window, by what they cost there; by their newest result, all. `searched` as above. */
  listSorted(
    reader: Reader,
    projectId: string,
    sorting: SortedPart & Pick<Selection, 'runs'>,
    part: { offset: number; limit: number },
  ): Promise<CountedPage<TestView & TestStatistics> & { searched: number }>;
  /** How many need somebody, by trouble. A test can be flaky and failing. */
  countTroubled(projectId: string): Promise<Record<Exclude<Trouble, 'any'>, number>>;
  /** The project of a test of which only the id is known. @throws AppError `not_found` as `mustExist` and `get` */
  projectOf(reader: Reader, testId: string): Promise<string>;
  /** @throws AppError `not_found` for a test that has no final result, or that is in another project */
  get(projectId: string, testId: string, selection: Selection): Promise<TestView>;
  /** The ids of the results in the history of a test, newest first. @throws as `get` */
  history(projectId: string, testId: string, part: PageOfTests): Promise<CountedPage<string>>;
  /** The entries themselves, newest first. @throws as `get` */
  entries(projectId: string, testId: string, part: PageOfTests): Promise<CountedPage<DatedEntry>>;
  /** The entries before and after that of a result, newest first; the newest ones where it has none. @throws as `get` */
  entriesAround(
    projectId: string,
    testId: string,
    part: Pick<PageOfTests, 'branch' | 'environment' | 'limit'> & { result: string },
  ): Promise<CountedPage<DatedEntry>>;
};

/** Long because it has all queries: each is short, and they share the typed views. */
export function openTestQueries(
  { commands, actors, results }: { commands: CommandHandler; actors: ActorNames; results: TeamViews },
  reader: ViewReader,
): TestQueries {
  const views = typedViews(reader, history);
  const sortedTests = openSortedTests(reader);
  const { viewsOf, dated } = openTestViews(views, { actors, results });

  async function testIn(projectId: string, testId: string): Promise<TestDocument> {
    const [test] = await views.get(testDocuments, [testId]);
    return test?.listed_in === projectId ? test : fail('not_found', 'There is no such test.');
  }

  async function countOf(projectId: string): Promise<number> {
    const sort = { field: 'name', direction: 'ascending' } as const;
    const query = { where: { listed_in: projectId }, sort, offset: 0, limit: 1 };
    return (await findCounted(views, testDocuments)(query)).total;
  }

  return {
    async mustExist(reader, projectId, testId) {
      mustSee(reader, projectId);
      mustBePresent(
        await commands.load(project, streamNameOf('project', reader.team_id, projectId)),
        'project',
      );
      if (testId !== undefined && !isId('test', testId)) fail('not_found', 'There is no such test.');
    },

    async projectOf(reader, testId) {
      const [test] = isId('test', testId) ? await views.get(testDocuments, [testId]) : [];
      const project = test?.team_id === reader.team_id ? test.listed_in : null;
      if (project === null || !maySee(reader, project)) return fail('not_found', 'There is no such test.');
      return project;
    },

    async list(projectId, { branch, environment, runs, order = 'asc', owner, words, tag, not_tag, ...part }) {
      const direction = order === 'asc' ? 'ascending' : 'descending';
      const wanted = { owner, words, tag, not_tag };
      const selection = { branch, environment, runs };
      const { where, among } = await listedIn(views, projectId, selection, owner);
      if (among !== undefined && owner !== undefined && !saysOwners(selection)) {
        const of = { wanted, selection };
        const found = await filteredTests(views, projectId, of, { direction, ...part });
        return { ...found, items: await viewsOf(found.filtered, selection) };
      }
      const search = { ...searchOf(wanted), ...(among !== undefined && { among }) };
      const { items, total } = await findPage(findCounted(views, testDocuments, search), {
        where: { ...where, ...(owner !== undefined && among === undefined && { owner }) },
        sort: { field: 'name', direction },
        ...part,
      });
      const isSearched = !wantsAll(wanted) || environment === '' || among !== undefined;
      // To take out the tests of other owners costs as much again.
      const looks = among !== undefined && owner !== undefined ? 2 : 1;
      const searched = isSearched ? looks * (await countOf(projectId)) : 0;
      return { items: await viewsOf(items, selection), total, searched };
    },

    async listKnownFailures(projectId, { branch, environment, runs, offset, limit, ...wanted }) {
      const { ids, total, searched } = await knownTests(views, projectId, { wanted, offset, limit });
      const tests = await views.get(testDocuments, ids);
      // A known failure may have ended between the queries.
      const known = tests.flatMap((test) => (test?.known_failure ? [test] : []));
      return { items: await viewsOf(known, { branch, environment, runs }), total, searched };
    },

    async listTroubled(projectId, trouble, { branch, environment, runs, offset, limit, ...wanted }) {
      const sort = { field: 'impact', direction: 'descending' } as const;
      const query = { where: whereTroubled(projectId, trouble), sort, offset, limit };
      const found =
        environment === undefined && wantsAll(wanted)
          ? { ...(await findPage(findCounted(views, testDocuments), query)), searched: 0 }
          : await troubledLines(views, projectId, { trouble, environment, wanted, offset, limit });
      const items = await viewsOf(found.items, { branch, environment, runs }, found.items.map(ownerOf));
      return { ...found, items };
    },

    async listIdle(projectId, before, { branch, environment, runs, offset, limit }) {
      const { idle, searched } = await idleTests(views, projectId, { before, environment });
      const page = idle.slice(offset, offset + limit);
      const items = await viewsOf(page, { branch, environment, runs }, page.map(ownerOf));
      return { items, total: idle.length, searched };
    },

    async listSorted({ team_id }, projectId, { runs, ...sorting }, { offset, limit }) {
      const { branch, environment } = sorting;
      const { sorted, total, searched } = await sortedTests(team_id, projectId, sorting, offset + limit);
      const page = sorted.slice(offset, offset + limit);
      const found = await views.get(
        testDocuments,
        page.map(({ named }) => idOfTest({ ...named, project_id: projectId })),
      );
      const present = page.flatMap(({ statistics }, n) => {
        const test = found[n] ?? null;
        return test === null ? [] : [{ test, statistics }];
      });
      const tests = await viewsOf(present.map(testOf), { branch, environment, runs });
      const items = tests.map((test, n) => ({ ...test, ...present[n]!.statistics }));
      return { items, total, searched };
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

    async get(projectId, testId, selection) {
      const test = await testIn(projectId, testId);
      return (await viewsOf([test], selection))[0]!;
    },

    async history(projectId, testId, part) {
      const { items, total } = await listedEntries(views, await testIn(projectId, testId), part, part);
      return { items: items.map(({ result_id }) => result_id), total };
    },

    async entries(projectId, testId, part) {
      return dated(await listedEntries(views, await testIn(projectId, testId), part, part));
    },

    async entriesAround(projectId, testId, part) {
      const test = await testIn(projectId, testId);
      const found = isId('result', part.result) ? await entriesAround(views, test, part, part) : null;
      return dated(found ?? (await listedEntries(views, test, part, { offset: 0, limit: part.limit })));
    },
  };
}

function testOf({ test }: { test: TestDocument }): TestDocument {
  return test;
}

function ownerOf({ owner }: { owner: string | null }): string | null {
  return owner;
}
