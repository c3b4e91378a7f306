/** What is known of the tests behind the results that a run lists: how often a flaky one fails, and how long a slower one usually takes. */
import { testIdOf } from '../../../domain/test-history/test.js';
import { TIMES_THE_MEAN } from '../../../domain/comparison/slower.js';
import type { PageApi } from '../../page-api.js';
import { duration } from '../../parts/time.js';
import type { Result, RunLists } from './read-run.js';

/** By the id of a flaky result: the share of failures among the last results of its test in its environment. */
export type FlakyRates = ReadonlyMap<string, string>;

/** The flaky tests of the project with most failures, in one call whatever the run has. */
const READ = 100;

export async function readFlakyRates(
  api: Pick<PageApi, 'get'>,
  { id, flaky }: { id: string; flaky: RunLists['results']['flaky'] },
): Promise<FlakyRates> {
  if (flaky.length === 0) return new Map();
  const query = { trouble: 'flaky', per_page: READ };
  const { data } = await api.get('/v1/projects/{id}/tests', { params: { id }, query });
  const tests = new Map(data.map((test) => [test.id, test]));
  return new Map(
    flaky.flatMap((result) => {
      const lines = tests.get(testIdIn(result))?.environments ?? [];
      const line = lines.find(({ environment_key }) => environment_key === result.environment_key);
      return line === undefined ? [] : [[result.id, `${Math.round((line.failure_rate ?? 0) * 100)} %`]];
    }),
  );
}

function testIdIn({ project_id, test_id, name }: Result): string {
  return test_id ?? testIdOf(project_id, name.toWellFormed());
}

/** A result is slower by this rule, so the mean of its test is below. */
export function usuallyOf({ duration_ms }: Result): string {
  return duration_ms === null ? '' : `under ${duration(duration_ms / TIMES_THE_MEAN)}`;
}
