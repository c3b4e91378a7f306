/** Which builds the file has, and up to which position each of them is folded. */
import type { Checkpoint, Commit, FoldedEvent } from '../../../ports/views.js';
import { ALL_PARTITIONS } from '../../../domain/partition.js';
import type { ProjectionSpec } from '../../../domain/projection.js';
import { checkpointsAfter, FIRST_CHECKPOINT } from '../../shared/checkpoints.js';
import type { SqliteDatabase } from '../database.js';

type BuildRow = { build: number; version: number; live: number; collections: string } & EventRow;

export type EventRow = { event_position: string; event_id: string };

export type CheckpointChange = Omit<Commit, 'changes'>;

export const CHECKPOINTS_OF_LIVE = `SELECT partitions, position, epoch FROM builds JOIN checkpoints USING (projection, build)
   WHERE projection = ? AND live = 1 ORDER BY partitions`;

/** The rows of the builds and of their checkpoints. */
export function buildRegistry(database: SqliteDatabase) {
  const of = 'WHERE projection = ? AND build = ?';
  const rows = database.prepare(
    `SELECT build, version, live, collections, event_position, event_id FROM builds
     WHERE projection = ? ORDER BY build`,
  );
  const one = database.prepare(`SELECT 1 FROM builds ${of}`).raw();
  const insert = database.prepare(
    'INSERT INTO builds (projection, build, version, live, collections) VALUES (?, ?, ?, ?, ?)',
  );
  const checkpoints = database.prepare(
    `SELECT partitions, position, epoch FROM checkpoints ${of} ORDER BY partitions`,
  );
  const addCheckpoint = database.prepare(
    'INSERT INTO checkpoints (projection, build, partitions, position, epoch) VALUES (?, ?, ?, ?, ?)',
  );
  const removeCheckpoints = database.prepare(`DELETE FROM checkpoints ${of}`);
  const move = database.prepare(
    `UPDATE checkpoints SET position = ?, epoch = ? ${of} AND partitions = ? AND position = ? AND epoch <= ?`,
  );
  const setLastEvent = database.prepare(
    `UPDATE builds SET event_position = ?, event_id = ? ${of} AND event_position < ?`,
  );
  const raise = database.prepare(`UPDATE checkpoints SET epoch = ? ${of}`);
  const removeOthers = ['builds', 'checkpoints'].map((table) =>
    database.prepare(`DELETE FROM ${table} WHERE projection = ? AND build <> ?`),
  );
  const enliven = database.prepare(`UPDATE builds SET live = 1 ${of}`);
  const checkpointsOf = (projection: string, build: number) =>
    checkpoints.all([projection, build]) as Checkpoint[];

  /** False if the commit is fenced. */
  const moveCheckpoints = (projection: string, commit: CheckpointChange): boolean => {
    const { build, epoch, from, to, partitions = ALL_PARTITIONS } = commit;
    // Nearly every commit moves all partitions from one position to another.
    if (partitions === ALL_PARTITIONS) {
      const moved = move.run([to, epoch, projection, build, partitions, from, epoch]);
      if (moved.changes === 1) return true;
    }
    const after = checkpointsAfter(checkpointsOf(projection, build), commit);
    if (after === null) return false;
    removeCheckpoints.run([projection, build]);
    for (const each of after) {
      addCheckpoint.run([projection, build, each.partitions, each.position, each.epoch]);
    }
    return true;
  };

  return {
    of: (projection: string) => rows.all([projection]) as BuildRow[],
    has: (projection: string, build: number) => one.get([projection, build]) !== undefined,
    checkpoints: checkpointsOf,
    add({ name, version }: ProjectionSpec, build: number, live: boolean, collections: string): void {
      insert.run([name, build, version, live ? 1 : 0, collections]);
      const { partitions, position, epoch } = FIRST_CHECKPOINT;
      addCheckpoint.run([name, build, partitions, position, epoch]);
    },
    /** False if the commit is fenced. */
    advance(projection: string, commit: CheckpointChange): boolean {
      const { build, lastEvent } = commit;
      if (!moveCheckpoints(projection, commit)) return false;
      if (lastEvent !== undefined) {
        const { position, id } = lastEvent;
        setLastEvent.run([position, id, projection, build, position]);
      }
      return true;
    },
    promote(projection: string, build: number, epoch: number): void {
      for (const remove of removeOthers) remove.run([projection, build]);
      enliven.run([projection, build]);
      raise.run([epoch, projection, build]);
    },
  };
}

/** Null where no commit has named an event. */
export function lastEventOf({ event_position: position, event_id: id }: EventRow): FoldedEvent | null {
  return position === '' ? null : { position, id };
}
