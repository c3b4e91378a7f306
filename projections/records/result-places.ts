/** How a fold finds and changes results: in documents of their own, or in packs (`result-packs.ts`). */
import type { DocumentRef, Documents } from '../../src/domain/projection.js';
import type { ResultStatus } from '../../src/domain/results/result.js';
import { changedLetterOf, GONE } from './result-letters.js';
import {
  directoryDocuments,
  bodyDocuments,
  bodyIdAt,
  changedDocuments,
  packDocuments,
  packedAt,
  packPlaceOf,
  resultIn,
  type PackDocument,
  type PackPlace,
  type Relations,
} from './result-packs.js';
import type { Place } from './run-counts.js';
import { resultDocuments, type ResultDocument } from './run-documents.js';

type Reading = Pick<Documents, 'get'>;

/** What the functions here need of a result, beside `ownRefs` or `wholeRefs`. */
export function resultRefs(id: string): DocumentRef[] {
  const place = packPlaceOf(id);
  if (place === null) return [resultDocuments.at(id)];
  return [packDocuments.at(place.pack), directoryDocuments.at(place.block)];
}

/** For `follows`: what `placeAt`, `putPlace` and `removeResult` need besides, once the packs are there. */
export function ownRefs(documents: Reading, ids: readonly string[]): (readonly DocumentRef[])[] | null {
  const changed = ids.filter((id) => packedOf(documents, id)?.isChanged === true);
  return changed.length === 0 ? null : [changed.map(changedDocuments.at)];
}

/** For `follows`: what `resultAt` and `putChanged` need besides. */
export function wholeRefs(documents: Reading, id: string): (readonly DocumentRef[])[] | null {
  const packed = packedOf(documents, id);
  if (packed === null) return null;
  const { pack, n, isChanged } = packed;
  if (isChanged) return [[changedDocuments.at(id)]];
  return [[bodyDocuments.at(bodyIdAt(pack, n)), changedDocuments.atNew(id)]];
}

/** The status of a result, and what it is superseded and replaced by; null where it is not there. */
export function placeAt(documents: Reading, id: string): (Place & { status: ResultStatus }) | null {
  if (packPlaceOf(id) === null) return documents.get(resultDocuments, id);
  const packed = packedOf(documents, id);
  if (packed === null) return null;
  if (packed.isChanged) return documents.get(changedDocuments, id);
  const { pack, n, status } = packed;
  const { [n]: superseded_by = null } = pack.superseded_by;
  const { [n]: replaced_by = [] } = pack.replaced_by;
  return { status, superseded_by, replaced_by };
}

/** Changes what results that are there are superseded and replaced by. Each pack is written once. */
export function putPlaces(documents: Documents, places: ReadonlyMap<string, Place>): void {
  const byPack = new Map<string, [n: number, Place][]>();
  for (const [id, place] of places) {
    const packed = packedOf(documents, id);
    if (packed === null || packed.isChanged) {
      putOwnPlace(documents, id, place);
      continue;
    }
    const { pack, n } = packed;
    const others = byPack.get(pack.id);
    if (others === undefined) byPack.set(pack.id, [[n, place]]);
    else others.push([n, place]);
  }
  for (const [id, changes] of byPack) {
    const pack = documents.get(packDocuments, id)!;
    const superseded_by: Record<string, string> = { ...pack.superseded_by };
    const replaced_by: Record<string, readonly string[]> = { ...pack.replaced_by };
    for (const [n, { superseded_by: by, replaced_by: others = [] }] of changes) {
      if (by === null) delete superseded_by[n];
      else superseded_by[n] = by;
      if (others.length === 0) delete replaced_by[n];
      else replaced_by[n] = others;
    }
    documents.put(packDocuments, id, { ...pack, superseded_by, replaced_by });
  }
}

export function putPlace(documents: Documents, id: string, place: Place): void {
  putPlaces(documents, new Map([[id, place]]));
}

/** For a result with a document of its own. */
function putOwnPlace(documents: Documents, id: string, { superseded_by, replaced_by = [] }: Place): void {
  const of = packPlaceOf(id) === null ? resultDocuments : changedDocuments;
  const { replaced_by: _, ...former } = documents.get(of, id)!;
  documents.put(of, id, { ...former, superseded_by, ...(replaced_by.length > 0 && { replaced_by }) });
}

/** A result with all of its fields. */
export function resultAt(documents: Reading, id: string): ResultDocument | null {
  if (packPlaceOf(id) === null) return documents.get(resultDocuments, id);
  const packed = packedOf(documents, id);
  if (packed === null) return null;
  const { pack, n, isChanged } = packed;
  if (isChanged) return documents.get(changedDocuments, id);
  return resultIn(pack, documents.get(bodyDocuments, bodyIdAt(pack, n))!, n);
}

/** Puts a result that is there as an event has changed it. One of a pack has a document of its own from then on. */
export function putChanged(documents: Documents, id: string, next: ResultDocument): void {
  const packed = packedOf(documents, id);
  if (packed === null) return documents.put(resultDocuments, id, next);
  documents.put(changedDocuments, id, next);
  if (!packed.isChanged || packed.status !== next.status)
    mark(documents, packed, changedLetterOf(next.status), next.status);
}

export function removeResult(documents: Documents, id: string): void {
  const packed = packedOf(documents, id);
  if (packed === null) return documents.remove(resultDocuments, id);
  if (packed.isChanged) documents.remove(changedDocuments, id);
  mark(documents, packed, GONE, null);
}

type Packed = PackPlaceIn & NonNullable<ReturnType<typeof packedAt>>;
type PackPlaceIn = { pack: PackDocument; n: number; place: PackPlace };

/** Null for a result that is not there, or was posted by itself. */
function packedOf(documents: Reading, id: string): Packed | null {
  const place = packPlaceOf(id);
  const pack = place === null ? null : documents.get(packDocuments, place.pack);
  const packed = pack === null ? null : packedAt(pack, place!.n);
  if (packed === null) return null;
  const { status, isChanged } = packed;
  return { pack: pack!, n: place!.n, place: place!, status, isChanged };
}

/** Gives a result another letter. What it is superseded by is in its own document from then on, if it has one. */
function mark(
  documents: Documents,
  { pack, n, place, status }: Packed,
  letter: string,
  to: ResultStatus | null,
): void {
  const { statuses } = pack;
  documents.put(packDocuments, pack.id, {
    ...pack,
    statuses: statuses.slice(0, n) + letter + statuses.slice(n + 1),
    superseded_by: without(pack.superseded_by, n),
    replaced_by: without(pack.replaced_by, n),
  });
  if (status === to) return;
  const block = documents.get(directoryDocuments, place.block)!;
  const listed = { ...block.listed[place.nth] };
  const others = listed[status]! - 1;
  if (others > 0) listed[status] = others;
  else delete listed[status];
  if (to !== null) listed[to] = (listed[to] ?? 0) + 1;
  documents.put(directoryDocuments, place.block, { ...block, listed: block.listed.with(place.nth, listed) });
}

function without<T>(all: Relations<T>, n: number): Relations<T> {
  if (!(n in all)) return all;
  const { [n]: _, ...others } = all;
  return others;
}
