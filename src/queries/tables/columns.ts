/** The columns of the tables for analysts (docs/export.md), in order. They are never renamed; later ones come at the end. */

export type CellType = 'text' | 'integer' | 'boolean' | 'instant' | 'json';
/** `json`: its text. */
export type Cell = string | number | boolean | null;
export type Row = readonly Cell[];
export type Column = { name: string; type: CellType };

export type TableName = 'results' | 'runs';

const types = {
  revision: 'integer',
  line: 'integer',
  shard_attempt: 'integer',
  attempt: 'integer',
  completion: 'integer',
  passed: 'integer',
  failed: 'integer',
  skipped: 'integer',
  known_fail: 'integer',
  duration_ms: 'integer',
  known: 'boolean',
  deleted: 'boolean',
  started_at: 'instant',
  finished_at: 'instant',
  recorded_at: 'instant',
  tags: 'json',
  metadata: 'json',
} as const satisfies Record<string, CellType>;

const ofResults =
  'result_id, revision, position, project_id, project, run_id, run_label, run_key, branch, commit, pull_request, actor, ' +
  'ci_url, tool, environment, test_id, test_name, file, line, suite, owner, tags, shard, shard_attempt, attempt, retry_of, ' +
  'superseded_by, status, known, failure_group, duration_ms, started_at, finished_at, recorded_at, deleted';
const ofContents = 'error_type, error_message, error_stack, metadata';
const ofRuns =
  'run_id, revision, position, project_id, project, label, run_key, build, branch, commit, pull_request, actor, ci_url, ' +
  'tool, environment, status, outcome, gate, completion, passed, failed, skipped, known_fail, duration_ms, started_at, ' +
  'finished_at, recorded_at, completed_by';

const contentColumns = columnsIn(ofContents);
const tables: Record<TableName, readonly Column[]> = {
  results: columnsIn(ofResults),
  runs: columnsIn(ofRuns),
};

export function columnsOf(table: TableName, withContents: boolean): readonly Column[] {
  return table === 'results' && withContents ? [...tables.results, ...contentColumns] : tables[table];
}

function columnsIn(names: string): Column[] {
  return names.split(', ').map((name) => ({ name, type: typeOf(name) }));
}

function typeOf(name: string): CellType {
  return Object.hasOwn(types, name) ? types[name as keyof typeof types] : 'text';
}
