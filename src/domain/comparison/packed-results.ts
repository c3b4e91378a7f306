/**
 * The final results of a run as a comparison needs them, packed in chunks of text: some 22 bytes for an item of a bulk
 * submission. As documents of their own, the 100,000 results of two runs could not be compared while a client waits.
 * A chunk holds lines, each of which is one result (`packed-line.ts`).
 */
import { bulkOriginOf } from '../ids.js';
import {
  headOf,
  placeOf,
  placeOfItem,
  resultAt,
  resultIdAt,
  durationAt,
  groupAt,
  hasFailedAt,
  hasRunAt,
  isSupersededAt,
  keyAt,
  ordinalAt,
  SEPARATOR,
  statusAt,
  type PackedResult,
  type RunResult,
} from './packed-line.js';
import { lineKey } from './test-keys.js';

/** `groups`: those of its lines, in one text. The first one is empty. */
export type Chunk = { origins: readonly string[]; groups: string; lines: string };

/** The number of results in a chunk. A single new result writes its whole chunk again, so chunks are small. */
export const RESULTS_PER_CHUNK = 256;

export const emptyChunk: Chunk = { origins: [], groups: '', lines: '' };

/** The chunk with more results. */
export function withResults({ origins, groups, lines }: Chunk, results: readonly RunResult[]): Chunk {
  for (const result of results) {
    const item = bulkOriginOf(result.result_id);
    if (item !== null && !origins.includes(item.submission_id)) origins = [...origins, item.submission_id];
    const own = withGroup(groups, result.group);
    ({ groups } = own);
    const line = headOf(result, own.group) + placeOfItem(origins, result.result_id, item);
    // Not joined: that would copy all lines with each result that is added.
    lines = lines === '' ? line : lines + SEPARATOR + line;
  }
  return { origins, groups, lines };
}

/** The chunk with the change of one of its results, or without it if `change` returns null. */
export function withChange(
  chunk: Chunk,
  resultId: string,
  change: (result: RunResult) => RunResult | null,
): Chunk {
  const place = placeIn(chunk.origins, resultId);
  const lines = linesIn(chunk);
  const at = lines.findIndex(({ line }) => line.endsWith(place) && placeOf(line) === place);
  if (at === -1) return chunk;
  const after = change(resultAt(lines[at]!));
  const group = after === null ? 0 : groupsIn(chunk).indexOf(after.group);
  // All lines are packed again with a new group, so that those that no line has do not add up.
  if (group === -1) return withResults(emptyChunk, resultsIn(chunk).with(at, after!));
  const texts = lines.map(({ line }) => line);
  texts.splice(at, 1, ...(after === null ? [] : [headOf(after, group) + place]));
  return { ...chunk, lines: texts.join(SEPARATOR) };
}

/** All lines of a chunk, in the order in which they came. */
export function resultsIn(chunk: Chunk): RunResult[] {
  return linesIn(chunk).map(resultAt);
}

/** The results of a chunk that were ever final, packed. */
export function packedResultsIn(chunk: Chunk): PackedResult[] {
  return linesIn(chunk).filter(({ line }) => statusAt(line) !== 'Unfinished');
}

/** The ids of the results that failed and count, without an object for each of the others: nearly all have passed. */
export function failingIn({ origins, lines }: Chunk): string[] {
  const ids: string[] = [];
  for (let at = 0, end = 0; lines !== '' && end !== -1; at = end + 1) {
    end = lines.indexOf(SEPARATOR, at);
    if (!hasFailedAt(lines, at) || isSupersededAt(lines, at)) continue;
    ids.push(resultIdAt(origins, placeOf(lines.slice(at, end === -1 ? undefined : end))));
  }
  return ids;
}

/** The tests of chunks that ran, each in its environment: some result that counts was not skipped. */
export function ranIn(chunks: Iterable<Chunk>): ReadonlySet<string> {
  const ran = new Set<string>();
  for (const chunk of chunks) {
    const { lines } = chunk;
    const groups = groupsIn(chunk);
    for (let at = 0, end = 0; lines !== '' && end !== -1; at = end + 1) {
      end = lines.indexOf(SEPARATOR, at);
      if (isSupersededAt(lines, at) || !hasRunAt(lines, at)) continue;
      ran.add(lineKey(keyAt(lines, at), groups[groupAt(lines, at)]!));
    }
  }
  return ran;
}

/** The facts of one result that statistics count. */
type Visit = (fact: Pick<RunResult, 'group' | 'status' | 'superseded' | 'ordinal' | 'duration_ms'>) => void;

/** Visits all results of a chunk, with the same object: there may be a million. */
export function visitResults(chunk: Chunk, visit: Visit): void {
  const { lines } = chunk;
  if (lines === '') return;
  const groups = groupsIn(chunk);
  const fact: Parameters<Visit>[0] = {
    group: '',
    status: 'Passed',
    superseded: false,
    ordinal: 0,
    duration_ms: null,
  };
  for (let at = 0, end = 0; end !== -1; at = end + 1) {
    fact.group = groups[groupAt(lines, at)]!;
    fact.status = statusAt(lines, at);
    fact.superseded = isSupersededAt(lines, at);
    fact.ordinal = ordinalAt(lines, at);
    fact.duration_ms = durationAt(lines, at);
    visit(fact);
    end = lines.indexOf(SEPARATOR, at);
  }
}

function linesIn(chunk: Chunk): PackedResult[] {
  const { origins, lines } = chunk;
  if (lines === '') return [];
  const groups = groupsIn(chunk);
  return lines.split(SEPARATOR).map((line) => ({ origins, groups, line }));
}

function groupsIn({ groups }: Pick<Chunk, 'groups'>): string[] {
  return groups.split(SEPARATOR);
}

/** The number of a group, and the groups with it. */
function withGroup(groups: string, group: string): { groups: string; group: number } {
  if (group === '') return { groups, group: 0 };
  const all = groupsIn({ groups });
  const known = all.lastIndexOf(group);
  return known === -1 ? { groups: groups + SEPARATOR + group, group: all.length } : { groups, group: known };
}

function placeIn(origins: readonly string[], resultId: string): string {
  return placeOfItem(origins, resultId, bulkOriginOf(resultId));
}
