/** Causes: how groups of failures stand, who works on them, and where they are seen. */
import {
  causeDocuments,
  causeTestDocuments,
  ownerOf,
  stateOf,
  type CauseDocument,
  type KnownThrough,
} from '../../../projections/causes/cause-documents.js';
import { groupDocuments } from '../../../projections/history/failure-counts.js';
import { groupId } from '../../../projections/history/failure-scopes.js';
import { history } from '../../../projections/history/history.js';
import { knownFailureDocuments } from '../../../projections/history/known-failures.js';
import { testDocuments } from '../../../projections/history/tests.js';
import type { components } from '../../client/api.generated.js';
import { dueAt, type CauseState, type Standing } from '../../domain/causes/standing.js';
import { environmentOf } from '../../domain/environment.js';
import type { Instant } from '../../domain/event.js';
import type { ViewReader } from '../../ports/views.js';
import { typedViews, type TypedViews } from '../../projecting/typed-views.js';
import type { NameOfActor } from '../actor-names.js';
import { everyPage } from '../every-page.js';
import { findCounted, findPage, type CountedPage } from '../find-page.js';
import { causeEntries, type CauseEntry, type EntriesPart } from './cause-entries.js';
import { seenByDay } from './seen-by-day.js';

/** What a row of a list shows. */
export type CauseRow = { state: CauseState; owner: string | null; ticket: string | null };

type Part = { runs: number; results: number; last_at: Instant };

/** What a group has as a cause; `failure-queries.ts` has the rest. */
export type CauseDetails = Pick<
  components['schemas']['ProjectFailureGroupWithOutcomes'],
  | keyof CauseRow
  | 'state_since'
  | 'state_by'
  | 'named_owner'
  | 'note'
  | 'fixed_after'
  | 'known_failure'
  | 'tests'
  | 'branches'
  | 'environments'
  | 'days'
>;

type ShownKnown = components['schemas']['KnownFailureGroup'];

type CauseTest = components['schemas']['TestOfFailureGroup'];

export type Causes = {
  rows(projectId: string, groups: readonly string[]): Promise<CauseRow[]>;
  details(projectId: string, group: string, nameOf: NameOfActor): Promise<CauseDetails>;
  /** How it stands, whoever knows of it; undefined where there is no such cause. */
  standing(projectId: string, group: string): Promise<Standing['state'] | undefined>;
  /** Those of most results first. */
  tests(
    projectId: string,
    group: string,
    part: { offset: number; limit: number },
  ): Promise<CountedPage<CauseTest>>;
  /** What happened to it, the newest first. */
  entries(projectId: string, group: string, part: EntriesPart): Promise<CountedPage<CauseEntry>>;
  /** All tests that are known through it. */
  knownTests(group: string): Promise<string[]>;
};

/** Branches and environments that a cause shows. */
const PLACES = 20;
const PAGE = 500;

