/**
 * The results of submissions, in packs: what a reader and the fold know of them (docs/decisions/035). A pack has the statuses
 * and relations of 500 results. Their other fields are in bodies, of 125 results each, which are never written again. A
 * result that was changed has a document of its own. Where a result is follows from its id.
 */
import type { Labelled } from './pack-labels.js';
import { statusOf } from './result-letters.js';
import { recordedResult, type ResultDocument } from './run-documents.js';
import type { EnvironmentKey } from '../../src/domain/environment.js';
import { itemPosition, type Instant, type Position } from '../../src/domain/event.js';
import { bulkOriginOf, itemId } from '../../src/domain/ids.js';
import { collection } from '../../src/domain/projection.js';
import { result, type ResultStatus } from '../../src/domain/results/result.js';
import { itemIn, metaIn, type ItemChunk } from '../../src/domain/runs/item-chunk.js';

/** A full chunk is one pack, and it is four bodies. */
export const PACK_ITEMS = 500;
export const BODY_ITEMS = 125;
const BLOCK_PACKS = 64;

/** What a result is superseded and replaced by, by its place in the pack; only where there is something. */
export type Relations<T> = Readonly<Record<string, T>>;

export type PackDocument = Labelled & {
  id: string;
  team_id: string;
  test_run_id: string;
  submission_id: string;
  /** The ordinal of its first result. */
  first: number;
  /** The position of the event that its results follow. */
  since: Position;
  /** A letter for each result (`result-letters.ts`). */
  statuses: string;
  /** The ordinal of the first result of each body. */
  bodies: readonly number[];
  superseded_by: Relations<string>;
  replaced_by: Relations<readonly string[]>;
  /** That of the call. Absent without one. */
  call_environment?: EnvironmentKey;
};

/** By submission, `#` and the number of the pack. */
export const packDocuments = collection<PackDocument>({ name: 'packs', ids: 'run', indexes: [] });

/** Some results of one chunk. */
export type BodyDocument = ItemChunk & { id: string; team_id: string; at: Instant };

/** By submission, `#` and the ordinal of the first result. */
export const bodyDocuments = collection<BodyDocument>({
  name: 'bodies',
  ids: 'run',
  rarelyRead: true,
  indexes: [],
});

/** Results of packs that were changed, without an index: a list finds them by their packs. */
export const changedDocuments = collection<ResultDocument>({
  name: 'changed_results',
  ids: 'result',
  indexes: [],
});

/** The number of results that are there, by status. */
export type Listed = Readonly<Partial<Record<ResultStatus, number>>>;

/** The directory of a run: some packs of one submission, of bounded size. */
export type DirectoryDocument = {
  team_id: string;
  test_run_id: string;
  submission_id: string;
  /** The number of its first pack. */
  first: number;
  /** That of its first result. */
  created_position: Position;
  /** For each pack. */
  listed: readonly Listed[];
};

/** By submission, `#` and the number of the block. */
export const directoryDocuments = collection<DirectoryDocument>({
  name: 'directory',
  ids: 'run',
  indexes: [['test_run_id', 'created_position']],
});

/** Where a result is. `n`: its place in the pack. `nth`: that of the pack in the block. */
export type PackPlace = { pack: string; n: number; block: string; nth: number };

/** Null for a result that was posted by itself. */
export function packPlaceOf(resultId: string): PackPlace | null {
  const origin = bulkOriginOf(resultId);
  return origin === null ? null : placeIn(origin.submission_id, origin.ordinal);
}

export function placeIn(submission: string, ordinal: number): PackPlace {
  const n = ordinal % PACK_ITEMS;
  const pack = (ordinal - n) / PACK_ITEMS;
  const nth = pack % BLOCK_PACKS;
  const block = (pack - nth) / BLOCK_PACKS;
  return { pack: `${submission}#${pack}`, n, block: `${submission}#${block}`, nth };
}

/** Null for a result that is not there, or not any more. `isChanged`: it has a document of its own, which says the rest. */
export function packedAt(
  { statuses }: PackDocument,
  n: number,
): { status: ResultStatus; isChanged: boolean } | null {
  return statusOf(statuses[n] ?? '');
}

export function positionAt({ since, first }: PackDocument, n: number): Position {
  return itemPosition(since, first + n);
}

export function resultIdAt({ submission_id, first }: PackDocument, n: number): string {
  return itemId(submission_id, first + n);
}

/** The id of the body with a result. */
export function bodyIdAt({ submission_id, first, bodies }: PackDocument, n: number): string {
  return `${submission_id}#${bodies.findLast((begin) => begin <= first + n)}`;
}

/** A result that was not changed. */
export function resultIn(pack: PackDocument, body: BodyDocument, n: number): ResultDocument {
  const { submission_id, first, team_id } = pack;
  const place = first + n - body.first;
  const data = itemIn(body, submission_id, place);
  const meta = metaIn(body, { at: body.at }, place);
  const created = result.evolve(result.initial, { type: 'ResultSubmitted', data, meta });
  if (created.life !== 'present') throw new Error(`${data.result_id} is not there`);
  const born = { team_id, created_position: positionAt(pack, n) };
  const recorded = recordedResult(created, born, pack.call_environment);
  const { [n]: superseded_by = null } = pack.superseded_by;
  const { [n]: replaced_by } = pack.replaced_by;
  return { ...recorded, superseded_by, ...(replaced_by && { replaced_by }) };
}
