/** Tests that have not run for some time, found by looking through all tests of a project. */
import { testDocuments, type TestDocument } from '../../../projections/history/tests.js';
import type { EnvironmentKey } from '../../domain/environment.js';
import type { Instant } from '../../domain/event.js';
import type { TypedViews } from '../../projecting/typed-views.js';
import { everyPage } from '../every-page.js';
import { placedLine, statesOf } from './test-states.js';

/** Those whose newest result (of the environment) is older than `before`, in the order of names, and how many tests there are. */
export async function idleTests(
  views: Pick<TypedViews, 'find' | 'get'>,
  projectId: string,
  { before, environment }: { before: Instant; environment: EnvironmentKey | undefined },
): Promise<{ idle: TestDocument[]; searched: number }> {
  const query = {
    where: { listed_in: projectId },
    sort: { field: 'name', direction: 'ascending' },
    limit: 500,
  } as const;
  const idle: TestDocument[] = [];
  let searched = 0;
  for await (const items of everyPage(views, testDocuments, query)) {
    const placed = items.map((test) => placedLine(test, environment));
    const states = await statesOf(views, placed);
    for (const [n, test] of items.entries()) {
      const state = environment === '' ? (states[n]!.plain ?? states[n]!) : states[n]!;
      // After a deletion, nothing says when the newest of the others ran: then the test is not listed before it runs again.
      if (placed[n] !== null && state.last_result_at !== null && state.last_result_at < before)
        idle.push(test);
    }
    searched += items.length;
  }
  return { idle, searched };
}
