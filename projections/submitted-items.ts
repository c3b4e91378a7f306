/** The fold of a chunk of items: into packs, and into the counts of the run that no reader sees yet. */
import { noCounts, removed } from '../src/domain/counts.js';
import { parseStreamName } from '../src/domain/event.js';
import { itemId } from '../src/domain/ids.js';
import type { Documents } from '../src/domain/projection.js';
import { statusWords } from '../src/domain/result.js';
import { statusIn, type ChunkEvent, type ItemChunk } from '../src/domain/runs/item-chunk.js';
import type { Handlers } from './projection.js';
import {
  itemRefs,
  ownRefs,
  placeAt,
  putItems,
  putPlace,
  resultRefs,
  type ItemRelations,
} from './result-places.js';
import { recounted, withItems, withReplaced, type AddedItems } from './run-counts.js';
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
  let next = withItems(arriving, itemCounts(chunk, relations), meta.at);
  for (const [ordinal, ids] of Object.entries(chunk.replaces ?? {})) {
    for (const id of ids) {
      const former = placeAt(documents, id);
      if (former === null) continue;
      const { replaced_by: others = [] } = former;
      putPlace(documents, id, { ...former, replaced_by: [...others, itemId(submission, Number(ordinal))] });
      if (others.length === 0) next = withReplaced(recounted(next, former, removed), 1);
    }
  }
  documents.put(arrivingRuns, chunk.run_id, next);
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
  const [counts, standing] = [{ ...noCounts }, { ...noCounts }];
  let replaced = 0;
  for (let n = 0; n < chunk.count; n += 1) {
    const ordinal = chunk.first + n;
    if (ordinal in replaced_by) {
      replaced += 1;
      continue;
    }
    const word = statusWords[statusIn(chunk, n)];
    for (const each of ordinal in superseded_by ? [counts] : [counts, standing]) {
      each.total += 1;
      each[word] += 1;
    }
  }
  return { counts, standing, replaced };
}

/** The results of other submissions that items of a chunk replace, or are replaced by. */
function relatedIds({ replaces = {}, replaced_by = {} }: ItemChunk): string[] {
  return [...Object.values(replaces), ...Object.values(replaced_by)].flat();
}
