/** The fold of a chunk of items: into packs, and into the counts of the run that no reader sees yet. */
import { noCounts } from '../src/domain/counts.js';
import { parseStreamName } from '../src/domain/event.js';
import { itemId } from '../src/domain/ids.js';
import type { Documents } from '../src/domain/projection.js';
import { statusWords, type ResultStatus } from '../src/domain/result.js';
import { statusIn, type ChunkEvent, type ItemChunk } from '../src/domain/runs/item-chunk.js';
import type { Handlers } from './projection.js';
import {
  itemRefs,
  ownRefs,
  placeAt,
  putItems,
  putPlaces,
  resultRefs,
  type ItemRelations,
} from './result-places.js';
import { withItems, type AddedItems, type Place } from './run-counts.js';
import { arrivingRuns } from './run-documents.js';

export const submittedItems: NonNullable<Handlers['ResultsSubmitted']> = {
  touches: (event) => [
    arrivingRuns.at(event.data.run_id),
    ...itemRefs(event),
    ...relatedIds(event.data).flatMap(resultRefs),
  ],
  follows: (documents, { data }) => ownRefs(documents, relatedIds(data)),
  apply: submit,
};

function submit(documents: Documents, event: ChunkEvent): void {
  const { data: chunk, meta } = event;
  const submission = parseStreamName(event.stream).id;
  const relations = relationsOf(documents, chunk, submission);
  putItems(documents, event, relations);
  const arriving = documents.get(arrivingRuns, chunk.run_id);
  if (arriving === null) return;
  const items = itemCounts(chunk, relations);
  const replaced = new Map<string, Place>();
  for (const [ordinal, ids] of Object.entries(chunk.replaces ?? {})) {
    for (const id of ids) {
      const former = placeAt(documents, id);
      if (former === null) continue;
      const { superseded_by, replaced_by: others = [] } = replaced.get(id) ?? former;
      replaced.set(id, { superseded_by, replaced_by: [...others, itemId(submission, Number(ordinal))] });
      if (others.length > 0) continue;
      items.replaced += 1;
      count(items, former.status, superseded_by !== null, -1);
    }
  }
  putPlaces(documents, replaced);
  documents.put(arrivingRuns, chunk.run_id, withItems(arriving, items, meta.at));
}

/** What the items of a chunk are superseded and replaced by. A result that was deleted replaces nothing. */
function relationsOf(
  documents: Documents,
  { superseded_by = {}, replaced_by = {} }: ItemChunk,
  submission: string,
): ItemRelations {
  const superseders = Object.entries(superseded_by).map(([n, ordinal]) => [n, itemId(submission, ordinal)]);
  const replacers = Object.entries(replaced_by)
    .map(([n, ids]) => [n, ids.filter((id) => placeAt(documents, id) !== null)] as const)
    .filter(([, ids]) => ids.length > 0);
  return {
    superseded_by: Object.fromEntries(superseders) as ItemRelations['superseded_by'],
    replaced_by: Object.fromEntries(replacers),
  };
}

function itemCounts(chunk: ItemChunk, { superseded_by, replaced_by }: ItemRelations): AddedItems {
  const items: AddedItems = { counts: { ...noCounts }, standing: { ...noCounts }, replaced: 0 };
  for (let n = 0; n < chunk.count; n += 1) {
    const ordinal = chunk.first + n;
    if (ordinal in replaced_by) items.replaced += 1;
    else count(items, statusIn(chunk, n), ordinal in superseded_by, 1);
  }
  return items;
}

function count(
  { counts, standing }: AddedItems,
  status: ResultStatus,
  isSuperseded: boolean,
  more: 1 | -1,
): void {
  for (const each of isSuperseded ? [counts] : [counts, standing]) {
    each.total += more;
    each[statusWords[status]] += more;
  }
}

/** The results of other submissions that items of a chunk replace, or are replaced by. */
function relatedIds({ replaces = {}, replaced_by = {} }: ItemChunk): string[] {
  return [...Object.values(replaces), ...Object.values(replaced_by)].flat();
}
