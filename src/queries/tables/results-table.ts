/** The table of results: a row for each that was made or changed in a part of the log, as it is at the end of that part. */
import { streamName, START, type Position, type RecordedEvent } from '../../domain/event.js';
import { invalid } from '../../errors.js';
import type { ContentReader } from '../../log/with-contents.js';
import type { EventLog } from '../../ports/event-log.js';
import { countChanges, type LaterChanges } from './changes.js';
import type { Row } from './columns.js';
import { openNames } from './names.js';
import { resultChanges, type ResultChanged, type TableResult } from './result-fold.js';
import { resultRow, withTexts, type ResultRow } from './result-rows.js';
import { tableEvents, type Range, type TableScope, type TableSource } from './table-events.js';

/** `contents`: what the columns of contents are read from; null without them. */
export type ResultsOptions = Range & { contents: ContentReader | null };

/** Rows in the order of their positions. */
export async function* resultsTable(
  source: TableSource,
  scope: TableScope,
  { after, until, contents }: ResultsOptions,
): AsyncGenerator<readonly Row[], void> {
  const { left, older } = await laterChanges(source, scope, { after, until });
  const names = openNames(source.log, scope.team, { knows: true });
  /** The results that change again, or began before. */
  const open = new Map<string, TableResult>();
  const fold = {
    names,
    at: (id: string) => open.get(id),
    follows: (id: string, position: Position) => position > after || older.has(id),
  };
  const start = await startOf(source.log, scope.team, after, older);
  for await (const events of tableEvents(source, scope, { after: start, until })) {
    await names.prepare(events);
    const rows: ResultRow[] = [];
    for (const event of events) {
      names.apply(event);
      for (const change of resultChanges(event, fold)) {
        if (change.state.position <= after) open.set(change.id, change.state);
        else if (isLast(change, left)) {
          open.delete(change.id);
          rows.push(resultRow(change.state, names));
        } else open.set(change.id, change.state);
      }
    }
    if (rows.length === 0) continue;
    yield contents === null ? rows.map(({ cells }) => cells) : await withTexts(contents, rows);
  }
}

/** Whether the result changes no more. Counts the change. */
export function isLast({ id, made }: Pick<ResultChanged, 'id' | 'made'>, left: Map<string, number>): boolean {
  const count = (left.get(id) ?? 0) - (made ? 0 : 1);
  if (count > 0) {
    left.set(id, count);
    return false;
  }
  left.delete(id);
  return true;
}

/** @throws AppError `validation_failed` for a part that is too long */
export async function laterChanges(
  source: TableSource,
  scope: TableScope,
  range: Range,
  isWanted: (event: RecordedEvent) => boolean = () => true,
): Promise<LaterChanges> {
  const counted = countChanges();
  for await (const events of tableEvents(source, scope, range)) {
    if (!events.filter(isWanted).every(counted.add)) {
      invalid('?until', 'too_many_changes', 'has too many changes before it: export in steps');
    }
  }
  return counted.found();
}

/** Where the fold begins, so that it has all that these results were before. */
async function startOf(
  log: EventLog,
  team: string,
  after: Position,
  older: LaterChanges['older'],
): Promise<Position> {
  let start = after;
  for (const run of new Set(older.values())) {
    // A result without a run.
    if (run === null) return START;
    const [first] = (await log.readStream(streamName('run', team, run), { limit: 1 })).events;
    if (first !== undefined && first.position < start) start = first.position;
  }
  return start;
}
