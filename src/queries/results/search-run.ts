/** The results of a run by status, name, environment, owner and tags, in one of several orders, from the history. */
import { setImmediate } from 'node:timers/promises';
import { history } from '../../../projections/history/history.js';
import { runSummaryDocuments } from '../../../projections/comparisons/run-summary-documents.js';
import { chunkIdsOf, runChunkDocuments } from '../../../projections/comparisons/run-chunks.js';
import { idOfTest, testDocuments } from '../../../projections/history/tests.js';
import {
  groupIn,
  isOpen,
  isSuperseded,
  keyIn,
  resultIdIn,
  statusIn,
  type FinalWord,
  type PackedResult,
} from '../../domain/comparison/packed-line.js';
import { packedResultsIn } from '../../domain/comparison/packed-results.js';
import type { EnvironmentKey } from '../../domain/environment.js';
import { environmentHash, testGroup, testKey } from '../../domain/comparison/test-keys.js';
import { limits } from '../../limits.js';
import type { ViewReader } from '../../ports/views.js';
import { isOfRecords, withFacts, type Facts } from './results-with-facts.js';
import { openSorted, type PlacedResult, type ResultSorting } from './sorted-results.js';
import type { TeamViews } from '../team-views.js';
import { typedViews } from '../../projecting/typed-views.js';

/** `words`: all of them are in the name. */
export type RunSearch = Facts & {
  status: FinalWord | undefined;
  words: readonly string[];
  environment: EnvironmentKey | undefined;
};

/** `offset`: of the first one. `searched`: the results and names that were looked through. */
export type FoundResults = { ids: string[]; offset: number; total: number; searched: number };

/** The final results of a run that count, in the order in which they came unless they are sorted. */
export type SearchRun = (
  run: { team: string; runId: string; projectId: string },
  wanted: RunSearch,
  part: SearchedPart,
) => Promise<FoundResults>;

/** `around`: the page in which this result is; none of them where it is in no page. */
type SearchedPart = {
  offset: number;
  limit: number;
  around?: string | undefined;
  sorting?: ResultSorting | undefined;
};

const CHUNKS_AT_ONCE = 100;

/** `results`: the records, which have the tags. */
export function openSearchRun(reader: ViewReader, results: TeamViews): SearchRun {
  const views = typedViews(reader, history);

  /** The keys of the tests with such a name: those that come first by name, up to a limit. */
  async function testsNamed(projectId: string, words: readonly string[]): Promise<Set<string>> {
    const { items } = await views.find(testDocuments, {
      where: { listed_in: projectId },
      sort: { field: 'name', direction: 'ascending' },
      contains: words,
      limit: limits.searchedTests,
    });
    return new Set(items.map((test) => testKey(idOfTest(test), test.name)));
  }

  async function packedIn(chunkIds: readonly string[]): Promise<PackedResult[][]> {
    const chunks = await views.get(runChunkDocuments, chunkIds);
    return chunks.map((chunk) => (chunk === null ? [] : packedResultsIn(chunk)));
  }

  return async ({ team, runId, projectId }, { status, words, environment, ...facts }, part) => {
    const [summary] = await views.get(runSummaryDocuments, [runId]);
    if (summary?.team_id !== team) return { ids: [], offset: 0, total: 0, searched: 0 };
    const tests = words.length === 0 ? null : await testsNamed(projectId, words);
    const wanted = environment === undefined ? null : environmentHash(testGroup('', environment));
    const isMatching = (result: PackedResult): boolean =>
      (status === undefined || statusIn(result) === status) &&
      !isOpen(result) &&
      !isSuperseded(result) &&
      (wanted === null || environmentHash(groupIn(result)) === wanted) &&
      (tests === null || tests.has(keyIn(result)));
    const page = openPage(part);
    const sorted = part.sorting && openSorted(part.sorting);
    let searched = 0;
    const chunkIds = tests?.size === 0 ? [] : chunkIdsOf(runId, summary);
    for (let from = 0; from < chunkIds.length; from += CHUNKS_AT_ONCE) {
      const chunks = await views.get(runChunkDocuments, chunkIds.slice(from, from + CHUNKS_AT_ONCE));
      let matching: PlacedResult[] = [];
      for (const [at, chunk] of chunks.entries()) {
        const packed = chunk === null ? [] : packedResultsIn(chunk);
        searched += packed.length;
        for (const [n, result] of packed.entries()) {
          if (isMatching(result)) matching.push({ result, chunk: from + at, n });
        }
      }
      if (isOfRecords(facts) && matching.length > 0) {
        const recorded = await withFacts(results, team, matching, facts);
        searched += recorded.searched;
        matching = recorded.matching;
      }
      if (sorted === undefined) page.add(matching);
      else for (const each of matching) sorted.add(each);
      // Other requests go in between.
      await setImmediate();
    }
    if (sorted === undefined) return { ...page.found(), searched };
    const { offset, limit } = part;
    const { places, total } = sorted.page(offset, limit);
    const numbers = [...new Set(places.map(({ chunk }) => chunk))];
    const again = await packedIn(numbers.map((number) => chunkIds[number]!));
    // A result that was removed between the two reads is missing.
    const found = places.flatMap(({ chunk, n }) => again[numbers.indexOf(chunk)]?.[n] ?? []);
    return { ids: found.map(resultIdIn), offset, total, searched };
  };
}

/** Only the results of the page are kept: a run may have a million of them. */
function openPage({ offset, limit, around }: SearchedPart) {
  let ids: string[] = [];
  let [start, total] = [around === undefined ? offset : 0, 0];
  let isFound = around === undefined;

  return {
    add(matching: readonly PlacedResult[]): void {
      for (const { result } of matching) {
        if (!isFound && ids.length === limit) [ids, start] = [[], total];
        if (total >= start && ids.length < limit) {
          const id = resultIdIn(result);
          ids.push(id);
          isFound ||= id === around;
        }
        total += 1;
      }
    },
    found: () => (isFound ? { ids, offset: start, total } : { ids: [], offset: 0, total }),
  };
}
