/** Masks events where they are stored, in the thread that writes the log. What they said is overwritten. */
import { maskEvent } from '../../../domain/redaction/mask-event.js';
import { streamName } from '../../../domain/event.js';
import type { ErasedPart, ErasePart } from '../../../ports/event-log.js';
import type { SqliteDatabase } from '../database.js';
import { immediately } from '../transaction.js';
import { stored } from './deflated.js';
import { basePosition } from './deltas.js';
import { forgetBases } from './delta-writer.js';
import type { EventRow } from './event-rows.js';
import { eventReader } from './rows.js';
import { storedNames } from './stream-names.js';

/** A part takes about 20 ms, for which appends wait. */
const ROWS = 200;
const CHARACTERS = 1_000_000;

/** Prepares the function that erases parts. Each is one transaction. */
export function eraserOn(database: SqliteDatabase): (parts: readonly ErasePart[]) => ErasedPart[] {
  const rows = (where: string, index: string) =>
    database
      .prepare(
        `SELECT position FROM events ${index} WHERE ${where} AND position < ? ORDER BY position DESC LIMIT ${ROWS}`,
      )
      .raw();
  const ofTeam = rows('team = (SELECT id FROM teams WHERE name = ?)', 'INDEXED BY events_by_team');
  const ofRuns = rows("category = 'run' AND team = (SELECT id FROM teams WHERE name = ?)", '');
  const first = database.prepare('SELECT min(position) FROM events WHERE stream = ?').raw();
  const put = database.prepare('UPDATE events SET meta = ?, text_bytes = ?, data = ? WHERE position = ?');
  const storedNameOf = storedNames(database);

  function erasePart({ team, rule, before, bases }: ErasePart): ErasedPart {
    if (before === null && !bases) forgetBases();
    // A reader of its own: it keeps bases in memory as they were.
    const events = eventReader(database);
    const isChanged = new Map<number, boolean>();
    const masks = (position: number): boolean => {
      let known = isChanged.get(position);
      if (known === undefined) {
        const event = events.event(events.row(position));
        known = maskEvent(event, [rule]) !== event;
        isChanged.set(position, known);
      }
      return known;
    };
    // No event before the first of its run is of the run, or has a base that is.
    const stream = 'run' in rule ? storedNameOf(streamName('run', team, rule.run)) : null;
    const lowest = stream === null ? 0 : ((first.get([stream]) as [number | null])[0] ?? 0);
    const found = ('run' in rule ? ofRuns : ofTeam).all([team, before ?? Number.MAX_SAFE_INTEGER]) as [
      number,
    ][];
    let changed = 0;
    let characters = 0;
    let reached: number | null = null;
    for (const [position] of found) {
      if (position < lowest || characters > CHARACTERS) break;
      reached = position;
      const row = events.row(position);
      characters += row[6].length + row[7].length;
      const base = basePosition(row[7]);
      if ((base === null) !== bases && !isLarge(row)) continue;
      const event = events.event(row);
      const masked = maskEvent(event, [rule]);
      if (masked === event && (base === null || !masks(base))) continue;
      put.run([JSON.stringify(masked.meta), ...stored(JSON.stringify(masked.data)), position]);
      if (masked !== event) changed += 1;
    }
    const isOver =
      reached === null || reached <= lowest || (found.length < ROWS && reached === found.at(-1)![0]);
    return { next: isOver ? null : reached, changed };
  }

  return (parts) => parts.map((part) => immediately(database, () => erasePart(part)));
}

/** Too large to be a base: it goes at once. */
function isLarge([, , , , , , meta, data]: EventRow): boolean {
  return basePosition(data) === null && meta.length + data.length > 2_048;
}
