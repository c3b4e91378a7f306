/** The numbers of a window, each a link to the list behind it, with that of the window before beside it. */
import type { ComponentChildren } from 'preact';
import { number } from '../../parts/outcome.js';
import { duration } from '../../parts/time.js';
import { percent } from '../projects/read-projects.js';
import { share2 } from './charts.js';
import { flakyRate, greenRate, passRate, runsOf, type Statistics, type Totals } from './read-insights.js';

/** Where the list behind each number is. */
export type NumberLinks = Readonly<
  Record<'runs' | 'green' | 'passed' | 'duration' | 'flaky' | 'new' | 'fixed' | 'tests' | 'lost', string>
>;

const numbers: Readonly<Record<keyof NumberLinks, { name: string; of: (totals: Totals) => string }>> = {
  runs: { name: 'Runs', of: (totals) => number(runsOf(totals)) },
  green: { name: 'Runs green', of: (totals) => percent(greenRate(totals)) },
  passed: { name: 'Results passed', of: (totals) => percent(passRate(totals)) },
  duration: { name: 'Duration of a run', of: ({ duration_ms }) => duration(duration_ms.p50) },
  flaky: { name: 'Flaky rate', of: (totals) => share2(flakyRate(totals)) },
  new: { name: 'New failures', of: ({ new_failures }) => number(new_failures) },
  fixed: { name: 'Fixed', of: ({ fixed }) => number(fixed) },
  tests: { name: 'Tests that ran', of: ({ tests }) => number(tests) },
  lost: { name: 'Lost time', of: ({ lost_ms }) => duration(lost_ms) },
};

export function Numbers({
  totals,
  previous,
  links,
  days,
}: Pick<Statistics, 'totals' | 'previous'> & { links: NumberLinks; days: number }) {
  return (
    <dl class="numbers panel" aria-label={`The last ${days} days`}>
      {(Object.keys(numbers) as (keyof NumberLinks)[]).map((each): ComponentChildren => {
        const { name, of } = numbers[each];
        return (
          <div>
            <dt>{name}</dt>
            <dd>
              <a href={links[each]}>{of(totals)}</a> <span class="soft small">{of(previous)} before</span>
            </dd>
          </div>
        );
      })}
    </dl>
  );
}
