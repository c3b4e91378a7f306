/** Where and when a cause is seen: its days, tests, branches and environments. */
import type { ComponentChildren } from 'preact';
import type { components } from '../../../client/api.generated.js';
import { filtered } from '../../parts/filter/filter.js';
import { counted, number } from '../../parts/outcome.js';
import { Owner } from '../../parts/owner.js';
import { CountCell, Table } from '../../parts/lists/table.js';
import { Ago } from '../../parts/time.js';
import { visible } from '../../text/short.js';
import { inEnvironment } from '../test/in-environment.js';
import type { Cause } from './state.js';

type Test = components['schemas']['TestOfFailureGroup'];

/** Branches, and environments, that are shown: those of most runs. */
const PLACES = 10;
const DAYS = 30;
const DAY_MS = 86_400_000;
const STEP = 12;
const HEIGHT = 48;

/** A column a day, up to today. */
export function Days({ days }: { days: Cause['days'] }) {
  const today = Date.now();
  const of = new Map(days.map((each) => [each.day, each]));
  const shown = Array.from({ length: DAYS }, (_, n) => {
    const day = new Date(today - (DAYS - 1 - n) * DAY_MS).toISOString().slice(0, 10);
    return { day, runs: of.get(day)?.runs ?? 0, results: of.get(day)?.results ?? 0 };
  });
  const runs = shown.reduce((sum, each) => sum + each.runs, 0);
  if (runs === 0) return null;
  const most = Math.max(...shown.map((each) => each.runs));
  const height = (count: number) => (count === 0 ? 0 : Math.max(4, (count / most) * HEIGHT));
  const label = `Seen in ${counted(runs, 'run')} of the last ${DAYS} days, up to ${number(most)} a day`;
  return (
    <figure class="panel cause-days">
      <svg
        viewBox={`0 0 ${DAYS * STEP} ${HEIGHT + 1}`}
        preserveAspectRatio="none"
        role="img"
        aria-label={label}
      >
        <line x1="0" x2={DAYS * STEP} y1={HEIGHT + 0.5} y2={HEIGHT + 0.5} />
        {shown.map(({ day, runs: seen, results }, n) => (
          <g>
            <title>{`${day}: ${counted(seen, 'run')}, ${counted(results, 'result')}`}</title>
            <rect class="hit" x={n * STEP} y="0" width={STEP} height={HEIGHT} />
            <rect
              class="failed"
              x={n * STEP + 1}
              y={HEIGHT - height(seen)}
              width={STEP - 2}
              height={height(seen)}
            />
          </g>
        ))}
      </svg>
      <figcaption class="soft small">{label}; days in UTC, today on the right.</figcaption>
    </figure>
  );
}

export function Tests({ tests, total, base }: { tests: readonly Test[]; total: number; base: string }) {
  return (
    <>
      <h2>
        Tests <span class="count">{number(total)}</span>
      </h2>
      <Table class="stacked" columns={{ Test: '', Owner: '', Results: 'number', 'Last failed': 'number' }}>
        {tests.map(({ id, name, owner, results, last_failed_at, known }) => (
          <tr data-row="failed">
            <th scope="row">
              <a class="break" href={`${base}/tests/${id}`}>
                {visible(name)}
              </a>{' '}
              {known && <span class="badge known">known</span>}
            </th>
            <td>{owner !== null && <Owner name={owner} />}</td>
            <CountCell of={results} unit="result" />
            <td class="number soft">
              <Ago at={last_failed_at} />
            </td>
          </tr>
        ))}
      </Table>
      {total > tests.length && (
        <p class="soft small">{counted(total - tests.length, 'test')} more, with fewer results.</p>
      )}
    </>
  );
}

export function Places({ cause: { branches, environments }, base }: { cause: Cause; base: string }) {
  if (branches.length === 0 && environments.length === 0) return null;
  return (
    <>
      <h2>Branches and environments</h2>
      <Table
        class="stacked"
        columns={{ Place: '', Runs: 'number', Results: 'number', 'Last seen': 'number' }}
      >
        {branches.slice(0, PLACES).map(({ branch, ...seen }) => (
          <Place {...seen}>
            <a class="mono break" href={filtered(`${base}/failures`, { branch })}>
              {visible(branch)}
            </a>
          </Place>
        ))}
        {environments.slice(0, PLACES).map(({ environment_key, ...seen }) => (
          <Place {...seen}>
            <span class="break">{inEnvironment({ environment_key })}</span>
          </Place>
        ))}
      </Table>
    </>
  );
}

function Place({
  runs,
  results,
  last_at,
  children,
}: Pick<Cause['branches'][number], 'runs' | 'results' | 'last_at'> & { children: ComponentChildren }) {
  return (
    <tr data-row="failed">
      <th scope="row">{children}</th>
      <CountCell of={runs} unit="run" />
      <CountCell of={results} unit="result" />
      <td class="number soft">
        <Ago at={last_at} />
      </td>
    </tr>
  );
}
