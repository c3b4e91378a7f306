/** Which results of a run have an owner or a tag: the records say it, most of them by their packs. */
import { labelAt, labelIn, type Label } from '../../../projections/records/pack-labels.js';
import { PACK_ITEMS, packDocuments, packedAt, placeIn } from '../../../projections/records/result-packs.js';
import { itemOriginIn, resultIdIn } from '../../domain/comparison/packed-line.js';
import { wholeTeam } from '../../domain/teams/access.js';
import type { TeamViews } from '../team-views.js';
import { resultsById } from './results-by-id.js';
import type { PlacedResult } from './sorted-results.js';

/** What only the record of a result says. */
export type Facts = Partial<Record<'owner' | 'tag' | 'not_tag', string | undefined>>;

/** To read a result or a test costs as much as to look through this many in the history or in an index. */
export const READ_COSTS = 10;
/** Results that are read with all of their fields. */
const READ_AT_ONCE = 256;

export function isOfRecords(facts: Facts): boolean {
  return Object.values(facts).some((fact) => fact !== undefined);
}

/** Those of some results that have the facts, in their order. `searched`: what it cost. */
export async function withFacts(
  views: TeamViews,
  team: string,
  results: readonly PlacedResult[],
  facts: Facts,
): Promise<{ matching: PlacedResult[]; searched: number }> {
  const reader = wholeTeam(team);
  const { packIds, places } = placesOf(results);
  const read = await views.some(packDocuments, reader, packIds);
  const byId = new Map(read.map((pack) => [pack.id, pack]));
  const packs = packIds.map((id) => byId.get(id));
  const hasFacts = openFacts(facts);
  // Undefined: only the record itself says it.
  const found = places.map((place) => {
    if (place === ALONE) return undefined;
    const n = place % PACK_ITEMS;
    const pack = packs[(place - n) / PACK_ITEMS];
    const packed = pack === undefined ? null : packedAt(pack, n);
    if (packed === null) return false;
    if (packed.isChanged || pack!.labels === null) return undefined;
    return hasFacts(pack!.labels === undefined ? labelIn(null) : labelAt(pack!.labels, n));
  });
  const unsaid = results.filter((_, n) => found[n] === undefined).map(({ result }) => resultIdIn(result));
  const recorded = new Set<string>();
  for (let from = 0; from < unsaid.length; from += READ_AT_ONCE) {
    for (const each of await resultsById(views, reader, unsaid.slice(from, from + READ_AT_ONCE)))
      if (hasFacts(labelIn(each.metadata))) recorded.add(each.test_result_id);
  }
  return {
    matching: results.filter(({ result }, n) => found[n] ?? recorded.has(resultIdIn(result))),
    searched: results.length + READ_COSTS * (packIds.length + unsaid.length),
  };
}

const ALONE = -1;

/**
 * The packs with some results, and where each result is: the number of its pack times `PACK_ITEMS`, and its place there. Of 50,000
 * results, objects and ids of packs would be most of the work: neighbours share a pack, whose id is made once.
 */
function placesOf(results: readonly PlacedResult[]): { packIds: string[]; places: number[] } {
  const numbers = new Map<string, number>();
  let [submission, first, number] = ['', -1, -1];
  const places = results.map(({ result }) => {
    const origin = itemOriginIn(result);
    if (origin === null) return ALONE;
    const { submission_id, ordinal } = origin;
    const n = ordinal % PACK_ITEMS;
    if (submission_id !== submission || ordinal - n !== first) {
      [submission, first] = [submission_id, ordinal - n];
      const { pack } = placeIn(submission, ordinal);
      number = numbers.get(pack) ?? numbers.size;
      numbers.set(pack, number);
    }
    return number * PACK_ITEMS + n;
  });
  return { packIds: [...numbers.keys()], places };
}

/** Neighbours have the same label, which is looked at once. */
function openFacts({ owner, tag, not_tag }: Facts): (label: Label) => boolean {
  const known = new Map<Label, boolean>();
  return (label) => {
    let has = known.get(label);
    if (has === undefined) {
      const [of, ...tags] = label;
      has =
        (owner === undefined || of === owner) &&
        (tag === undefined || tags.includes(tag)) &&
        (not_tag === undefined || !tags.includes(not_tag));
      known.set(label, has);
    }
    return has;
  };
}
