/** The tests of a project, as what the publisher folds has them. */
import {
  outbox,
  type BranchDocument,
  type EntryDocument,
  type TestDocument,
} from '../../projections/publication.js';
import { branchId } from '../../projections/tests.js';
import type { Instant } from '../domain/event.js';
import { isId } from '../domain/ids.js';
import { mustBePresent } from '../domain/life.js';
import { project } from '../domain/project.js';
import type { StatusWord } from '../domain/result.js';
import { testIdOf } from '../domain/test.js';
import {
  failureRate,
  lastOutcomes,
  rateOf,
  OUTCOMES,
  WINDOW,
  type TestHistory,
} from '../domain/test-history.js';
import { fail } from '../errors.js';
import type { Ledger } from '../commands/ledger.js';
import { findPage, type CountedPage, type FindCounted, type PageQuery } from './pages.js';
import type { ViewQuery, ViewReader } from '../ports/views.js';
import { nameOf } from '../domain/team-streams.js';

export type TestView = {
  id: string;
  project_id: string;
  name: string;
  state: TestHistory['state'];
  last_outcomes: StatusWord[];
  failure_rate: number;
  /** Null on a branch that the test has no entry on. */
  last_result_at: Instant | null;
};

type Part = { branch: string | undefined; offset: number; limit: number };

export type Tests = {
  /** Asks no view. @throws LedgerError `not_found` for ids that are malformed, unknown, or another team's. */
  mustBeThere(team: string, projectId: string, testId?: string): Promise<void>;
  /** By name. */
  list(projectId: string, part: Part): Promise<CountedPage<TestView>>;
  /** @throws LedgerError `not_found` for one without a final result, or of another project. */
  get(projectId: string, testId: string, branch: string | undefined): Promise<TestView>;
  /** The results of its history, newest first. @throws as `get`. */
  history(projectId: string, testId: string, part: Part): Promise<CountedPage<string>>;
};

export function openTests(ledger: Ledger, views: ViewReader): Tests {
  async function find<T>(collection: string, query: ViewQuery): Promise<CountedPage<T>> {
    const { items, total = 0 } = await views.find(outbox, collection, query);
    return { items: items as unknown as T[], total };
  }
  async function load<T>(collection: string, ids: readonly string[]): Promise<(T | null)[]> {
    return (await views.get(outbox, collection, ids)) as unknown as (T | null)[];
  }

  async function listed(projectId: string, testId: string): Promise<TestDocument> {
    const [test] = await load<TestDocument>('tests', [testId]);
    return test?.listed_in === projectId ? test : fail('not_found', 'There is no such test.');
  }

  async function newest(where: ViewQuery['where'], limit: number): Promise<EntryDocument[]> {
    const sort = { field: 'placed', direction: 'descending' } as const;
    return (await find<EntryDocument>('entries', { where, sort, limit })).items;
  }

  async function viewOf(test: TestDocument, branch: string | undefined): Promise<TestView> {
    const { project_id, name, history } = test;
    const id = testIdOf(project_id, name);
    const seen = { id, project_id, name, state: history.state };
    if (branch === undefined) {
      const last_result_at = test.last_result_at ?? (await newest({ test_id: id }, 1))[0]?.at ?? null;
      const [last_outcomes, failure_rate] = [lastOutcomes(history), failureRate(history)];
      return { ...seen, last_outcomes, failure_rate, last_result_at };
    }
    const entries = await newest({ test_id: id, branch }, WINDOW);
    const outcomes = entries.map(({ status }) => status);
    return {
      ...seen,
      last_outcomes: outcomes.slice(0, OUTCOMES),
      failure_rate: rateOf(outcomes),
      last_result_at: entries[0]?.at ?? null,
    };
  }

  return {
    async mustBeThere(team, projectId, testId) {
      mustBePresent(await ledger.load(project, nameOf('project', team, projectId)), 'project');
      if (testId !== undefined && !isId('test', testId)) fail('not_found', 'There is no such test.');
    },

    async list(projectId, { branch, ...part }) {
      const sort = { field: 'name', direction: 'ascending' } as const;
      const page = <T>(collection: string, where: ViewQuery['where']) =>
        findPage<T>((query) => find<T>(collection, { ...query, total: true }), { where, sort, ...part });
      if (branch === undefined) {
        const { items, total } = await page<TestDocument>('tests', { listed_in: projectId });
        return { items: await Promise.all(items.map((test) => viewOf(test, branch))), total };
      }
      const { items, total } = await page<BranchDocument>('branches', { project_id: projectId, branch });
      const tests = await load<TestDocument>(
        'tests',
        items.map(({ test_id }) => test_id),
      );
      // One that went in between is not there any more.
      const there = tests.filter((test) => test !== null);
      return { items: await Promise.all(there.map((test) => viewOf(test, branch))), total };
    },

    async get(projectId, testId, branch) {
      return viewOf(await listed(projectId, testId), branch);
    },

    async history(projectId, testId, { branch, ...part }) {
      await listed(projectId, testId);
      const total = async () => {
        if (branch === undefined) return (await load<TestDocument>('tests', [testId]))[0]?.entries ?? 0;
        return (await load<BranchDocument>('branches', [branchId(testId, branch)]))[0]?.entries ?? 0;
      };
      const entries: FindCounted<EntryDocument> = async (query) => {
        const { items } = await find<EntryDocument>('entries', query);
        return { items, total: await total() };
      };
      const where = { test_id: testId, ...(branch !== undefined && { branch }) };
      const query: PageQuery = { where, sort: { field: 'placed', direction: 'descending' }, ...part };
      const page = await findPage(entries, query);
      return { ...page, items: page.items.map(({ result_id }) => result_id) };
    },
  };
}
