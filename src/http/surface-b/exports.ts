/** Surface B: the tables for analysts, as they are at a position (docs/export.md). */
import { openTurns } from '../../concurrency/turns.js';
import type { Position } from '../../domain/event.js';
import { invalid, isAppError } from '../../errors.js';
import { columnsOf, type Row, type TableName } from '../../queries/tables/columns.js';
import { csvHeader, csvOf } from '../../queries/tables/csv.js';
import { openGates } from '../../queries/tables/gates.js';
import { resultsTable } from '../../queries/tables/results-table.js';
import { runsTable } from '../../queries/tables/runs-table.js';
import type { TableScope, TableSource } from '../../queries/tables/table-events.js';
import { checkPosition } from '../../replay/positions.js';
import { EXPORT_POINTS } from '../request-cost.js';
import type { Call, Reply, Route } from '../route.js';
import type { Sources } from '../sources.js';

const CSV = 'text/csv';

export function exportRoutes(sources: Sources): Route[] {
  const turns = openTurns();
  const source: TableSource = { log: sources.storedLog, turns };
  const route = (table: TableName, id: string, summary: string): Route => ({
    method: 'GET',
    path: `/exports/${table}`,
    operation: {
      id,
      summary,
      answers: { 200: { media: [CSV] } },
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
  if (table === 'runs') await call.waitFor('history');
  rate.charge(EXPORT_POINTS);
  async function* chunks(signal: AbortSignal): AsyncGenerator<string, void> {
    const leave = await sources.admission.admit('exports', { key: key.key_id, team: key.team_id, signal });
    try {
      let head = csvHeader(columns);
      for await (const some of rows()) {
        if (signal.aborted) return;
        yield head + csvOf(some);
        head = '';
      }
      yield head;
    } finally {
      leave();
    }
  }
  const headers = { 'Cache-Control': 'no-store', 'X-Position': until };
  return { status: 200, headers, type: CSV, stream: { chunks, endless: false } };
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
