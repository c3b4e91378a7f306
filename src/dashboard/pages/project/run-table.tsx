/** Runs as rows, the newest first. */
import { counted, CountsBar, number, Outcome } from '../../parts/outcome.js';
import { Ago, duration, durationChange } from '../../parts/time.js';
import { filtered } from '../../parts/filter/filter.js';
import type { Sorting } from '../../parts/lists/sorting.js';
import { Table } from '../../parts/lists/table.js';
import { cut, shortCommit, visible } from '../../text/short.js';
import { ranAt } from '../../../domain/instant.js';
import { stateOf } from '../../../domain/runs/run-state.js';
import { titleOfRun } from '../../../domain/runs/run-title.js';
import type { Run, Runs } from './read-runs.js';

/** The signs of a name beside others. */
const WORD = 40;

export function RunTable({
  rows,
  team,
  base,
  sorting,
}: Pick<Runs, 'rows'> & { team: string; base: string; sorting: Sorting }) {
  return (
    <Table
      class="runs stacked"
      sorting={sorting}
      columns={{
        Run: '',
        Results: '',
        'New failures': '',
        Duration: 'number',
        Age: { class: 'number', sort: 'age', first: 'desc' },
      }}
    >
      {rows.map((each) => (
        <Row {...each} team={team} base={base} />
      ))}
    </Table>
  );
}

function Row({ run, before, team, base }: Runs['rows'][number] & { team: string; base: string }) {
  const { id, standing_counts, outcome, status, duration_ms } = run;
  return (
    <tr data-row={outcome === 'failed' ? 'failed' : ''}>
      <th scope="row">
        <div class="titled">
          <Outcome of={stateOf(run)} plain />
          <div>
            <a class="title" href={`/teams/${team}/runs/${id}`}>
              {visible(titleOfRun(run))}
            </a>
            {/* One that has failed already has no sign of being underway. */}
            {status !== 'completed' && (
              <>
                {' '}
                <span class="badge running">{status}</span>
              </>
            )}
            {run.gate === 'failed' && (
              <>
                {' '}
                <span class="badge failed">gate failed</span>
              </>
            )}
            <Source {...run} base={base} />
          </div>
        </div>
      </th>
      <td class="results">
        <CountsBar counts={{ ...standing_counts }} />
        <span class="soft small">
          <Failed {...run} />
        </span>
      </td>
      <td class="new-failures">
        <NewFailures {...run} />
      </td>
      <td class="number">
        {duration(duration_ms)}
        <Change now={duration_ms} before={before?.duration_ms ?? null} />
      </td>
      <td class="number soft">
        <Ago at={ranAt(run)} />
      </td>
    </tr>
  );
}

/** Each attempt is a result: a test that passed in the end may have failed before, and such a run is not red. */
function Failed({ counts, standing_counts: standing }: Run) {
  if (standing.failed > 0) {
    return (
      <>
        <span class="failed-text">{number(standing.failed)} failed</span> of {number(standing.total)}
      </>
    );
  }
  if (counts.failed > 0) return <>{counted(counts.failed, 'failed attempt')}</>;
  return <>{counted(counts.total, 'result')}</>;
}

/** What was run, and by whom. */
function Source({
  branch,
  commit,
  actor,
  pull_request,
  tool,
  environment_key,
  base,
}: Run & { base: string }) {
  return (
    <p class="soft small source">
      {branch !== null && <a href={filtered(base, { branch })}>{cut(branch, WORD)}</a>}
      {pull_request !== null && (
        <a href={`${base}/change?${new URLSearchParams({ pull_request }).toString()}`}>
          {cut(`#${pull_request}`, WORD)}
        </a>
      )}
      {commit !== null && (
        <a href={`${base}/change?${new URLSearchParams({ commit }).toString()}`}>
          <code>{shortCommit(commit)}</code>
        </a>
      )}
      {actor !== null && <span>{cut(actor, WORD)}</span>}
      {tool !== null && <span>{cut(tool, WORD)}</span>}
      {environment_key !== '' && (
        <a class="break" href={filtered(base, { environment: environment_key })}>
          {cut(environment_key, WORD)}
        </a>
      )}
    </p>
  );
}

function NewFailures({ new_failures, gate_reasons, standing_counts: { failed }, status }: Run) {
  if (new_failures === null)
    return status === 'completed' ? <span class="soft wide-only">–</span> : <span class="soft">not yet</span>;
  // The count is that of the last completion: a later correction may leave no failure.
  if (new_failures > 0 && failed > 0) return <b class="badge new">{number(new_failures)} new</b>;
  if (failed === 0) return <span class="soft wide-only">none</span>;
  // One that a correction made is in the gate, and not in the count.
  if (gate_reasons.includes('new_failures')) return <b class="badge new">new</b>;
  return (
    <span class="soft">
      none<span class="narrow-only"> new</span>
    </span>
  );
}

/** Small changes are noise. */
function Change({ now, before }: { now: number | null; before: number | null }) {
  if (now === null || before === null || Math.abs(now - before) < Math.max(before * 0.02, 100)) return null;
  return <span class="soft small change">{durationChange(now, before)}</span>;
}
