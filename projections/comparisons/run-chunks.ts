/** The final results of each run, packed in chunks, and in which chunk a result is. */
import { emptyChunk, RESULTS_PER_CHUNK, type Chunk } from '../../src/domain/comparison/packed-results.js';
import { bulkOriginOf } from '../../src/domain/ids.js';
import type { Listed } from '../../src/domain/test-history/result-facts.js';
import {
  collection,
  type DocumentRef,
  type ReadableDocuments,
  type OpenCollection,
} from '../../src/domain/projection.js';

/** By run id, `#` and the number of the chunk. */
export type RunChunkDocument = Chunk & { run_id: string };

/**
 * By submission: the line of its first item among all lines of its run. Its other items follow one after the other. `branch`,
 * `environment`: as its items have them, unless they say otherwise.
 */
export type RunCallDocument = { first: number } & Listed;

export const runChunkDocuments: OpenCollection<RunChunkDocument, RunChunkDocument> = {
  ...collection<RunChunkDocument>({ name: 'run_chunks', ids: 'run', indexes: [] }),
  open: (stored) => {
    const { run_id, origins, groups, lines } = stored ?? { run_id: '', ...emptyChunk };
    return { run_id, origins, groups, lines };
  },
};
export const runCallDocuments = collection<RunCallDocument>({
  name: 'run_calls',
  ids: 'run',
  indexes: [],
});

export function chunkId(runId: string, n: number): string {
  return `${runId}#${n}`;
}

/** `lines`: of all results of the run. */
export function chunkIdsOf(runId: string, { lines }: { lines: number }): string[] {
  const chunks = Math.ceil(lines / RESULTS_PER_CHUNK);
  return Array.from({ length: chunks }, (_, n) => chunkId(runId, n));
}

/** The chunk that has a line. */
export function chunkOfLine(line: number): number {
  return Math.floor(line / RESULTS_PER_CHUNK);
}

/** The chunks to which lines are added behind those that the run has. */
export function addedChunks(run_id: string, lines: number, added: number): DocumentRef[] {
  const chunks: DocumentRef[] = [];
  for (let n = chunkOfLine(lines); n <= chunkOfLine(lines + added - 1); n += 1) {
    const id = chunkId(run_id, n);
    const isNew = n * RESULTS_PER_CHUNK >= lines;
    chunks.push(isNew ? runChunkDocuments.atNew(id) : runChunkDocuments.at(id));
  }
  return chunks;
}

/** What `chunkOfItem` reads. */
export function callRefs(resultId: string): DocumentRef[] {
  const origin = bulkOriginOf(resultId);
  return origin === null ? [] : [runCallDocuments.at(origin.submission_id)];
}

/** The call of an item. Null for a result that was recorded by itself. */
export function callOfItem(documents: ReadableDocuments, resultId: string): RunCallDocument | null {
  const origin = bulkOriginOf(resultId);
  return origin === null ? null : documents.get(runCallDocuments, origin.submission_id);
}

/** The chunk of an item; undefined for a result that was recorded by itself, and for one of an unknown call. */
export function chunkOfItem(documents: ReadableDocuments, resultId: string): number | undefined {
  const call = callOfItem(documents, resultId);
  return call === null ? undefined : chunkOfLine(call.first + bulkOriginOf(resultId)!.ordinal);
}
