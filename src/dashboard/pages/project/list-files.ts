/** The lists of a project as files: the rows that the page shows, in its order. */
import type { components } from '../../../client/api.generated.js';
import { ranAt } from '../../../domain/instant.js';
import { stateOf } from '../../../domain/runs/run-state.js';
import { titleOfRun } from '../../../domain/runs/run-title.js';
import type { Text } from '../../page.js';
import { csvOf } from '../../text/csv.js';
import { stateName, worstLine } from '../test/state.js';
import type { Run } from './read-runs.js';
import type { Test } from './test-table.js';

type Cause = components['schemas']['ProjectFailureGroup'];

/** The columns of a list, each with what it says of a row. */
type ColumnsOf<Row> = Readonly<Record<string, (row: Row) => string | number | null>>;

const ofRuns: ColumnsOf<Run> = {
  run_id: ({ id }) => id,
  title: titleOfRun,
  state: stateOf,
  status: ({ status }) => status,
  gate: ({ gate }) => gate,
  branch: ({ branch }) => branch,
  commit: ({ commit }) => commit,
  pull_request: ({ pull_request }) => pull_request,
  actor: ({ actor }) => actor,
  tool: ({ tool }) => tool,
  environment: ({ environment_key }) => environment_key,
  results: ({ standing_counts }) => standing_counts.total,
  failed: ({ standing_counts }) => standing_counts.failed,
  passed: ({ standing_counts }) => standing_counts.passed,
  skipped: ({ standing_counts }) => standing_counts.skipped,
  new_failures: ({ new_failures }) => new_failures,
  duration_ms: ({ duration_ms }) => duration_ms,
  ran_at: ranAt,
};

const failedOf = (outcomes: Test['last_outcomes']) => outcomes.filter((one) => one === 'failed').length;

/** `isNarrowed`: to one environment. */
const ofTests = (isNarrowed: boolean): ColumnsOf<Test> => ({
  test_id: ({ id }) => id,
  name: ({ name }) => name,
  state: (test) => stateName(isNarrowed ? test : worstLine(test)),
  known_because: ({ known_failure }) => known_failure?.reason ?? null,
  known_until: ({ known_failure }) => known_failure?.expires_at ?? null,
  failed: ({ last_outcomes }) => failedOf(last_outcomes),
  of_last_results: ({ last_outcomes }) => last_outcomes.length,
  owner: ({ owner }) => owner,
  tags: ({ tags }) => tags.join(' '),
  last_result_at: ({ last_result_at }) => last_result_at,
});

const ofCauses: ColumnsOf<Cause> = {
  group_id: ({ group }) => group,
  title: ({ title }) => title,
  state: ({ state }) => state,
  owner: ({ owner }) => owner,
  runs: ({ runs }) => runs,
  results: ({ results }) => results,
  first_seen_at: ({ first_seen }) => first_seen.at,
  last_seen_at: ({ last_seen }) => last_seen.at,
};

export const runsFile = (runs: readonly Run[]): Text => fileOf(ofRuns, runs);
export const causesFile = (causes: readonly Cause[]): Text => fileOf(ofCauses, causes);
export const testsFile = (tests: readonly Test[], isNarrowed: boolean): Text =>
  fileOf(ofTests(isNarrowed), tests);

/** Whether the URL asks for the list as a file. */
export function wantsCsv({ searchParams }: URL): boolean {
  return searchParams.get('format') === 'csv';
}

function fileOf<Row>(columns: ColumnsOf<Row>, rows: readonly Row[]): Text {
  const cells = rows.map((row) => Object.values(columns).map((of) => String(of(row) ?? '')));
  return { type: 'text/csv', text: csvOf([Object.keys(columns), ...cells]) };
}
