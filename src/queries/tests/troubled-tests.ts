/** Tests that need somebody: of all environments by an index, of one by looking through those of all. */
import { linesOf } from '../../../projections/history/lines.js';
import { testDocuments, type TestDocument } from '../../../projections/history/tests.js';
import type { LineTrouble } from '../../../projections/history/troubled-tests.js';
import type { EnvironmentKey } from '../../domain/environment.js';
import type { ViewQuery } from '../../ports/views.js';
import type { TypedViews } from '../../projecting/typed-views.js';
import { everyPage } from '../every-page.js';
import type { CountedPage } from '../find-page.js';
import { isWanted, type TestFilter } from './listed-tests.js';

/** Which tests of those that need somebody. */
export type Trouble = 'any' | 'flaky' | 'broken' | 'failing';

export function whereTroubled(project: string, trouble: Trouble): ViewQuery['where'] {
  switch (trouble) {
    case 'any':
      return { troubled_in: project };
    case 'flaky':
    case 'broken':
      return { troubled_in: project, state: trouble };
    case 'failing':
      return { troubled_in: project, newest: 'failed' };
  }
}

type Part = {
  trouble: Trouble;
  environment: EnvironmentKey | undefined;
  wanted: TestFilter;
  offset: number;
  limit: number;
};

/**
 * Those that a filter wants, and whose line in the environment is in trouble, the ones with most failures there first. It looks
 * through all that need somebody.
 */
export async function troubledLines(
  views: Pick<TypedViews, 'find'>,
  projectId: string,
  { trouble, environment, wanted, offset, limit }: Part,
): Promise<CountedPage<TestDocument> & { searched: number }> {
  const query: ViewQuery = {
    where: whereTroubled(projectId, environment === undefined ? trouble : 'any'),
    sort: { field: 'impact', direction: 'descending' },
    limit: 500,
  };
  const found: { test: TestDocument; impact: number }[] = [];
  let searched = 0;
  for await (const items of everyPage(views, testDocuments, query)) {
    for (const test of items.filter((each) => isWanted(each, wanted))) {
      const impact = environment === undefined ? test.impact : impactIn(test, environment, trouble);
      if (impact !== null) found.push({ test, impact });
    }
    searched += items.length;
  }
  found.sort((one, other) => other.impact - one.impact);
  const items = found.slice(offset, offset + limit).map(({ test }) => test);
  return { items, total: found.length, searched };
}

/** Null for a test whose line in the environment is not in this trouble. */
function impactIn(test: TestDocument, environment: EnvironmentKey, trouble: Trouble): number | null {
  const of = linesOf(test).find((line) => line.environment === environment)?.trouble;
  return of !== undefined && isIn(of, trouble) ? of.impact : null;
}

function isIn({ state, newest }: LineTrouble, trouble: Trouble): boolean {
  switch (trouble) {
    case 'any':
      return true;
    case 'flaky':
    case 'broken':
      return state === trouble;
    case 'failing':
      return newest === 'failed';
  }
}
