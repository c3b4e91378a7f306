/** Appends to the SQLite log, call by call, inside one transaction. */
import { parseStreamName } from '../../../domain/event.js';
import {
  ANY,
  VALUES_PER_EVENT,
  FIRST_EVENT_AT,
  NONE,
  REFUSED,
  contentsIn,
  type AppendCall,
  type AppendOutcome,
} from './append-call.js';
import { contentKeeper } from '../contents/table.js';
import type { SqliteDatabase } from '../database.js';
import { deltaWriter } from './delta-writer.js';
import { streamIdIn } from './deltas.js';
import { stored } from './deflated.js';
import { shortName } from './stream-names.js';

type EventValues = [id: string, type: string, version: number, meta: string, data: string, contents: string];

/**
 * Prepares the function that appends calls in one transaction: all of them are on disk when it returns, and none when
 * it throws. Returns one outcome per call, in their order. One function, because all parts share the prepared
 * statements and the position that the transaction has reached.
 */
export function appender(database: SqliteDatabase): (calls: readonly AppendCall[]) => AppendOutcome[] {
  const begin = database.prepare('BEGIN IMMEDIATE');
  const commit = database.prepare('COMMIT');
  const head = database.prepare('SELECT position FROM events ORDER BY position DESC LIMIT 1').raw();
  const streamHead = database
    .prepare('SELECT revision FROM events WHERE stream = ? ORDER BY revision DESC LIMIT 1')
    .raw();
  const placed = database.prepare('SELECT id, position FROM events WHERE stream = ? AND revision = ?').raw();
  const insert = database.prepare(
    `INSERT INTO events (position, category, team, stream, revision, id, type, version, meta, text_bytes, data)
     VALUES (?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?)`,
  );
  const teamNumber = teamNumbers(database);
  const deltas = deltaWriter();
  const contents = contentKeeper(database);
  let position = 0;

  return (calls) => {
    begin.run();
    try {
      // Read each time: a transaction that was rolled back leaves no number behind.
      position = (head.get() as [number] | undefined)?.[0] ?? 0;
      const outcomes = calls.map(append);
      commit.run();
      return outcomes;
    } catch (error) {
      // First: an event whose base was rolled back could never be read.
      deltas.forget();
      teamNumber.forget();
      contents.forget();
      // SQLite may have ended the transaction already, when the disk is full.
      if (database.inTransaction) database.exec('ROLLBACK');
      throw error;
    }
  };

  function append(call: AppendCall): AppendOutcome {
    const [name, expected] = call;
    const team = teamNumber.of(parseStreamName(name).team);
    const stream = shortName(name, team);
    const revision = (streamHead.get(stream) as [number] | undefined)?.[0] ?? NONE;
    if (expected === revision || expected === ANY) return write(call, stream, team, revision);
    const count = (call.length - FIRST_EVENT_AT) / VALUES_PER_EVENT;
    const last = expected + count;
    const repeated = expected < revision && last <= revision ? positionOfRepeat(call, stream) : undefined;
    return repeated === undefined ? [REFUSED, revision] : [last, repeated];
  }

  function write(call: AppendCall, stream: string, team: number, after: number): AppendOutcome {
    const { category } = parseStreamName(call[0]);
    const streamId = streamIdIn(call[0]);
    let revision = after;
    for (let at = FIRST_EVENT_AT; at < call.length; at += VALUES_PER_EVENT) {
      revision += 1;
      position += 1;
      const [id, type, version, meta, data, apart] = call.slice(at, at + VALUES_PER_EVENT) as EventValues;
      if (apart !== '') contents.keep(contentsIn(apart));
      const own = deltas.store(`${team} ${type}`, streamId, position, { meta, data });
      const row = [
        position,
        category,
        team,
        stream,
        revision,
        id,
        type,
        version,
        own.meta,
        ...stored(own.data),
      ];
      insert.run(row);
    }
    return [revision, position];
  }

  /** The position of the last event, if all of them are stored where this call would have put them. */
  function positionOfRepeat(call: AppendCall, stream: string): number | undefined {
    const [, expected] = call;
    let last: number | undefined;
    for (
      let at = FIRST_EVENT_AT, revision = expected + 1;
      at < call.length;
      at += VALUES_PER_EVENT, revision += 1
    ) {
      const row = placed.get(stream, revision) as [string, number] | undefined;
      if (row?.[0] !== call[at]) return undefined;
      last = row?.[1];
    }
    return last;
  }
}

/** Numbers for teams: small, so that the index on the team stays a fraction of the log. */
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
    // After a rollback: a number that was not stored would point to a row that does not exist.
    forget: () => known.clear(),
  };
}
