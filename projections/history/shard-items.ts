/**
 * The items of runs with shards, as far as they change the counts of their run: an item may be replaced by those of a
 * higher attempt. They are packed by 256 of a submission.
 */
import { bulkOriginOf } from '../../src/domain/ids.js';
import {
  collection,
  type DocumentRef,
  type Documents,
  type ReadableDocuments,
} from '../../src/domain/projection.js';
import type { ResultStatus } from '../../src/domain/results/result.js';
import { letterOf, statusOf } from '../records/result-letters.js';

/** `replaced_by`: the ids of the items that replace it. */
export type ShardItem = { status: ResultStatus; replaced_by: readonly string[] };

/** By submission, `#` and the number of the page: a submission's items in the order of their ordinals. */
type ShardItemsDocument = {
  /** One letter for each ordinal of the page (`result-letters.ts`), a blank for an item that is not there. */
  statuses: string;
  /** By place in the page; only those that are replaced. */
  replaced_by: Readonly<Record<string, readonly string[]>>;
};

const ITEMS_PER_PAGE = 256;
const NONE = ' ';

export const shardItemDocuments = collection<ShardItemsDocument>({
  name: 'shard_items',
  ids: 'run',
  indexes: [],
});

/** What `itemAt`, `putItem` and `removeItem` need of a result; nothing for one that is no item. */
export function itemRefs(resultId: string): DocumentRef[] {
  const place = placeOf(resultId);
  return place === null ? [] : [shardItemDocuments.at(place.page)];
}

/** The same for an item that its event adds: the first of a page begins it. */
export function newItemRefs(resultId: string): DocumentRef[] {
  const place = placeOf(resultId);
  if (place === null) return [];
  return [place.n === 0 ? shardItemDocuments.atNew(place.page) : shardItemDocuments.at(place.page)];
}

/** Null for a result that is no item of a run with shards, and for an item that was deleted. */
export function itemAt(documents: ReadableDocuments, resultId: string): ShardItem | null {
  const place = placeOf(resultId);
  const page = place === null ? null : documents.get(shardItemDocuments, place.page);
  const packed = page === null ? null : statusOf(page.statuses[place!.n] ?? NONE);
  return packed && { status: packed.status, replaced_by: page!.replaced_by[place!.n] ?? [] };
}

export function putItem(documents: Documents, resultId: string, { status, replaced_by }: ShardItem): void {
  change(documents, resultId, letterOf(status), replaced_by);
}

export function removeItem(documents: Documents, resultId: string): void {
  change(documents, resultId, NONE, []);
}

function change(documents: Documents, resultId: string, letter: string, by: readonly string[]): void {
  const place = placeOf(resultId);
  if (place === null) return;
  const { page, n } = place;
  const { statuses: text, replaced_by } = documents.get(shardItemDocuments, page) ?? noItems;
  const { [n]: _, ...others } = replaced_by;
  const before = text.slice(0, n).padEnd(n, NONE);
  documents.put(shardItemDocuments, page, {
    statuses: before + letter + text.slice(n + 1),
    replaced_by: by.length === 0 ? others : { ...others, [n]: by },
  } satisfies ShardItemsDocument);
}

const noItems: ShardItemsDocument = { statuses: '', replaced_by: {} };

function placeOf(resultId: string): { page: string; n: number } | null {
  const origin = bulkOriginOf(resultId);
  if (origin === null) return null;
  const { submission_id, ordinal } = origin;
  const n = ordinal % ITEMS_PER_PAGE;
  return { page: `${submission_id}#${(ordinal - n) / ITEMS_PER_PAGE}`, n };
}
