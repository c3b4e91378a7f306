/** Tests as rows: the evidence for their state, and who looks after them. */
import type { components } from '../../../client/api.generated.js';
import { Linked } from '../../parts/texts/linked.js';
import { Owner } from '../../parts/owner.js';
import { counted } from '../../parts/outcome.js';
import { likeInWords, Strip } from '../../parts/lists/strip.js';
import { Ago } from '../../parts/time.js';
import type { Sorting } from '../../parts/lists/sorting.js';
import { Table } from '../../parts/lists/table.js';
import { visible } from '../../text/short.js';
import { knownWhere } from '../test/in-environment.js';
import { looks, stateName, worstLine } from '../test/state.js';

export type Test = components['schemas']['Test'];
export type TestsView = 'any' | 'broken' | 'flaky' | 'failing' | 'known' | 'all';

/** `isNarrowed`: the tests are those of one environment, and so are their states. */
type TestTableProps = {
  tests: readonly Test[];
  base: string;
  view: TestsView;
  isNarrowed: boolean;
  /** Null for a list that has an order of its own. */
  sorting: Sorting | null;
};

export function TestTable({ tests, ...how }: TestTableProps) {
  const { view, sorting } = how;
  return (
    <Table
      class="tests stacked"
      {...(sorting && { sorting })}
      columns={{
        Test: { class: '', sort: 'name', first: 'asc' },
        'Last runs': '',
        [view === 'known' ? 'Known because' : 'Failed']: '',
        Owner: 'wide-only',
        [view === 'known' ? 'Ends' : 'Last result']: 'number',
      }}
    >
      {tests.map((test) => (
        <Row test={test} {...how} />
      ))}
    </Table>
  );
}

function Row({ test, base, view, isNarrowed }: Omit<TestTableProps, 'tests' | 'sorting'> & { test: Test }) {
  const { id, name, last_outcomes, last_runs, owner, last_result_at, known_failure } = test;
  const line = isNarrowed ? test : worstLine(test);
  const state = stateName(line);
  const isKnown = view === 'known' && known_failure !== null;
  return (
    <tr data-row={line.last_outcomes[0] === 'failed' ? 'failed' : ''}>
      <th scope="row">
        <a class="break" href={`${base}/tests/${encodeURIComponent(id)}`}>
          {visible(name)}
        </a>{' '}
        <span class="badges">
          {state !== 'stable' && <span class={`badge ${looks[state]}`}>{state}</span>}
          {known_failure !== null && (
            <span class="badge known break">known failure {knownWhere(known_failure)}</span>
          )}
        </span>
      </th>
      <td>{last_runs !== undefined && <LastRuns runs={last_runs} />}</td>
      <td class={isKnown ? 'small' : 'nowrap'}>
        {isKnown ? (
          <>
            <span class="break">
              <Linked text={known_failure.reason} most={200} />
            </span>{' '}
            <span class="soft">({known_failure.by})</span>
          </>
        ) : (
          evidence(last_outcomes)
        )}
      </td>
      <td class="wide-only soft small">{owner === null ? '–' : <Owner name={owner} />}</td>
      <td class="number soft">
        {isKnown ? (
          <Ago at={known_failure.expires_at} />
        ) : last_result_at === null ? (
          '–'
        ) : (
          <Ago at={last_result_at} />
        )}
      </td>
    </tr>
  );
}

function LastRuns({
  runs: { branch, tool, environment_key, outcomes },
}: {
  runs: NonNullable<Test['last_runs']>;
}) {
  const line = likeInWords({ branch, tool, environment_key });
  const failed = outcomes.filter((outcome) => outcome === 'failed').length;
  return (
    <>
      <Strip
        cells={outcomes
          .toReversed()
          .map((outcome) =>
            outcome === null
              ? { outcome: 'absent', label: 'did not run' }
              : { outcome, label: outcome.replace('_', ' ') },
          )}
        label={`failed in ${failed} of the last ${counted(outcomes.length, 'run')} ${line}`}
      />
      <span class="soft small clip" title={line}>
        {line}
      </span>
    </>
  );
}

/** `3 of the last 20 results` */
function evidence(outcomes: Test['last_outcomes']): string {
  const failed = outcomes.filter((outcome) => outcome === 'failed').length;
  return `${failed === 0 ? 'none' : failed} of the last ${counted(outcomes.length, 'result')}`;
}