export function openCauses(reader: ViewReader): Causes {
  const views = typedViews(reader, history);

  async function parts(field: 'branch_of' | 'environment_of', scope: string) {
    const sort = { field: 'runs', direction: 'descending' } as const;
    return (await views.find(groupDocuments, { where: { [field]: scope }, sort, limit: PLACES })).items;
  }

  return {
    async rows(projectId, groups) {
      return (await causesOf(views, projectId, groups)).map(rowOf);
    },

    async standing(projectId, group) {
      return (await causesOf(views, projectId, [group]))[0]?.state;
    },

    async details(projectId, group, nameOf) {
      const scope = groupId(projectId, group);
      const sort = { field: 'results', direction: 'descending' } as const;
      const query = { where: { cause: scope }, sort, offset: 0, limit: 1 };
      const [[cause = null], tests, branches, environments, days] = await Promise.all([
        causesOf(views, projectId, [group]),
        findCounted(views, causeTestDocuments)(query),
        parts('branch_of', scope),
        parts('environment_of', scope),
        seenByDay(views, scope),
      ]);
      return {
        ...(await detailsOf(cause, nameOf)),
        tests: tests.total,
        branches: branches.map(({ branch = '', ...part }) => ({ branch, ...partOf(part) })),
        environments: environments.map(({ environment: environment_key = '', ...part }) => ({
          environment: environmentOf(environment_key),
          environment_key,
          ...partOf(part),
        })),
        days,
      };
    },

    async tests(projectId, group, part) {
      const where = { cause: groupId(projectId, group) };
      const sort = { field: 'results', direction: 'descending' } as const;
      const { items, total } = await findPage(findCounted(views, causeTestDocuments), {
        where,
        sort,
        ...part,
      });
      const tests = await views.get(
        testDocuments,
        items.map(({ test_id }) => test_id),
      );
      const shown = items.flatMap(({ test_id: id, results, last_failed_at }, n): CauseTest[] => {
        const test = tests[n];
        if (test == null) return [];
        const { name, owner, known_failure } = test;
        return [{ id, name, owner, results, last_failed_at, known: known_failure !== null }];
      });
      return { items: shown, total };
    },

    entries: (projectId, group, part) => causeEntries(views, groupId(projectId, group), part),

    async knownTests(group) {
      const sort = { field: 'expires_at', direction: 'ascending' } as const;
      const ids: string[] = [];
      for await (const page of everyPage(views, knownFailureDocuments, {
        where: { group },
        sort,
        limit: PAGE,
      })) {
        ids.push(...page.map(({ test_id }) => test_id));
      }
      return ids;
    },
  };
}

/** What narrows a list of groups to causes that stand so, that somebody works on, or whose title has these words. */
export type CauseFilter = {
  state?: CauseState | undefined;
  owner?: string | undefined;
  words?: readonly string[];
};

/** Those of the documents whose causes are wanted. `of`: the group of a document. */
export async function wantedCauses<D>(
  views: Pick<TypedViews, 'get'>,
  projectId: string,
  { documents, of, filter }: { documents: readonly D[]; of: (one: D) => string; filter: CauseFilter },
): Promise<D[]> {
  if (!isFiltered(filter)) return [...documents];
  const causes = await causesOf(views, projectId, documents.map(of));
  return documents.filter((_, n) => {
    const { state, owner } = rowOf(causes[n] ?? null);
    return (filter.state ?? state) === state && (filter.owner ?? owner) === owner;
  });
}

export function isFiltered({ state, owner, words = [] }: CauseFilter): boolean {
  return state !== undefined || owner !== undefined || words.length > 0;
}

function causesOf(views: Pick<TypedViews, 'get'>, projectId: string, groups: readonly string[]) {
  return views.get(
    causeDocuments,
    groups.map((group) => groupId(projectId, group)),
  );
}

/** A build of an older version has no causes: they are open. */
function rowOf(cause: CauseDocument | null): CauseRow {
  if (cause === null) return { state: 'open', owner: null, ticket: null };
  return { state: stateOf(cause), owner: ownerOf(cause), ticket: cause.ticket };
}

async function detailsOf(cause: CauseDocument | null, nameOf: NameOfActor) {
  const { since = '', said_by = null, owner = null, note = null, state, known } = cause ?? {};
  const nameOr = async (actor: string) => (await nameOf(actor)) ?? actor;
  return {
    ...rowOf(cause),
    state_since: since,
    state_by: said_by === null ? null : await nameOr(said_by),
    named_owner: owner,
    note,
    fixed_after: cause === null || state === 'fixed' ? null : dueAt(cause),
    known_failure: known === undefined ? null : shownKnown(known, await nameOr(known.actor)),
  };
}

function shownKnown({ actor: _, environment, ...known }: KnownThrough, by: string): ShownKnown {
  return { ...known, by, environment: environmentOf(environment ?? ''), environment_key: environment };
}

function partOf({ runs, results, last_at }: Part): Part {
  return { runs, results, last_at };
}
