/** How long a test took, as a table; with scripts, as a chart above it. */
import { counted, Outcome as OutcomeSign } from '../../parts/outcome.js';
import { duration, utc } from '../../parts/time.js';
import { Table } from '../../parts/lists/table.js';
import type { Outcome } from '../result/load.js';

/** Passes up to and including the outcome that make up the band. */
const WINDOW = 20;

export type Timed = Outcome & { p50: number | null; p95: number | null };

/** Newest first, each with the median and the 95th percentile of the passes up to it. */
export function timed(outcomes: readonly Outcome[]): Timed[] {
  return outcomes.map((outcome, n) => {
    const passes = outcomes
      .slice(n)
      .flatMap(({ status, duration_ms }) => (status === 'passed' && duration_ms !== null ? duration_ms : []))
      .slice(0, WINDOW)
      .sort((one, other) => one - other);
    const at = (share: number) =>
      passes.length < 3 ? null : passes[Math.min(passes.length - 1, Math.floor(share * passes.length))]!;
    return { ...outcome, p50: at(0.5), p95: at(0.95) };
  });
}

/** Of one line. `where`: its environment, in words. */
export function Durations({
  outcomes,
  where,
  base,
}: {
  outcomes: readonly Outcome[];
  where: string;
  base: string;
}) {
  const rows = timed(outcomes);
  if (rows.length === 0) return null;
  return (
    <section aria-labelledby="durations">
      <h2 id="durations">Durations {where !== '' && <span class="count break">{where}</span>}</h2>
      <duration-chart class="panel">
        <p class="hint chart-hint">
          Each point is an outcome; select one to open it. The band goes from the median to the 95th
          percentile of the {WINDOW} passes up to it.
        </p>
        <details>
          <summary>
            The last {counted(rows.length, 'outcome')} {where} as a table
          </summary>
          <Table
            columns={{
              When: '',
              Outcome: '',
              Branch: '',
              Attempt: 'number wide-only',
              Took: 'number',
              Median: 'number wide-only',
              '95 %': 'number wide-only',
            }}
          >
            {rows.map((row) => (
              <tr
                data-at={row.at}
                data-ms={row.duration_ms}
                data-p50={row.p50}
                data-p95={row.p95}
                data-outcome={row.status}
              >
                <td>
                  <a href={`${base}/results/${row.result_id}`}>{utc(row.at)}</a>
                </td>
                <td>
                  <OutcomeSign of={row.status} />
                </td>
                <td class="mono name break">{row.branch?.slice(0, 60)}</td>
                <td class="number wide-only">{row.attempt}</td>
                <td class="number">{duration(row.duration_ms)}</td>
                <td class="number soft wide-only">{duration(row.p50)}</td>
                <td class="number soft wide-only">{duration(row.p95)}</td>
              </tr>
            ))}
          </Table>
        </details>
      </duration-chart>
    </section>
  );
}
