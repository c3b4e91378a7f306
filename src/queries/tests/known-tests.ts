/** The tests with a known failure in force, the first to end first: by an index, and those that a filter wants by looking through. */
import { knownFailureDocuments } from '../../../projections/history/known-failures.js';
import { testDocuments } from '../../../projections/history/tests.js';
import type { TypedViews } from '../../projecting/typed-views.js';
import { everyPage } from '../every-page.js';
import { findCounted, findPage } from '../find-page.js';
import { isWanted, wantsAll, type TestFilter } from './listed-tests.js';

type Part = { wanted: TestFilter; offset: number; limit: number };

export async function knownTests(
  views: Pick<TypedViews, 'find' | 'get'>,
  projectId: string,
  { wanted, offset, limit }: Part,
): Promise<{ ids: string[]; total: number; searched: number }> {
  const sort = { field: 'expires_at', direction: 'ascending' } as const;
  const query = { where: { project_id: projectId }, sort };
  if (wantsAll(wanted)) {
    const found = await findPage(findCounted(views, knownFailureDocuments), { ...query, offset, limit });
    return { ids: found.items.map(({ test_id }) => test_id), total: found.total, searched: 0 };
  }
  const ids: string[] = [];
  let searched = 0;
  for await (const known of everyPage(views, knownFailureDocuments, { ...query, limit: 500 })) {
    const tests = await views.get(
      testDocuments,
      known.map(({ test_id }) => test_id),
    );
    for (const [n, test] of tests.entries())
      if (test !== null && isWanted(test, wanted)) ids.push(known[n]!.test_id);
    searched += known.length;
  }
  return { ids: ids.slice(offset, offset + limit), total: ids.length, searched };
}
