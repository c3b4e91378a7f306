/** The lines of a test: how it does in each environment. */
import { Outcome } from '../../parts/outcome.js';
import { withParams } from '../../parts/lists/pager.js';
import { Table } from '../../parts/lists/table.js';
import { Ago } from '../../parts/time.js';
import { isInEnvironments } from './in-environment.js';
import type { TestView } from './load.js';
import { failsInWords, looks, stateName } from './state.js';

/** The empty key, of results without an environment, is a value too. */
function linkTo(url: URL, key: string): string {
  const next = new URL(url);
  next.searchParams.set('environment', key);
  return next.pathname + next.search;
}

export function Environments({ view: { test, environment }, url }: { view: TestView; url: URL }) {
  // A single one is what the page follows, and names above.
  if (!isInEnvironments(test) || (test.environments.length === 1 && environment === null)) return null;
  return (
    <section aria-labelledby="environments">
      <h2 id="environments">Environments</h2>
      <Table columns={{ Environment: '', State: '', 'Last outcome': '', Fails: 'number', Last: 'number' }}>
        {test.environments.map((line) => (
          <tr>
            <td>
              <a
                class="name break"
                href={linkTo(url, line.environment_key)}
                aria-current={line.environment_key === environment ? 'true' : undefined}
              >
                {line.environment_key || 'none'}
              </a>
            </td>
            <td>
              <span class={`badge ${looks[stateName(line)]}`}>{stateName(line)}</span>
            </td>
            <td>
              <Outcome of={line.last_outcomes[0] ?? null} />
            </td>
            <td class="number">{failsInWords(line, line.last_outcomes.length).share}</td>
            <td class="number">{line.last_result_at !== null && <Ago at={line.last_result_at} />}</td>
          </tr>
        ))}
      </Table>
      {environment !== null && <a href={withParams(url, { environment: null })}>All environments</a>}
    </section>
  );
}
