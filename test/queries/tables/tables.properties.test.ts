import { expect } from 'chai';
import * as fc from 'fast-check';
import { openTurns } from '../../../src/concurrency/turns.js';
import { logPosition, START, type Position } from '../../../src/domain/event.js';
import type { LedgerEvent } from '../../../src/domain/events.js';
import { columnsOf, type Row, type TableName } from '../../../src/queries/tables/columns.js';
import { csvOf } from '../../../src/queries/tables/csv.js';
import { resultsTable } from '../../../src/queries/tables/results-table.js';
import { runsTable } from '../../../src/queries/tables/runs-table.js';
import { randomHistories } from '../../domain/random-histories.js';
import { histories } from '../../projections/result-histories.js';
import { logOf } from './log-of.js';
import { modelResults, modelRuns, type ModelRow } from './tables.model.js';

const anyHistory = fc.oneof(
  histories,
  randomHistories(60).map(({ events }) => events),
);
const place = fc.nat(10_000);

describe('the tables for analysts, for any history', () => {
  it('have the results as the read models show them at the position, deleted ones included', async () => {
    await fc.assert(
      fc.asyncProperty(anyHistory, place, async (events, n) => {
        for (const team of teamsIn(events)) {
          const own = ofTeam(events, team);
          const until = positionAt(own, n);
          const rows = await resultsOf(events, team, START, until);
          const expected = await modelResults(own.filter(({ position }) => position <= until));
          expect(rows.map(({ position }) => position)).to.deep.equal(
            expected.map(({ position }) => position),
          );
          expect(bySame(rows, expected)).to.deep.equal(bySame(expected, expected));
        }
      }),
      { numRuns: 20 },
    );
  }).timeout(240_000);

  it('have the runs as the read models show them at the position', async () => {
    await fc.assert(
      fc.asyncProperty(anyHistory, place, async (events, n) => {
        for (const team of teamsIn(events)) {
          const own = ofTeam(events, team);
          const until = positionAt(own, n);
          const rows = await runsOf(events, team, START, until);
          const expected = await modelRuns(own.filter(({ position }) => position <= until));
          const found = rows.map((row) => ({ ...row, position: '' }));
          expect(bySame(found, expected)).to.deep.equal(bySame(expected, expected));
        }
      }),
      { numRuns: 20 },
    );
  }).timeout(240_000);

  it('are the same bytes for one position, and an older table with what came after it is the whole table', async () => {
    await fc.assert(
      fc.asyncProperty(anyHistory, place, place, place, async (events, ...places) => {
        for (const team of teamsIn(events)) {
          const own = ofTeam(events, team);
          const [first, second, last] = places.map((n) => positionAt(own, n)).sort() as [
            string,
            string,
            string,
          ];
          for (const [table, rowsOf] of [
            ['results', resultsOf],
            ['runs', runsOf],
          ] as const) {
            const whole = await rowsOf(events, team, START, last);
            const then = own.filter(({ position }) => logPosition(position) <= logPosition(last));
            expect(textOf(table, await rowsOf(then, team, START, last))).to.equal(textOf(table, whole));
            const parts = [
              await rowsOf(events, team, START, first),
              await rowsOf(events, team, first, second),
              await rowsOf(events, team, second, last),
            ];
            const kept = new Map(parts.flat().map((row) => [idIn(row), row]));
            const byId = (rows: Iterable<TableRow>) => new Map([...rows].map((row) => [idIn(row), row]));
            expect(kept, table).to.deep.equal(byId(whole));
            // What is left of an export is the export from there.
            const rest = whole.filter(({ position }) => position > second);
            expect(parts[2]).to.deep.equal(rest);
            for (const part of parts) {
              const positions = part.map(({ position }) => position);
              expect(positions).to.deep.equal(positions.toSorted());
            }
          }
        }
      }),
      { numRuns: 20 },
    );
  }).timeout(240_000);
});

type TableRow = Record<string, unknown> & { position: string };

async function resultsOf(events: readonly LedgerEvent[], team: string, after: Position, until: Position) {
  const scope = { team, projects: null };
  return rowsOf('results', resultsTable(sourceOf(events), scope, { after, until, contents: null }));
}

async function runsOf(events: readonly LedgerEvent[], team: string, after: Position, until: Position) {
  const scope = { team, projects: null };
  const gatesOf = async () => new Map<string, string>();
  return rowsOf('runs', runsTable(sourceOf(events), scope, { after, until, gatesOf }));
}

function sourceOf(events: readonly LedgerEvent[]) {
  return { log: logOf(events), turns: openTurns() };
}

async function rowsOf(table: TableName, parts: AsyncIterable<readonly Row[]>): Promise<TableRow[]> {
  const columns = columnsOf(table, false);
  const rows: TableRow[] = [];
  for await (const part of parts) {
    for (const row of part) {
      expect(row).to.have.length(columns.length);
      rows.push(Object.fromEntries(columns.map(({ name }, n) => [name, row[n]])) as TableRow);
    }
  }
  return rows;
}

function textOf(table: TableName, rows: readonly TableRow[]): string {
  const columns = columnsOf(table, false);
  return csvOf(rows.map((row) => columns.map(({ name }) => row[name] as never)));
}

function idIn(row: TableRow): string {
  return String(row['result_id'] ?? row['run_id']);
}

/** By id, the cells that the model has of that row. */
function bySame(rows: readonly TableRow[], expected: readonly ModelRow[]): Map<string, unknown> {
  const wanted = new Map(expected.map((row) => [idIn(row), Object.keys(row)]));
  return new Map(
    rows.map((row) => {
      const names = wanted.get(idIn(row)) ?? Object.keys(row);
      return [idIn(row), Object.fromEntries(names.map((name) => [name, row[name]]))];
    }),
  );
}

function teamsIn(events: readonly LedgerEvent[]): string[] {
  return [...new Set(events.map(({ meta }) => meta.team_id))];
}

function ofTeam(events: readonly LedgerEvent[], team: string): LedgerEvent[] {
  return events.filter(({ meta }) => meta.team_id === team);
}

function positionAt(events: readonly LedgerEvent[], n: number): Position {
  return events[n % events.length]!.position;
}
