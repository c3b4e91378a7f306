/** Runs as rows, the newest first. Those of one push are one row. */
import { counted, CountsBar, number, Outcome } from '../../parts/outcome.js';
import { Ago, duration, durationChange } from '../../parts/time.js';
import { filtered } from '../../parts/filter/filter.js';
import type { Sorting } from '../../parts/lists/sorting.js';
import { Table } from '../../parts/lists/table.js';
import { cut, shortCommit, visible } from '../../text/short.js';
import { ranAt } from '../../../domain/instant.js';
import { stateOf } from '../../../domain/runs/run-state.js';
import { titleOfRun } from '../../../domain/runs/run-title.js';
import { pushesOf, type Push } from './pushes.js';
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
      {pushesOf(rows).map((push) =>
        push.rows.length === 1 ? (
          <Row {...push.rows[0]!} team={team} base={base} />
        ) : (
          <PushRow push={push} team={team} base={base} />
        ),
      )}
    </Table>
  );
}

/** Leads to the page of the commit, and each of its runs to its own. */
function PushRow({ push: { rows, legs, state }, team, base }: { push: Push; team: string; base: string }) {
  const first = rows[0]!.run;
  const standing = sumOf(legs);
  const known = legs.flatMap(({ duration_ms }) => duration_ms ?? []);
  return (
    <tr data-row={state === 'failed' ? 'failed' : ''}>
      <th scope="row">
        <div class="titled">
          <Outcome of={state} plain />
          <div>
            <a
              class="title"
              href={`${base}/change?${new URLSearchParams({ commit: first.commit! }).toString()}`}
            >
              {visible(titleOfRun(first))}
            </a>
            <Badges
              status={legs.find(({ status }) => status !== 'completed')?.status ?? 'completed'}
              isGateFailed={legs.some(({ gate }) => gate === 'failed')}
            />
            <Source {...first} tool={null} environment_key="" base={base} />
            <ul class="legs" aria-label="Runs">
              {rows.map(({ run }) => (
                <li>
                  <a href={`/teams/${team}/runs/${run.id}`}>
                    <Outcome of={stateOf(run)} plain /> {legName(run)}
                  </a>
                </li>
              ))}
            </ul>
          </div>
        </div>
      </th>
      <td class="results">
        <CountsBar counts={{ ...standing }} />
        <span class="soft small">
          <Failed counts={sumOf(legs, 'counts')} standing_counts={standing} />
        </span>
      </td>
      <td class="new-failures">
        <NewFailuresOf legs={legs} failed={standing.failed} />
      </td>
      <td class="number" title={`The longest of ${counted(legs.length, 'run')}`}>
        {duration(known.length === 0 ? null : Math.max(...known))}
      </td>
      <td class="number soft">
        <Ago at={ranAt(first)} />
      </td>
    </tr>
  );
}

/** What tells a run from the others of its push. */
function legName(run: Run): string {
  const parts = [run.tool, run.environment_key].filter((part) => part !== null && part !== '');
  return parts.length === 0 ? cut(run.label ?? `Run ${run.id.slice(-6)}`, WORD) : cut(parts.join(', '), WORD);
}

function sumOf(runs: readonly Run[], of: 'counts' | 'standing_counts' = 'standing_counts'): Run['counts'] {
  const sum = { total: 0, pending: 0, running: 0, passed: 0, failed: 0, skipped: 0, known_fail: 0 };
  for (const run of runs)
    for (const name of Object.keys(sum) as (keyof typeof sum)[]) sum[name] += run[of][name];
  return sum;
}

function Badges({ status, isGateFailed }: { status: Run['status']; isGateFailed: boolean }) {
  return (
    <>
      {/* One that has failed already has no sign of being underway. */}
      {status !== 'completed' && (
        <>
          {' '}
          <span class="badge running">{status}</span>
        </>
      )}
      {isGateFailed && (
        <>
          {' '}
          <span class="badge failed">gate failed</span>
        </>
      )}
    </>
  );
}

/** Until all runs of a push are completed, none of them being new says nothing. */
function NewFailuresOf({ legs, failed }: { legs: readonly Run[]; failed: number }) {
  const all = legs.flatMap(({ new_failures }) => new_failures ?? []);
  const going = legs.find(({ status }) => status !== 'completed');
  const sum = all.reduce((total, each) => total + each, 0);
  return (
    <NewFailures
      new_failures={sum === 0 && (going !== undefined || all.length === 0) ? null : sum}
      gate_reasons={legs.flatMap(({ gate_reasons }) => gate_reasons)}
      standing_counts={{ failed }}
      status={going?.status ?? 'completed'}
    />
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
            <Badges status={status} isGateFailed={run.gate === 'failed'} />
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
function Failed({ counts, standing_counts: standing }: Pick<Run, 'counts' | 'standing_counts'>) {
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

type NewOf = Pick<Run, 'new_failures' | 'gate_reasons' | 'status'> & { standing_counts: { failed: number } };

function NewFailures({ new_failures, gate_reasons, standing_counts: { failed }, status }: NewOf) {
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
