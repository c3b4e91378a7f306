/** The groups of failures of runs and projects, from the history. */
import { failureDocuments } from '../../projections/history/failure-documents.js';
import {
  groupDocuments,
  sightingDocuments,
  type GroupDocument,
  type Seen,
} from '../../projections/history/failure-counts.js';
import { groupId, narrowed, sightingId, type Narrowed } from '../../projections/history/failure-scopes.js';
import { history } from '../../projections/history/history.js';
import type { Collection } from '../domain/projection.js';
import type { Instant } from '../domain/event.js';
import type { AnchorKind } from '../domain/failures/anchor.js';
import { isId } from '../domain/ids.js';
import type { Moment } from '../domain/test-history/failing-row.js';
import { fail } from '../errors.js';
import { limits } from '../limits.js';
import type { Titles } from '../domain/contents.js';
import type { ViewQuery, ViewReader } from '../ports/views.js';
import { typedViews } from '../projecting/typed-views.js';
import { lastOf, seenOf, type Wanted } from './group-sightings.js';
import { titled } from './group-titles.js';
import { isFiltered, wantedCauses, type CauseFilter } from './causes/causes.js';
import { findCounted, findPage, type CountedPage, type PageQuery } from './find-page.js';
import { plainGroup } from './plain-groups.js';
import { compared, largest, newFirst, plainSightings, type Sorted } from './run-sightings.js';
import { sortGroups, withWords } from './wanted-groups.js';

/** `example`: the id of a result. */
type Row = {
  group: string;
  kind: AnchorKind;
  title: string;
  results: number;
  first_seen: Moment;
  last_seen: Moment;
  example: string | null;
};

/** A group in a run. */
export type RunGroup = Row & { tests: number; new: boolean };

/** A group in a project, or on one of its branches, or in an environment. */
export type ProjectGroup = Row & { runs: number };

/** A run in which a group was seen; `run_id` is null for a result without a run. */
export type GroupRun = Moment & { results: number; tests: number };

type Part = { offset: number; limit: number };

/** `environment`: only results in it; without one (`''`), among the largest groups. */
type Environment = Pick<Narrowed, 'environment'>;

export type FailureQueries = {
  /**
   * The groups of a run: those that its baseline does not have first, then by their number of results. `baseline`:
   * another run of the team than the run's own baseline.
   */
  ofRun(
    run: { id: string; project_id: string; team_id: string },
    part: Part & Environment & { baseline?: string | undefined },
  ): Promise<CountedPage<RunGroup>>;
  /** The ids of the results of a group in a run, in the order of their failures. @throws AppError `not_found` */
  resultsOf(runId: string, group: string, part: Part): Promise<CountedPage<string>>;
  /** The ids of the first results of a group in a run; none where it is not in it. */
  firstResults(runId: string, group: string, part: Environment & { limit: number }): Promise<string[]>;
  /** The groups of a project, or of a branch. */
  ofProject(
    projectId: string,
    part: Part &
      Narrowed & {
        since: Instant | undefined;
        causes: CauseFilter;
        sort: 'runs' | 'last_seen';
        order: 'asc' | 'desc';
      },
  ): Promise<CountedPage<ProjectGroup>>;
  /** Of documents that the caller has found. */
  shown(projectId: string, groups: readonly GroupDocument[]): Promise<ProjectGroup[]>;
  /** @throws AppError `not_found` */
  mustExist(projectId: string, group: string): Promise<void>;
  /** @throws AppError `not_found` */
  group(projectId: string, group: string): Promise<ProjectGroup>;
  /** The runs in which a group was seen, the last one first. @throws AppError `not_found` */
  runsOf(projectId: string, group: string, part: Part): Promise<CountedPage<GroupRun>>;
};

/**
 * `baselineOf`: the run with which a run is compared; null for none. Long because it has all queries: each is short,
 * and they share the typed views.
 */
