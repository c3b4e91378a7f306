/** The results of a run by status, by a part of the name, by environment and by tag, from the history. */
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
  packedResultsIn,
  resultIdIn,
  statusIn,
  type FinalWord,
  type PackedResult,
} from '../../domain/comparison/packed-results.js';
import type { EnvironmentKey } from '../../domain/environment.js';
import { environmentHash, testGroup, testKey } from '../../domain/comparison/test-keys.js';
import { wholeTeam } from '../../domain/teams/access.js';
import { tagsIn } from '../../domain/understood.js';
import { limits } from '../../limits.js';
import type { ViewReader } from '../../ports/views.js';
import { resultsById } from './results-by-id.js';
import type { TeamViews } from '../team-views.js';
import { typedViews } from '../../projecting/typed-views.js';

/** `q`: a part of the name, ignoring case. */
export type RunSearch = {
  status: FinalWord | undefined;
  q: string | undefined;
  environment: EnvironmentKey | undefined;
  tag: string | undefined;
};

/** `offset`: of the first one. `searched`: the results and names that were looked through. */
export type FoundResults = { ids: string[]; offset: number; total: number; searched: number };

/** The final results of a run that count, in the order in which they came. */
export type SearchRun = (
  run: { team: string; runId: string; projectId: string },
  wanted: RunSearch,
  part: SearchedPart,
) => Promise<FoundResults>;

/** `around`: the page in which this result is; none of them where it is in no page. */
type SearchedPart = { offset: number; limit: number; around?: string | undefined };

const CHUNKS_AT_ONCE = 100;
const READ_AT_ONCE = 500;
/** To read a result or a test costs as much as to look through this many in the history or in an index. */
export const READ_COSTS = 10;

/** `results`: the records, which have the tags. */
export function openSearchRun(reader: ViewReader, results: TeamViews): SearchRun {
  const views = typedViews(reader, history);

  /** The keys of the tests with such a name: those that come first by name, up to a limit. */
  async function testsNamed(projectId: string, contains: string): Promise<Set<string>> {
    const { items } = await views.find(testDocuments, {
      where: { listed_in: projectId },
      sort: { field: 'name', direction: 'ascending' },
      contains,
      limit: limits.searchedTests,
    });
    return new Set(items.map((test) => testKey(idOfTest(test), test.name)));
  }

  return async ({ team, runId, projectId }, { status, q, environment, tag }, part) => {
    const [summary] = await views.get(runSummaryDocuments, [runId]);
    if (summary?.team_id !== team) return { ids: [], offset: 0, total: 0, searched: 0 };
    const tests = q === undefined ? null : await testsNamed(projectId, q);
    const wanted = environment === undefined ? null : environmentHash(testGroup('', environment));
    const page = openPage(part);
    let searched = 0;
    const chunkIds = tests?.size === 0 ? [] : chunkIdsOf(runId, summary);
    for (let from = 0; from < chunkIds.length; from += CHUNKS_AT_ONCE) {
      const chunks = await views.get(runChunkDocuments, chunkIds.slice(from, from + CHUNKS_AT_ONCE));
      const packed = chunks.flatMap((chunk) => (chunk === null ? [] : packedResultsIn(chunk)));
      searched += packed.length;
      let matching = packed.filter(
        (result) =>
          !isOpen(result) &&
          !isSuperseded(result) &&
          (status === undefined || statusIn(result) === status) &&
          (wanted === null || environmentHash(groupIn(result)) === wanted) &&
          (tests === null || tests.has(keyIn(result))),
      );
      if (tag !== undefined) {
        searched += READ_COSTS * matching.length;
        matching = await taggedIn(results, team, matching, tag);
      }
      page.add(matching);
      // Other requests go in between.
      await setImmediate();
    }
    return { ...page.found(), searched };
  };
}

/** Only the results of the page are kept: a run may have a million of them. */
function openPage({ offset, limit, around }: SearchedPart) {
  let ids: string[] = [];
  let [start, total] = [around === undefined ? offset : 0, 0];
  let isFound = around === undefined;

  return {
    add(matching: readonly PackedResult[]): void {
      for (const result of matching) {
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

async function taggedIn(
  results: TeamViews,
  team: string,
  packed: readonly PackedResult[],
  tag: string,
): Promise<PackedResult[]> {
  const tagged: PackedResult[] = [];
  for (let from = 0; from < packed.length; from += READ_AT_ONCE) {
    const part = packed.slice(from, from + READ_AT_ONCE);
    const read = await resultsById(results, wholeTeam(team), part.map(resultIdIn));
    const ids = read
      .filter(({ metadata }) => tagsIn(metadata)?.includes(tag))
      .map((each) => each.test_result_id);
    const found = new Set<string>(ids);
    tagged.push(...part.filter((each) => found.has(resultIdIn(each))));
    await setImmediate();
  }
  return tagged;
}
