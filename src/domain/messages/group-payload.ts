/** The groups of failures of a run as messages show them. */
import type { ResultRecord } from '../results/result.js';
import type { FailedGroup } from './failed-groups.js';

type Titles = { title(stored: string): Promise<string> };

/** In a message of a run. */
export const MOST_GROUPS = 20;
/** Of one group. */
const MOST_OWNERS = 20;
const ERROR_LENGTH = 500;

/** Those of which no earlier completion of the run told. */
export function untold(groups: readonly FailedGroup[]): FailedGroup[] {
  return groups.filter(({ told }) => told !== true);
}

/** The largest of them. */
export function listed(groups: readonly FailedGroup[], titles: Titles): Promise<object[]> {
  const largest = groups.toSorted((one, other) => sum(other, 'results') - sum(one, 'results'));
  return Promise.all(largest.slice(0, MOST_GROUPS).map((each) => shownGroup(each, titles)));
}

export async function shownGroup(failed: FailedGroup, titles: Titles): Promise<object> {
  const { group, new: isNew, parts } = failed;
  const owners = new Set(parts.flatMap(({ owner }) => owner ?? []));
  return {
    group: group.id,
    kind: group.kind,
    title: await titles.title(group.title),
    tests: sum(failed, 'tests'),
    results: sum(failed, 'results'),
    new: isNew,
    owners: [...owners].slice(0, MOST_OWNERS),
  };
}

/** The whole record of each would not fit into a message. */
export function shownExample(result: ResultRecord): object {
  const { test_result_id, test_name, status, error_message, attempt } = result;
  const cut = error_message === null ? null : Array.from(error_message).slice(0, ERROR_LENGTH).join('');
  return { test_result_id, test_name, status, error_message: cut, attempt };
}

function sum({ parts }: FailedGroup, field: 'tests' | 'results'): number {
  return parts.reduce((total, part) => total + part[field], 0);
}
