/** The ways to compare a run with another one: the newest run of a branch, or any run. */
import { stateOf } from '../../../domain/runs/run-state.js';
import { ranAt } from '../../../domain/instant.js';
import { onOneLine } from '../../../domain/text/harmless.js';
import { Outcome } from '../../parts/outcome.js';
import { Ago } from '../../parts/time.js';
import { Table } from '../../parts/lists/table.js';
import { cut, visible } from '../../text/short.js';
import { titleOfRun } from '../../../domain/runs/run-title.js';
import type { TeamLinks } from './links.js';
import type { OtherRuns } from './other-runs.js';
import type { Run } from './read-run.js';

/** The signs of a name beside others. */
const WORD = 40;

/** `chosen`: the id of the other run, if it is not the run's own baseline. */
type Choice = { run: Run; others: OtherRuns; chosen: string | undefined; links: TeamLinks };

export function ChooseRun({ run, others, chosen, links }: Choice) {
  const { branch, branches, runs } = others;
  const isMissing = branch !== '' && runs.length === 0;
  return (
    <>
      {isMissing && <MissingBranch run={run} branch={branch} isOwn={chosen === undefined} />}
      <nav class="choices branches" aria-label="Compare with the newest run of a branch">
        {branches.length > 0 && <span class="soft small">With the newest run of</span>}
        {branches.map(({ name, newest }) => (
          <a
            href={links.compare(run.id, `?branch=${encodeURIComponent(name.toWellFormed())}`)}
            aria-current={chosen === undefined || name !== branch ? undefined : 'true'}
          >
            <Outcome of={stateOf(newest)} plain /> <span class="break">{cut(name, WORD)}</span>
          </a>
        ))}
        {chosen !== undefined && <a href={links.compare(run.id)}>its own baseline</a>}
      </nav>
      <details class="section" id="choose" open={isMissing}>
        <summary>Compare with another run</summary>
        <div class="pair">
          <form class="filters" method="get">
            <div class="field">
              <label for="branch">The newest run of the branch</label>
              <input id="branch" name="branch" value={branch} list="branches" maxLength={255} required />
              <datalist id="branches">
                {branches.map(({ name }) => (
                  <option value={name} />
                ))}
              </datalist>
            </div>
            <button type="submit">Compare</button>
          </form>
          <form class="filters" method="get">
            <div class="field">
              <label for="id">Or the id of a run</label>
              <input id="id" name="id" placeholder="run_…" maxLength={60} required />
            </div>
            <button type="submit">Compare</button>
          </form>
        </div>
        {runs.length > 0 && <Runs run={run} others={others} chosen={chosen} links={links} />}
      </details>
    </>
  );
}

function MissingBranch({
  run: { tool },
  branch,
  isOwn,
}: {
  run: Run;
  branch: string;
  /** The run is compared with its own baseline. */
  isOwn: boolean;
}) {
  return (
    <p class="notice error" role="alert">
      The branch <code class="break">{onOneLine(branch, 100)}</code> has no other run
      {tool !== null && <> of {onOneLine(tool, WORD)}</>}.
      {isOwn && " Below is the comparison with the run's own baseline."}
    </p>
  );
}

function Runs({ run, others: { branch, runs }, chosen, links }: Choice) {
  const of = branch === '' ? '' : `branch=${encodeURIComponent(branch.toWellFormed())}&`;
  return (
    <Table class="stacked" columns={{ Run: '', Branch: '', Age: 'number' }}>
      {runs.map((one) => (
        <tr data-row="">
          <th scope="row">
            <div class="titled">
              <Outcome of={stateOf(one)} plain />
              <a
                class="title"
                href={links.compare(run.id, `?${of}with=${encodeURIComponent(one.id)}`)}
                aria-current={one.id === chosen ? 'true' : undefined}
              >
                {visible(titleOfRun(one))}
              </a>
            </div>
          </th>
          <td class="soft break">{one.branch === null ? '–' : cut(one.branch, WORD)}</td>
          <td class="number soft">
            <Ago at={ranAt(one)} />
          </td>
        </tr>
      ))}
    </Table>
  );
}
