/** Appending to the SQLite log: the decisions, call by call, inside one transaction. */
import { parseStreamName } from '../../../domain/event.js';
import {
  ANY,
  EVENT_WIDTH,
  FIRST_EVENT,
  NONE,
  REFUSED,
  SAME,
  type Call,
  type Outcomes,
} from './thread-messages.js';
import type { SqliteDatabase } from '../database.js';

/** Rows that are inserted at once where a call has as many: a statement each costs a tenth more. */
const MANY = 25;

/**
 * Prepares the function that appends calls in one transaction: all are on disk when it returns, none when it
 * throws. Answers one outcome a call, in their order.
 */
export function appender(database: SqliteDatabase): (calls: readonly Call[]) => Outcomes {
  const begin = database.prepare('BEGIN IMMEDIATE');
  const commit = database.prepare('COMMIT');
  const head = database.prepare('SELECT position FROM events ORDER BY position DESC LIMIT 1').raw();
  const streamHead = database
    .prepare('SELECT revision FROM events WHERE stream = ? ORDER BY revision DESC LIMIT 1')
    .raw();
  const stored = database.prepare('SELECT id, position FROM events WHERE stream = ? AND revision = ?').raw();
  const insert = (rows: number) =>
    database.prepare(
      `INSERT INTO events (position, category, team, stream, revision, id, type, version, meta, data)
       VALUES ${Array.from({ length: rows }, () => '(?, ?, ?, ?, ?, ?, ?, ?, ?, ?)').join(', ')}`,
    );
  const [insertOne, insertMany] = [insert(1), insert(MANY)];
  const teamNumber = teamNumbers(database);
  let position = 0;

  return (calls) => {
    begin.run();
    try {
      // Read anew each time: a transaction that was rolled back leaves no number behind.
      position = (head.get() as [number] | undefined)?.[0] ?? 0;
      const outcomes = calls.flatMap(append);
      commit.run();
      return outcomes;
    } catch (error) {
      // A full disk may have ended the transaction already.
      if (database.inTransaction) database.exec('ROLLBACK');
      teamNumber.forget();
      throw error;
    }
  };

  function append(call: Call): Outcomes {
    const [stream, expected] = call;
    const revision = (streamHead.get(stream) as [number] | undefined)?.[0] ?? NONE;
    if (expected === revision || expected === ANY) return write(call, revision);
    const count = (call.length - FIRST_EVENT) / EVENT_WIDTH;
    const last = expected + count;
    const repeated = expected < revision && last <= revision ? repeatOf(call) : undefined;
    return repeated === undefined ? [REFUSED, revision] : [last, repeated];
  }

  function write(call: Call, after: number): Outcomes {
    const [stream] = call;
    const { category, team } = parseStreamName(stream);
    const number = teamNumber.of(team);
    let revision = after;
    let meta: string | number | undefined;
    let many: (string | number | undefined)[] = [];
    const count = (call.length - FIRST_EVENT) / EVENT_WIDTH;
    let grouped = count - (count % MANY);
    for (let at = FIRST_EVENT; at < call.length; at += EVENT_WIDTH) {
      revision += 1;
      position += 1;
      const [id, type, version, sent, data] = call.slice(at, at + EVENT_WIDTH);
      if (sent !== SAME) meta = sent;
      const row = [position, category, number, stream, revision, id, type, version, meta, data];
      if (grouped === 0) insertOne.run(row);
      else if (many.push(...row) === row.length * MANY) {
        insertMany.run(many);
        many = [];
        grouped -= MANY;
      }
    }
    return [revision, position];
  }

  /** The position of the last event if all of them lie where this call would have put them. */
  function repeatOf(call: Call): number | undefined {
    const [stream, expected] = call;
    let last: number | undefined;
    for (let at = FIRST_EVENT, revision = expected + 1; at < call.length; at += EVENT_WIDTH, revision += 1) {
      const row = stored.get(stream, revision) as [string, number] | undefined;
      if (row?.[0] !== call[at]) return undefined;
      last = row?.[1];
    }
    return last;
  }
}

/** Small numbers for teams, so that the index on the team stays a fraction of the log. */
function teamNumbers(database: SqliteDatabase): { of(team: string): number; forget(): void } {
  const find = database.prepare('SELECT id FROM teams WHERE name = ?').raw();
  const insert = database.prepare('INSERT INTO teams (name) VALUES (?) RETURNING id').raw();
  const known = new Map<string, number>();
  return {
    of: (team) => {
      let number = known.get(team);
      if (number === undefined) {
        [number] = (find.get(team) ?? insert.get(team)) as [number];
        known.set(team, number);
      }
      return number;
    },
    // After a rollback: a number that was not stored would point the team's events at nothing.
    forget: () => known.clear(),
  };
}
