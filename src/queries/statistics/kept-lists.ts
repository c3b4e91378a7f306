/**
 * Sorted lists of tests that are still right. To sort the tests of a project reads all that is counted of them in the window,
 * while people turn pages, and pages of the dashboard ask again.
 */
import { LRUCache } from 'lru-cache';
import { history } from '../../../projections/history/history.js';
import type { Position } from '../../domain/event.js';
import { partitionOf } from '../../domain/partition.js';
import type { ViewReader } from '../../ports/views.js';
import { typedViews } from '../../projecting/typed-views.js';
import {
  countedTests,
  sortTests,
  type CountedTests,
  type SortedPart,
  type SortedTests,
} from './sorted-tests.js';

type Kept = { list: SortedTests; position: Position };

/** Of all lists together, and of a test in one, without those of its name. */
const [BYTES_KEPT, BYTES_OF_TEST] = [16_000_000, 250];

/** Of each list the first tests are kept: that of a large project would need more bytes than all others, and is read from its start. */
const FIRST = 1_000;

/** `end`: how many tests are needed, from the first one on. */
export type SortedTestsOf = (
  team: string,
  projectId: string,
  part: SortedPart,
  end: number,
) => Promise<SortedTests>;

export function openSortedTests(reader: ViewReader): SortedTestsOf {
  const views = typedViews(reader, history);
  const kept = new LRUCache<string, Kept>({
    maxSize: BYTES_KEPT,
    sizeCalculation: ({ list }) =>
      list.sorted.reduce((sum, { named: { name } }) => sum + BYTES_OF_TEST + 2 * name.length, BYTES_OF_TEST),
  });
  const counting = new Map<string, Promise<CountedTests>>();

  /** Lists that are asked for at once, as a page does, share what is counted. It is not kept. */
  async function counted(projectId: string, position: Position, part: SortedPart): Promise<CountedTests> {
    const { sort: _, order: __, ...of } = part;
    const key = JSON.stringify([projectId, position, of]);
    const shared = counting.get(key);
    if (shared !== undefined) return shared;
    const own = countedTests(views, projectId, of).finally(() => counting.delete(key));
    counting.set(key, own);
    return own;
  }

  return async (team, projectId, part, end) => {
    // Before the list is read: what is folded meanwhile may be in it, but the next question reads it again.
    const position = await reader.position(history.name, { partition: partitionOf(team) });
    const key = JSON.stringify([projectId, part]);
    const known = kept.get(key);
    if (known?.position === position && Math.min(end, known.list.total) <= known.list.sorted.length)
      return known.list;
    const list = await sortTests(views, await counted(projectId, position, part), part);
    kept.set(key, { list: { ...list, sorted: list.sorted.slice(0, FIRST) }, position });
    return list;
  };
}
