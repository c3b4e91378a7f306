/** Surface B: the tables for analysts, as they are at a position (docs/export.md). */
import { openTurns } from '../../concurrency/turns.js';
import type { Position } from '../../domain/event.js';
import { fail, invalid, isAppError } from '../../errors.js';
import { columnsOf, type Column, type Row, type TableName } from '../../queries/tables/columns.js';
import { csvHeader, csvOf } from '../../queries/tables/csv.js';
import { openGates } from '../../queries/tables/gates.js';
import { resultsTable } from '../../queries/tables/results-table.js';
import { runsTable } from '../../queries/tables/runs-table.js';
import type { TableScope, TableSource } from '../../queries/tables/table-events.js';
import { checkPosition } from '../../replay/positions.js';
import { EXPORT_POINTS } from '../backpressure/request-cost.js';
import type { Call, Reply, Route } from '../route.js';
import type { Sources } from '../sources.js';

const types = { csv: 'text/csv', parquet: 'application/vnd.apache.parquet' } as const;
/** A group is made in one piece, which holds the thread for about 25 ms. */
const GROUP_ROWS = 2_000;

export function exportRoutes(sources: Sources): Route[] {
  const turns = openTurns();
  const source: TableSource = { log: sources.storedLog, turns };
  const route = (table: TableName, id: string, summary: string): Route => ({
    method: 'GET',
    path: `/exports/${table}`,
    operation: {
      id,
      summary,
      answers: { 200: { media: Object.values(types) } },
      errors: ['too_many_replays'],
    },
    role: 'viewer',
    query: 'ExportQuery',
    handle: (call) => answer(sources, source, call, table),
  });
  return [
    route('results', 'exportResults', 'Exports results as a table, as they are at a position'),
    route('runs', 'exportRuns', 'Exports runs as a table, as they are at a position'),
  ];
}

async function answer(sources: Sources, source: TableSource, call: Call, table: TableName): Promise<Reply> {
  const { key, query, rate } = call;
  const after = await positionIn(source, call, 'after');
  const until =
    query['until'] === undefined ? await source.log.head() : await positionIn(source, call, 'until');
  const contents = query['contents'] === 'true';
  const columns = columnsOf(table, contents);
  const scope = { team: key.team_id, projects: projectsOf(call) };
  const rows = () => rowsOf(sources, source, scope, { table, after, until, contents });
  // A gate that is not known yet would be another cell.
  if (table === 'runs' && !(await call.waitFor('history')))
    fail('views_behind', 'The read models are behind, so the gates are not known yet.', { retryAfter: 1 });
  rate.charge(EXPORT_POINTS);
  const format = query['format'] as keyof typeof types;
  const encoded = format === 'csv' ? csvChunks : parquetChunks;
  async function* chunks(signal: AbortSignal): AsyncGenerator<Uint8Array | string, void> {
    const leave = await sources.admission.admit('exports', { key: key.key_id, team: key.team_id, signal });
    try {
      for await (const chunk of encoded(columns, rows(), () => source.turns.next(key.team_id))) {
        if (signal.aborted) return;
        yield chunk;
      }
    } finally {
      leave();
    }
  }
  const headers = { 'Cache-Control': 'no-store', 'X-Position': until };
  return { status: 200, headers, type: types[format], stream: { chunks, endless: false } };
}

type Parts = AsyncIterable<readonly Row[]>;

async function* csvChunks(columns: readonly Column[], parts: Parts): AsyncGenerator<string, void> {
  let head = csvHeader(columns);
  for await (const rows of parts) {
    yield head + csvOf(rows);
    head = '';
  }
  yield head;
}

async function* parquetChunks(
  columns: readonly Column[],
  parts: Parts,
  turn: () => Promise<void>,
): AsyncGenerator<Uint8Array, void> {
  // Most servers export none, and it would take memory from their start on.
  const { openParquet } = await import('../../queries/tables/parquet.js');
  const file = openParquet(columns);
  let rows: Row[] = [];
  for await (const part of parts) {
    rows.push(...part);
    if (rows.length < GROUP_ROWS) continue;
    await turn();
    yield file.group(rows);
    rows = [];
  }
  if (rows.length > 0) yield file.group(rows);
  yield file.end();
}

type Wanted = { table: TableName; after: Position; until: Position; contents: boolean };

function rowsOf(
  { contents: store, historyViews }: Sources,
  source: TableSource,
  scope: TableScope,
  { table, contents, ...range }: Wanted,
): AsyncGenerator<readonly Row[], void> {
  if (table === 'results')
    return resultsTable(source, scope, { ...range, contents: contents ? store : null });
  const gatesOf = openGates(source, scope, { historyViews, until: range.until });
  return runsTable(source, scope, { ...range, gatesOf });
}

/** Null for all: a key of some projects sees these only, and a project that is not one of them has no rows. */
function projectsOf({ key, query }: Call): readonly string[] | null {
  const wanted = query['project_id'];
  if (wanted === undefined) return key.project_ids;
  return [String(wanted)].filter((id) => key.project_ids?.includes(id) !== false);
}

async function positionIn({ log }: TableSource, call: Call, name: 'after' | 'until'): Promise<Position> {
  try {
    return await checkPosition(log, call.key.team_id, String(call.query[name] ?? ''));
  } catch (error) {
    if (!isAppError(error, 'not_a_position')) throw error;
    return invalid(`?${name}`, 'not_a_position', 'is not a position of an event');
  }
}
