/** The groups of failures of runs and projects, from the history. */
import { failureDocuments } from '../../projections/history/failure-documents.js';
import {
  groupDocuments,
  groupId,
  groupsOf,
  sightingDocuments,
  sightingId,
  type GroupDocument,
  type Seen,
  type SightingDocument,
} from '../../projections/history/failure-counts.js';
import { history } from '../../projections/history/history.js';
import type { Instant } from '../domain/event.js';
import type { AnchorKind } from '../domain/failures/anchor.js';
import { isId } from '../domain/ids.js';
import type { Moment } from '../domain/test-history/failing-row.js';
import { fail } from '../errors.js';
import { limits } from '../limits.js';
import type { ViewQuery, ViewReader } from '../ports/views.js';
import { typedViews, type Stored } from '../projecting/typed-views.js';
import { findCounted, findPage, type CountedPage } from './find-page.js';

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

/** A group in a project, or on one of its branches. */
export type ProjectGroup = Row & { runs: number };

/** A run in which a group was seen; `run_id` is null for a result without a run. */
export type GroupRun = Moment & { results: number; tests: number };

type Part = { offset: number; limit: number };

export type FailureQueries = {
  /**
   * The groups of a run: those that its baseline does not have first, then by their number of results. `baseline`:
   * another run of the team than the run's own baseline.
   */
  ofRun(
    run: { id: string; project_id: string; team_id: string },
    part: Part & { baseline?: string | undefined },
  ): Promise<CountedPage<RunGroup>>;
  /** The ids of the results of a group in a run, in the order of their failures. @throws AppError `not_found` */
  resultsOf(runId: string, group: string, part: Part): Promise<CountedPage<string>>;
  /** The ids of the first results of a group in a run; none where it is not in it. */
  firstResults(runId: string, group: string, limit: number): Promise<string[]>;
  /** The groups of a project, or of a branch, those with most runs first. */
  ofProject(
    projectId: string,
    part: Part & { branch: string | undefined; since: Instant | undefined },
  ): Promise<CountedPage<ProjectGroup>>;
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
): FailureQueries {
  const views = typedViews(reader, history);

  async function firstOf(listed_in: string, limit: number): Promise<string[]> {
    const sort = { field: 'placed', direction: 'ascending' } as const;
    const { items } = await views.find(failureDocuments, { where: { listed_in }, sort, limit });
    return items.map(({ result_id }) => result_id);
  }

  async function example({ sighting }: Pick<Seen, 'sighting'>): Promise<string | null> {
    return (await firstOf(sighting, 1))[0] ?? null;
  }

  async function outermost(scope: string, direction: 'ascending' | 'descending'): Promise<Seen | null> {
    const sort = { field: 'opened', direction };
    return (await views.find(sightingDocuments, { where: { scope }, sort, limit: 1 })).items[0] ?? null;
  }

  async function lastOf(document: GroupDocument): Promise<Seen | null> {
    return document.last ?? (await outermost(document.scope, 'descending'));
  }

  /** Null where the group is gone since its document was read. */
  async function seenOf(document: GroupDocument): Promise<{ first: Seen; last: Seen } | null> {
    const [first, last] = await Promise.all([
      document.first ?? outermost(document.scope, 'ascending'),
      lastOf(document),
    ]);
    return first === null || last === null ? null : { first, last };
  }

  async function projectGroup(document: GroupDocument): Promise<ProjectGroup | null> {
    const { group, runs, results } = document;
    const seen = await seenOf(document);
    if (seen === null) return null;
    return {
      ...named(group),
      runs,
      results,
      first_seen: momentOf(seen.first),
      last_seen: momentOf(seen.last),
      example: await example(seen.last),
    };
  }

  async function projectGroups(documents: readonly GroupDocument[]): Promise<ProjectGroup[]> {
    const rows = await Promise.all(documents.map(projectGroup));
    return rows.filter((row) => row !== null);
  }

  async function runGroups(projectId: string, sightings: readonly Sorted[]): Promise<RunGroup[]> {
    const ids = sightings.map(({ group }) => groupId(projectId, group.id));
    const documents = await views.get(groupDocuments, ids);
    return Promise.all(
      sightings.map(async (sighting, n): Promise<RunGroup> => {
        const document = documents[n] ?? null;
        const seen = document === null ? null : await seenOf(document);
        const { group, results, tests } = sighting;
        return {
          ...named(group),
          results,
          tests: tests ?? 1,
          new: sighting.isNew,
          first_seen: momentOf(seen?.first ?? sighting),
          last_seen: momentOf(seen?.last ?? sighting),
          example: await example(sighting),
        };
      }),
    );
  }

  async function compared(
    sightings: readonly SightingDocument[],
    baseline: string | null,
  ): Promise<Sorted[]> {
    if (baseline === null) return sightings.map((each) => ({ ...each, isNew: true }));
    const there = await views.get(
      sightingDocuments,
      sightings.map(({ group }) => sightingId(baseline, group.id)),
    );
    return sightings.map((each, n) => ({ ...each, isNew: there[n] === null }));
  }

  async function largest(runId: string, part: Part): Promise<CountedPage<Stored<SightingDocument>>> {
    const sort = { field: 'results', direction: 'descending' } as const;
    const query = { where: { in_run: runId }, sort, ...part };
    return findPage(findCounted(views, sightingDocuments), query);
  }

  async function groupIn(projectId: string, group: string): Promise<GroupDocument> {
    const [found] = isId('group', group) ? await views.get(groupDocuments, [groupId(projectId, group)]) : [];
    return found ?? notFound();
  }

  return {
    async ofRun({ id, project_id, team_id }, { offset, limit, baseline: wanted }) {
      const baseline = wanted ?? (await baselineOf(team_id, id));
      // Without a baseline all groups are new, so the index has them in order.
      const ordered = baseline === null ? 0 : limits.orderedGroups;
      const rest = { offset: Math.max(offset, ordered), limit: offset + limit - Math.max(offset, ordered) };
      const [head, tail] = await Promise.all([
        offset < ordered ? largest(id, { offset: 0, limit: ordered }) : null,
        rest.limit > 0 ? largest(id, rest) : null,
      ]);
      const sorted = newFirst(await compared(head?.items ?? [], baseline)).slice(offset, offset + limit);
      const page = [...sorted, ...(await compared(tail?.items ?? [], baseline))];
      return { items: await runGroups(project_id, page), total: (tail ?? head)?.total ?? 0 };
    },

    async resultsOf(runId, group, part) {
      const listed_in = sightingId(runId, group);
      const [found] = isId('group', group) ? await views.get(sightingDocuments, [listed_in]) : [];
      const { results: total } = found ?? notFound();
      const sort = { field: 'placed', direction: 'ascending' } as const;
      const query = { where: { listed_in }, sort, ...part };
      const { items } = await findPage(async (query) => {
        const { items } = await views.find(failureDocuments, query);
        return { items, total };
      }, query);
      return { items: items.map(({ result_id }) => result_id), total };
    },

    firstResults: (runId, group, limit) => firstOf(sightingId(runId, group), limit),

    async ofProject(projectId, { branch, since, offset, limit }) {
      const listed_in = groupsOf(projectId, branch);
      if (since === undefined) {
        const sort = { field: 'runs', direction: 'descending' } as const;
        const query = { where: { listed_in }, sort, offset, limit };
        const { items, total } = await findPage(findCounted(views, groupDocuments), query);
        return { items: await projectGroups(items), total };
      }
      const query: ViewQuery = {
        where: { listed_in },
        sort: { field: 'last_at', direction: 'descending' },
        range: { from: since },
        limit: limits.orderedGroups,
      };
      const { items } = await views.find(groupDocuments, query);
      const lasts = await Promise.all(items.map(lastOf));
      const recent = items.filter((_, n) => (lasts[n]?.at ?? '') >= since);
      recent.sort((one, other) => other.runs - one.runs);
      return { items: await projectGroups(recent.slice(offset, offset + limit)), total: recent.length };
    },

    async group(projectId, group) {
      return (await projectGroup(await groupIn(projectId, group))) ?? notFound();
    },

    async runsOf(projectId, group, part) {
      const { scope, runs: total } = await groupIn(projectId, group);
      const sort = { field: 'opened', direction: 'descending' } as const;
      const { items } = await findPage(
        async (query) => {
          const { items } = await views.find(sightingDocuments, query);
          return { items, total };
        },
        { where: { scope }, sort, ...part },
      );
      return {
        items: items.map((each) => ({ ...momentOf(each), results: each.results, tests: each.tests ?? 1 })),
        total,
      };
    },
  };
}

/** A sighting, compared with the baseline of its run. */
type Sorted = SightingDocument & { isNew: boolean };

function newFirst(sightings: readonly Sorted[]): Sorted[] {
  return [...sightings.filter(({ isNew }) => isNew), ...sightings.filter(({ isNew }) => !isNew)];
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
