/** Other results with the same error: in the same run, and in other runs. */
import { ranAt } from '../../../domain/instant.js';
import { counted } from '../../parts/outcome.js';
import { CountCell, Table } from '../../parts/lists/table.js';
import { Ago } from '../../parts/time.js';
import { visible } from '../../text/short.js';
import type { Links } from '../run/links.js';
import type { ResultView } from './load.js';
import { SeenRunName } from './seen-run.js';

export function SameError({
  view: { result, project, together, elsewhere },
  links,
}: {
  view: ResultView;
  links: Links;
}) {
  if (result.group === null || together.results.length + elsewhere.runs.length === 0) return null;
  const inAllRuns = links.group(project.id, result.group.id);
  return (
    <section aria-labelledby="same-error">
      <h2 id="same-error">
        Same error elsewhere{' '}
        {inAllRuns !== undefined && (
          <span class="count">
            <a href={inAllRuns}>in all runs</a>
          </span>
        )}
      </h2>
      <Table class="stacked" columns={{ Where: '', Tests: 'number', When: 'number' }}>
        {together.results.map((other) => (
          <tr data-row="failed">
            <th scope="row">
              <a class="name break" href={links.result(other.id)}>
                {visible(other.name.slice(0, 200))}
              </a>
            </th>
            <td class="number soft">this run</td>
            <td class="number soft">
              <Ago at={ranAt(other)} />
            </td>
          </tr>
        ))}
        {elsewhere.runs.map(({ run_id, at, tests, ...run }) => (
          <tr data-row="failed">
            <th scope="row">
              {run_id === null ? (
                'A result without a run'
              ) : (
                <SeenRunName href={links.run(run_id)} id={run_id} run={run} />
              )}
            </th>
            <CountCell of={tests} unit="test" />
            <td class="number soft">
              <Ago at={at} />
            </td>
          </tr>
        ))}
      </Table>
      <Rest together={together} elsewhere={elsewhere} />
    </section>
  );
}

function Rest({ together, elsewhere }: Pick<ResultView, 'together' | 'elsewhere'>) {
  const rest = [
    together.total > together.results.length &&
      `${counted(together.total - together.results.length, 'more result')} in this run`,
    elsewhere.total > elsewhere.runs.length && counted(elsewhere.total - elsewhere.runs.length, 'more run'),
  ].filter((part) => part !== false);
  return rest.length === 0 ? null : <p class="soft small">{rest.join(', ')}.</p>;
}