export function openFailureQueries(
  reader: ViewReader,
  baselineOf: (team: string, runId: string) => Promise<string | null>,
  titles: Titles,
): FailureQueries {
  const views = typedViews(reader, history);
  const parts = { views, titles };

  async function firstOf(listed_in: string, environment: Wanted, limit: number): Promise<string[]> {
    const where = { listed_in, ...(environment !== undefined && { environment: environment || null }) };
    const { items } = await views.find(failureDocuments, { where, sort: IN_ORDER, limit });
    return items.map(({ result_id }) => result_id);
  }

  async function example({ sighting }: Pick<Seen, 'sighting'>, environment: Wanted): Promise<string | null> {
    return (await firstOf(sighting, environment, 1))[0] ?? null;
  }

  async function projectGroup(document: GroupDocument, environment?: Wanted): Promise<ProjectGroup | null> {
    const { group, runs, results } = document;
    const seen = await seenOf(views, document, environment);
    if (seen === null) return null;
    return {
      ...named(group),
      runs,
      results,
      first_seen: momentOf(seen.first),
      last_seen: momentOf(seen.last),
      example: await example(seen.last, environment),
    };
  }

  async function projectGroups(
    projectId: string,
    documents: readonly GroupDocument[],
    environment: Wanted,
  ): Promise<ProjectGroup[]> {
    const rows = await Promise.all(documents.map((each) => projectGroup(each, environment)));
    return titled(
      parts,
      projectId,
      rows.filter((row) => row !== null),
    );
  }

  async function runGroups(
    projectId: string,
    sightings: readonly Sorted[],
    environment: Wanted,
  ): Promise<RunGroup[]> {
    const ids = sightings.map(({ group }) => groupId(projectId, group.id, { environment }));
    const documents = await views.get(groupDocuments, ids);
    return Promise.all(
      sightings.map(async (sighting, n): Promise<RunGroup> => {
        const whole = documents[n] ?? null;
        const document = whole !== null && environment === '' ? plainGroup(whole) : whole;
        const seen = document === null ? null : await seenOf(views, document, environment);
        const { group, results, tests } = sighting;
        return {
          ...named(group),
          results,
          tests: tests ?? 1,
          new: sighting.isNew,
          first_seen: momentOf(seen?.first ?? sighting),
          last_seen: momentOf(seen?.last ?? sighting),
          example: await example(sighting, environment),
        };
      }),
    );
  }

  /** A page of a list whose total is known. */
  function pageOf<D extends object>(collection: Collection<D>, total: number, query: PageQuery) {
    return findPage(async (part) => ({ items: (await views.find(collection, part)).items, total }), query);
  }

  async function groupIn(projectId: string, group: string): Promise<GroupDocument> {
    const [found] = isId('group', group) ? await views.get(groupDocuments, [groupId(projectId, group)]) : [];
    return found ?? notFound();
  }

  return {
    async ofRun({ id, project_id, team_id }, { offset, limit, baseline: wanted, environment }) {
      const baseline = wanted ?? (await baselineOf(team_id, id));
      const in_run = narrowed(id, { environment });
      const isPlain = environment === '';
      // Without a baseline all groups are new, so the index has them in order.
      const ordered = baseline === null && !isPlain ? 0 : limits.orderedGroups;
      const rest = { offset: Math.max(offset, ordered), limit: offset + limit - Math.max(offset, ordered) };
      const first = () =>
        isPlain ? plainSightings(views, in_run) : largest(views, in_run, { offset: 0, limit: ordered });
      const [head, tail] = await Promise.all([
        offset < ordered ? first() : null,
        rest.limit > 0 && !isPlain ? largest(views, in_run, rest) : null,
      ]);
      const ofHead = await compared(views, head?.items ?? [], baseline, environment);
      const sorted = newFirst(ofHead).slice(offset, offset + limit);
      const page = [...sorted, ...(await compared(views, tail?.items ?? [], baseline, environment))];
      const items = await titled(parts, project_id, await runGroups(project_id, page, environment));
      return { items, total: (tail ?? head)?.total ?? 0 };
    },

    async resultsOf(runId, group, part) {
      const listed_in = sightingId(runId, group);
      const [found] = isId('group', group) ? await views.get(sightingDocuments, [listed_in]) : [];
      const { results: total } = found ?? notFound();
      const query = { where: { listed_in }, sort: IN_ORDER, ...part };
      const { items } = await pageOf(failureDocuments, total, query);
      return { items: items.map(({ result_id }) => result_id), total };
    },

    firstResults: (runId, group, { environment, limit }) =>
      firstOf(sightingId(runId, group), environment, limit),

    async ofProject(projectId, { branch, environment, since, causes: filter, sort: by, order, ...part }) {
      const where = { listed_in: narrowed(projectId, { branch, environment }) };
      const field = by === 'runs' ? 'runs' : 'last_at';
      const direction = order === 'asc' ? 'ascending' : 'descending';
      if (since === undefined && environment !== '' && !isFiltered(filter)) {
        const query = { where, sort: { field, direction } as const, ...part };
        const { items, total } = await findPage(findCounted(views, groupDocuments), query);
        return { items: await projectGroups(projectId, items, environment), total };
      }
      const sort = { field: since === undefined ? field : 'last_at', direction: 'descending' } as const;
      const range = since === undefined ? {} : { range: { from: since } };
      const query: ViewQuery = { where, sort, ...range, limit: limits.orderedGroups };
      const { items } = await views.find(groupDocuments, query);
      const found = environment === '' ? items.flatMap((each) => plainGroup(each) ?? []) : items;
      const lasts =
        since === undefined ? [] : await Promise.all(found.map((each) => lastOf(views, each, environment)));
      const seen = found.filter((_, n) => since === undefined || (lasts[n]?.at ?? '') >= since);
      const named = await withWords(titles, seen, filter.words ?? []);
      const wanted = await wantedCauses(views, projectId, { documents: named, of: groupOf, filter });
      sortGroups(wanted, field, order);
      const page = wanted.slice(part.offset, part.offset + part.limit);
      return { items: await projectGroups(projectId, page, environment), total: wanted.length };
    },

    shown: (projectId, groups) => projectGroups(projectId, groups, undefined),

    async mustExist(projectId, group) {
      await groupIn(projectId, group);
    },

    async group(projectId, group) {
      const row = (await projectGroup(await groupIn(projectId, group))) ?? notFound();
      return (await titled(parts, projectId, [row]))[0]!;
    },

    async runsOf(projectId, group, part) {
      const { scope, runs: total } = await groupIn(projectId, group);
      const sort = { field: 'opened', direction: 'descending' } as const;
      const { items } = await pageOf(sightingDocuments, total, { where: { scope }, sort, ...part });
      return {
        items: items.map((each) => ({ ...momentOf(each), results: each.results, tests: each.tests ?? 1 })),
        total,
      };
    },
  };
}

/** Failures, the first one first. */
const IN_ORDER = { field: 'placed', direction: 'ascending' } as const;

function groupOf({ group }: GroupDocument): string {
  return group.id;
}

function named({ id, kind, title }: GroupDocument['group']) {
  return { group: id, kind, title };
}

function momentOf({ run_id, commit, at }: Moment): Moment {
  return { run_id, commit, at };
}

function notFound(): never {
  return fail('not_found', 'There is no such group of failures.');
}
