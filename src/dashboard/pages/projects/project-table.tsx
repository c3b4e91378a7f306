/** Projects as rows: how each of them stands. */
import { counted, number, Outcome } from '../../parts/outcome.js';
import { Sparkline } from '../../parts/lists/strip.js';
import { filtered } from '../../parts/filter/filter.js';
import { Ago } from '../../parts/time.js';
import { passRate, passRateOf, percent, type Overview, type Projects } from './read-projects.js';
import { visible } from '../../text/short.js';

export function ProjectTable({ listed, base }: Pick<Projects, 'listed'> & { base: string }) {
  return (
    <div class="table-wrap">
      <table class="projects stacked">
        <thead>
          <tr>
            <th scope="col">Project</th>
            <th scope="col" colSpan={2}>
              Last 20 runs
            </th>
            <th scope="col">Flaky and broken</th>
            <th scope="col" class="number wide-only">
              Runs a day
            </th>
            <th scope="col" class="number">
              Last run
            </th>
          </tr>
        </thead>
        <tbody>
          {listed.map((each) => (
            <Row {...each} base={base} />
          ))}
        </tbody>
      </table>
    </div>
  );
}

function Row({ project, overview, state, base }: Projects['listed'][number] & { base: string }) {
  const { runs, branch, last_run_at, runs_a_day } = overview;
  const href = `${base}/projects/${project.id}`;
  const [newest] = runs;
  // Runs of other branches say nothing of the default branch.
  const shown = branch === null ? [] : runs;
  const rates = shown.toReversed().flatMap((run) => passRate(run) ?? []);
  return (
    <tr data-row={newest?.outcome === 'failed' ? 'failed' : ''}>
      <th scope="row">
        <div class="titled">
          <Outcome of={state} plain />
          <div>
            <a href={href}>{visible(project.name)}</a>
            <p class="soft small clip">
              {newest !== undefined && branch === null && (
                <>
                  no run of <code>{project.default_branch}</code> yet{project.description ? ' · ' : ''}
                </>
              )}
              {project.description}
            </p>
          </div>
        </div>
      </th>
      <td class="number">
        {newest === undefined ? <span class="soft">no runs</span> : <Share runs={shown} />}
      </td>
      <td class="spark">
        {rates.length > 1 && (
          <Sparkline
            from={0.9}
            values={rates}
            text={`share of tests that passed in the last ${rates.length} runs, now ${percent(rates.at(-1)!)}`}
          />
        )}
      </td>
      <td>
        <Troubled {...overview.tests} href={href} />
      </td>
      <td class="number wide-only">{last_run_at === null ? '–' : number(runs_a_day)}</td>
      <td class="number soft">{last_run_at === null ? 'never' : <Ago at={last_run_at} />}</td>
    </tr>
  );
}

/** A project may have hardly a failing test, and no green run for weeks: both shares say of what they are. */
function Share({ runs }: Pick<Overview, 'runs'>) {
  const rate = passRateOf(runs);
  if (rate === null) return <>–</>;
  const green = runs.filter(({ outcome }) => outcome === 'passed').length;
  return (
    <>
      {percent(rate)} of tests passed
      <div class="soft small">
        {number(green)} of {counted(runs.length, 'run')} green
      </div>
    </>
  );
}

function Troubled({ flaky, broken, href }: { flaky: number; broken: number; href: string }) {
  if (flaky + broken === 0) return <span class="soft wide-only">none</span>;
  return (
    <span class="badges">
      {broken > 0 && (
        <a class="badge failed" href={filtered(`${href}/tests`, { state: 'broken' })}>
          {number(broken)} broken
        </a>
      )}
      {flaky > 0 && (
        <a
          class="badge flaky"
          href={filtered(`${href}/tests`, { state: 'flaky' })}
          aria-label={counted(flaky, 'flaky test')}
        >
          {number(flaky)} flaky
        </a>
      )}
    </span>
  );
}
