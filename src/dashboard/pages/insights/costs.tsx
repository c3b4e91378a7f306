/** The tests that cost most in a window: the slowest ones, and those whose failures were no fault of the commit. */
import { filtered } from '../../parts/filter/filter.js';
import { Owner } from '../../parts/owner.js';
import { counted, number } from '../../parts/outcome.js';
import { Table } from '../../parts/lists/table.js';
import { duration } from '../../parts/time.js';
import { visible } from '../../text/short.js';
import { share2 } from './charts.js';
import { timeOf, type Costs as CostsOf, type Test } from './read-insights.js';

type CostsProps = { costs: CostsOf; base: string; csv: (table: string) => string };

export function Costs(props: CostsProps) {
  return (
    <>
      <Slowest {...props} />
      <Lost {...props} />
      {props.costs.owners.length > 0 && <Owners {...props} />}
    </>
  );
}

function Slowest({ costs: { slowest, time, of }, base, csv }: CostsProps) {
  return (
    <section aria-labelledby="slowest">
      <h2 id="slowest">
        Slowest tests{' '}
        <a class="count" href={csv('slowest')}>
          CSV
        </a>
      </h2>
      {slowest.length === 0 && <p class="panel empty">No test ran in these days.</p>}
      {slowest.length > 0 && (
        <>
          <Table
            class="tests stacked"
            columns={{
              Test: '',
              Runs: 'number',
              Median: 'number',
              '95 %': 'number wide-only',
              Share: 'number',
            }}
          >
            {slowest.map((test) => (
              <tr>
                <Name test={test} base={base} />
                <td class="number">{counted(test.runs ?? 0, 'run')}</td>
                <td class="number">{duration(test.duration_ms?.p50 ?? null)}</td>
                <td class="number soft wide-only">{duration(test.duration_ms?.p95 ?? null)}</td>
                <td class="number">{share2(time === 0 ? null : timeOf(test) / time)}</td>
              </tr>
            ))}
          </Table>
          <p class="soft small">
            The share is of the time of the {counted(of, 'slowest test')} at most, in all their runs.
          </p>
        </>
      )}
    </section>
  );
}

function Lost({ costs: { lost }, base, csv }: CostsProps) {
  return (
    <section aria-labelledby="lost">
      <h2 id="lost">
        Tests that lost time{' '}
        <a class="count" href={csv('lost')}>
          CSV
        </a>
      </h2>
      {lost.length === 0 && <p class="panel empty">No failure turned out to be no fault of its commit.</p>}
      {lost.length > 0 && (
        <Table
          class="tests stacked"
          columns={{ Test: '', Owner: 'wide-only', Flaky: 'number', Failed: 'number', Lost: 'number' }}
        >
          {lost.map((test) => (
            <tr>
              <Name test={test} base={base} />
              <td class="wide-only soft small">{test.owner === null ? '–' : <Owner name={test.owner} />}</td>
              <td class="number">
                {number(test.flaky_runs ?? 0)} <span class="narrow-only">flaky</span>
              </td>
              <td class="number">
                {number(test.failures ?? 0)} <span class="narrow-only">failed</span>
              </td>
              <td class="number">{duration(test.lost_ms ?? 0)}</td>
            </tr>
          ))}
        </Table>
      )}
    </section>
  );
}

function Owners({ costs: { owners }, base, csv }: CostsProps) {
  return (
    <section aria-labelledby="owners">
      <h2 id="owners">
        Lost time by owner{' '}
        <a class="count" href={csv('owners')}>
          CSV
        </a>
      </h2>
      <Table class="stacked" columns={{ Owner: '', Tests: 'number', Lost: 'number' }}>
        {owners.map(({ owner, tests, lost_ms }) => (
          <tr>
            <th scope="row">
              {owner === '' ? (
                'without an owner'
              ) : (
                <a class="break" href={filtered(`${base}/tests`, { owner })}>
                  {visible(owner)}
                </a>
              )}
            </th>
            <td class="number">{counted(tests, 'test')}</td>
            <td class="number">{duration(lost_ms)}</td>
          </tr>
        ))}
      </Table>
    </section>
  );
}

function Name({ test: { id, name }, base }: { test: Test; base: string }) {
  return (
    <th scope="row">
      <a class="break" href={`${base}/tests/${encodeURIComponent(id)}`}>
        {visible(name)}
      </a>
    </th>
  );
}
