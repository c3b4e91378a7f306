/** The groups that are seen in a run, compared with those of its baseline. */
import { sightingDocuments, type SightingDocument } from '../../projections/history/failure-counts.js';
import { sightingId } from '../../projections/history/failure-scopes.js';
import { limits } from '../limits.js';
import type { Stored, TypedViews } from '../projecting/typed-views.js';
import type { Wanted } from './group-sightings.js';
import { findCounted, findPage, type CountedPage } from './find-page.js';
import { plainSighting } from './plain-groups.js';

/** A sighting, compared with the baseline of its run. */
export type Sorted = SightingDocument & { isNew: boolean };

export function newFirst(sightings: readonly Sorted[]): Sorted[] {
  return [...sightings.filter(({ isNew }) => isNew), ...sightings.filter(({ isNew }) => !isNew)];
}

type Part = { offset: number; limit: number };

export async function compared(
  views: Pick<TypedViews, 'get'>,
  sightings: readonly SightingDocument[],
  baseline: string | null,
  environment: Wanted,
): Promise<Sorted[]> {
  if (baseline === null) return sightings.map((each) => ({ ...each, isNew: true }));
  const there = await views.get(
    sightingDocuments,
    sightings.map(({ group }) => sightingId(baseline, group.id, { environment })),
  );
  const isThere = (one: SightingDocument | null) =>
    one !== null && (environment !== '' || plainSighting(one) !== null);
  return sightings.map((each, n) => ({ ...each, isNew: !isThere(there[n] ?? null) }));
}

export async function largest(
  views: Pick<TypedViews, 'find'>,
  in_run: string,
  part: Part,
): Promise<CountedPage<Stored<SightingDocument>>> {
  const sort = { field: 'results', direction: 'descending' } as const;
  const query = { where: { in_run }, sort, ...part };
  return findPage(findCounted(views, sightingDocuments), query);
}

/** Those without an environment, as one page of all of them. */
export async function plainSightings(
  views: Pick<TypedViews, 'find'>,
  in_run: string,
): Promise<CountedPage<Stored<SightingDocument>>> {
  const { items } = await largest(views, in_run, { offset: 0, limit: limits.orderedGroups });
  const plain = items.flatMap((each) => plainSighting(each) ?? []);
  return { items: plain.sort((one, other) => other.results - one.results), total: plain.length };
}
