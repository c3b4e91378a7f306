/** The fold of a chunk of items: into packs, and into the counts of the run that no reader sees yet. */
import { noCounts } from '../../src/domain/counts.js';
import { itemPosition, logPosition, parseStreamName } from '../../src/domain/event.js';
import { itemId } from '../../src/domain/ids.js';
import type { DocumentRef, Documents } from '../../src/domain/projection.js';
import { statusWords, type ResultStatus } from '../../src/domain/results/result.js';
import { partOf, statusIn, type ChunkEvent, type ItemChunk } from '../../src/domain/runs/item-chunk.js';
import type { FailureGroup } from '../../src/domain/test-history/result-facts.js';
import type { Handlers } from '../projection.js';
import { withLabels } from './pack-labels.js';
import { letterOf } from './result-letters.js';
import {
  directoryDocuments,
  BODY_ITEMS,
  bodyDocuments,
  PACK_ITEMS,
  packDocuments,
  placeIn,
  type PackDocument,
  type Relations,
} from './result-packs.js';
import { ownRefs, placeAt, putPlaces, resultRefs } from './result-places.js';
import { withItems, type AddedItems, type Place } from './run-counts.js';
import { arrivingRuns } from './run-documents.js';

/** By ordinal: what items are superseded and replaced by, from the start. */
type ItemRelations = Pick<PackDocument, 'superseded_by' | 'replaced_by'>;

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

/** The documents that the items of a chunk are put into. Those that begin with it are new. */
function itemRefs({ data: { first, count }, stream }: ChunkEvent): DocumentRef[] {
  const submission = parseStreamName(stream).id;
  const refs = bodyFirsts(first, count).map((begin) => bodyDocuments.atNew(`${submission}#${begin}`));
  for (const begin of packFirsts(first, count)) {
    const { pack, block, nth } = placeIn(submission, begin);
    const isNew = begin >= first;
    refs.push(isNew ? packDocuments.atNew(pack) : packDocuments.at(pack));
    refs.push(isNew && nth === 0 ? directoryDocuments.atNew(block) : directoryDocuments.at(block));
  }
  return refs;
}

/** Puts the items of a chunk. */
function putItems(documents: Documents, event: ChunkEvent, relations: ItemRelations): void {
  const { data: chunk, meta, stream } = event;
  const { first, count } = chunk;
  const { team_id, at } = meta;
  const call_environment = meta.facts?.environment;
  const submission = parseStreamName(stream).id;
  const end = first + count;
  const bodies = bodyFirsts(first, count);
  bodies.forEach((begin, n) => {
    const id = `${submission}#${begin}`;
    const part = partOf(chunk, begin, (bodies[n + 1] ?? end) - begin);
    documents.put(bodyDocuments, id, { id, team_id, at, ...withTitles(part) });
  });
  const since = logPosition(event.position);
  const owned = { team_id, test_run_id: chunk.run_id, submission_id: submission };
  for (const begin of packFirsts(first, count)) {
    const { pack: id, block: blockId, nth } = placeIn(submission, begin);
    const [from, to] = [Math.max(begin, first), Math.min(begin + PACK_ITEMS, end)];
    const block = documents.get(directoryDocuments, blockId) ?? {
      ...owned,
      first: begin / PACK_ITEMS,
      created_position: itemPosition(since, begin),
      listed: [],
    };
    const listed = { ...block.listed[nth] };
    let statuses = '';
    for (let ordinal = from; ordinal < to; ordinal += 1) {
      const status = statusIn(chunk, ordinal - first);
      statuses += letterOf(status);
      listed[status] = (listed[status] ?? 0) + 1;
    }
    const former = documents.get(packDocuments, id);
    documents.put(packDocuments, id, {
      id,
      ...owned,
      first: begin,
      since,
      statuses: (former?.statuses ?? '') + statuses,
      bodies: [...(former?.bodies ?? []), ...bodies.filter((each) => each >= from && each < to)],
      superseded_by: within(relations.superseded_by, begin, to, former?.superseded_by),
      replaced_by: within(relations.replaced_by, begin, to, former?.replaced_by),
      ...withLabels(former?.labels, chunk, {
        at: from - begin,
        from: from - first,
        to: to - first,
      }),
      ...(call_environment !== undefined && { call_environment }),
    });
    documents.put(directoryDocuments, blockId, { ...block, listed: [...block.listed.slice(0, nth), listed] });
  }
}

/** The history has the groups. An item holds the title of its own. */
function withTitles({ group, ...part }: ItemChunk): ItemChunk {
  if (group === undefined) return part;
  const titles = new Map<string, FailureGroup>();
  const titleOf = (of: FailureGroup | null) => {
    if (of === null) return null;
    const { title } = of;
    const known = titles.get(title) ?? ({ title } as FailureGroup);
    titles.set(title, known);
    return known;
  };
  const column = Array.isArray(group)
    ? (group as readonly (FailureGroup | null)[]).map(titleOf)
    : titleOf(group as FailureGroup | null);
  return column === null ? part : { ...part, group: column };
}

/** The relations of the items of a pack, by their places in it, after those that it has. */
function within<T>(all: Relations<T>, begin: number, to: number, former?: Relations<T>): Relations<T> {
  const own = Object.entries(all).filter(([ordinal]) => Number(ordinal) >= begin && Number(ordinal) < to);
  return {
    ...former,
    ...Object.fromEntries(own.map(([ordinal, value]) => [Number(ordinal) - begin, value])),
  };
}

/** The ordinals at which a chunk is cut into bodies. */
function bodyFirsts(first: number, count: number): number[] {
  const firsts = [first];
  for (let next = first - (first % BODY_ITEMS) + BODY_ITEMS; next < first + count; next += BODY_ITEMS)
    firsts.push(next);
  return firsts;
}

/** The ordinals of the first items of the packs that a chunk has items of. */
function packFirsts(first: number, count: number): number[] {
  const firsts: number[] = [];
  for (let next = first - (first % PACK_ITEMS); next < first + count; next += PACK_ITEMS) firsts.push(next);
  return firsts;
}
