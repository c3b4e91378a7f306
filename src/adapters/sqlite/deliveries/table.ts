/** The table of deliveries in the state's file, and the statements that change it. */
import type { Delivery } from '../../../domain/messages/delivery.js';
import type { Instant } from '../../../domain/event.js';
import type { SqliteDatabase } from '../database.js';
import { immediately } from '../transaction.js';

/** A write on its way to the thread that does it. */
export type DeliveryWrite =
  | { type: 'add'; deliveries: readonly Delivery[] }
  /** By `putOf`. A list of values crosses to the thread in a fraction of the time of a delivery. */
  | { type: 'put'; values: readonly SqlValue[]; finished: readonly SqlValue[] | null }
  /** Blocks those of the ids that are due behind another delivery. */
  | { type: 'block'; ids: readonly string[] }
  /** Makes those of the ids due that are blocked with nothing before them. */
  | { type: 'unblock'; ids: readonly string[]; now: Instant }
  | { type: 'updatePending'; webhook: string; change: 'retry-now' | 'cancel'; now: Instant; limit: number }
  | { type: 'reschedule'; webhook: string; after: Instant; now: Instant; limit: number }
  | { type: 'purge'; before: Instant; limit: number };

type SqlValue = string | number | null;

/** Writes a delivery that was read in a version, unless it has changed since. */
export function putOf(delivery: Delivery, version: number, now: Instant): DeliveryWrite {
  const { id, created_at, asked, state, attempts, tries, webhook_id, subject } = delivery;
  const times = [delivery.next_attempt_at, delivery.scheduled_at, delivery.earliest_at];
  const finishedAt = state === 'pending' ? null : now;
  const described = [created_at, Number(asked), state, JSON.stringify(attempts), tries];
  const values = [...described, ...times, finishedAt, id, version];
  return { type: 'put', values, finished: finishedAt === null ? null : [now, webhook_id, subject] };
}

/** For `put`, 1 or 0. For the others, how many deliveries changed. */
export type DeliveryWriteResult = number;

/**
 * An index answers every question, however long the history is: by time for what is due, by subject for what comes
 * before a delivery, by place for lists. Triggers keep the counts, because counting takes longer the more there is.
 */
export const DELIVERY_TABLES = `
  CREATE TABLE deliveries (
    id TEXT PRIMARY KEY,
    webhook_id TEXT NOT NULL,
    team_id TEXT NOT NULL,
    event_id TEXT NOT NULL,
    type TEXT NOT NULL,
    subject TEXT NOT NULL,
    place TEXT NOT NULL,
    created_at TEXT NOT NULL,
    asked INTEGER NOT NULL,
    state TEXT NOT NULL,
    attempts TEXT NOT NULL,
    tries INTEGER NOT NULL,
    next_attempt_at TEXT,
    scheduled_at TEXT,
    earliest_at TEXT,
    finished_at TEXT,
    version INTEGER NOT NULL
  );
  CREATE INDEX deliveries_due
    ON deliveries (webhook_id, next_attempt_at, place) WHERE next_attempt_at IS NOT NULL;
  CREATE INDEX deliveries_pending
    ON deliveries (webhook_id, subject, place, next_attempt_at) WHERE state = 'pending';
  CREATE INDEX deliveries_aside
    ON deliveries (webhook_id, subject) WHERE state = 'pending' AND next_attempt_at IS NULL;
  CREATE INDEX deliveries_by_place ON deliveries (webhook_id, place);
  CREATE INDEX deliveries_by_state ON deliveries (webhook_id, state, place);
  CREATE INDEX deliveries_finished ON deliveries (finished_at) WHERE state <> 'pending';
  CREATE TABLE delivery_counts (
    webhook_id TEXT NOT NULL,
    state TEXT NOT NULL,
    count INTEGER NOT NULL,
    PRIMARY KEY (webhook_id, state)
  ) WITHOUT ROWID;
  CREATE TRIGGER delivery_added AFTER INSERT ON deliveries BEGIN
    INSERT INTO delivery_counts VALUES (new.webhook_id, new.state, 1)
      ON CONFLICT DO UPDATE SET count = count + 1;
  END;
  CREATE TRIGGER delivery_removed AFTER DELETE ON deliveries BEGIN
    UPDATE delivery_counts SET count = count - 1 WHERE webhook_id = old.webhook_id AND state = old.state;
    DELETE FROM delivery_counts WHERE webhook_id = old.webhook_id AND state = old.state AND count = 0;
  END;
  CREATE TRIGGER delivery_changed AFTER UPDATE OF state ON deliveries
    WHEN old.state <> new.state BEGIN
    UPDATE delivery_counts SET count = count - 1 WHERE webhook_id = old.webhook_id AND state = old.state;
    DELETE FROM delivery_counts WHERE webhook_id = old.webhook_id AND state = old.state AND count = 0;
    INSERT INTO delivery_counts VALUES (new.webhook_id, new.state, 1)
      ON CONFLICT DO UPDATE SET count = count + 1;
  END;`;

/**
 * Prepares the function that does a list of writes in one transaction: all of them or none, with one wait for the disk.
 * The statements name their indexes: without statistics, SQLite would rather read all pending deliveries in the order
 * of their places.
 */
export function deliveryWritesOn(
  database: SqliteDatabase,
): (writes: readonly DeliveryWrite[]) => DeliveryWriteResult[] {
  const insert = database.prepare(
    `INSERT OR IGNORE INTO deliveries (id, webhook_id, team_id, event_id, type, subject, place, created_at, asked, state,
         attempts, tries, next_attempt_at, scheduled_at, earliest_at, finished_at, version)
       VALUES (?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, 1)`,
  );
  const update = database.prepare(
    `UPDATE deliveries SET created_at = ?, asked = ?, state = ?, attempts = ?, tries = ?, next_attempt_at = ?,
         scheduled_at = ?, earliest_at = ?, finished_at = ?, version = version + 1
       WHERE id = ? AND version = ?`,
  );
  // Leaves a delivery alone that is due already: its attempt may be under way, and with a change in between it would be
  // sent twice.
  const next = database.prepare(
    `UPDATE deliveries SET next_attempt_at = max(?1, coalesce(earliest_at, '')), version = version + 1
       WHERE id = (SELECT id FROM deliveries INDEXED BY deliveries_pending
                     WHERE webhook_id = ?2 AND subject = ?3 AND state = 'pending'
                     ORDER BY place LIMIT 1)
         AND (next_attempt_at IS NULL OR next_attempt_at > max(?1, coalesce(earliest_at, '')))`,
  );
  const behind = `EXISTS (
         SELECT 1 FROM deliveries AS before INDEXED BY deliveries_pending WHERE before.webhook_id = deliveries.webhook_id
           AND before.subject = deliveries.subject AND before.state = 'pending'
           AND before.place < deliveries.place)`;
  const block = database.prepare(
    `UPDATE deliveries SET next_attempt_at = NULL, version = version + 1
       WHERE id = ? AND state = 'pending' AND ${behind}`,
  );
  const release = database.prepare(
    `UPDATE deliveries SET next_attempt_at = max(?2, coalesce(earliest_at, '')), version = version + 1
       WHERE id = ?1 AND state = 'pending' AND next_attempt_at IS NULL AND NOT ${behind}`,
  );
  const changes = {
    'retry-now': database.prepare(
      `UPDATE deliveries SET next_attempt_at = max(?2, coalesce(earliest_at, '')), version = version + 1 WHERE id IN (
         SELECT id FROM deliveries INDEXED BY deliveries_due WHERE webhook_id = ?1
           AND next_attempt_at > ?2 AND next_attempt_at > coalesce(earliest_at, '') LIMIT ?3)`,
    ),
    cancel: database.prepare(
      `UPDATE deliveries SET state = 'cancelled', next_attempt_at = NULL, finished_at = ?2, version = version + 1
         WHERE id IN (
           SELECT id FROM deliveries INDEXED BY deliveries_pending
             WHERE webhook_id = ?1 AND state = 'pending' AND created_at <= ?2 LIMIT ?3)`,
    ),
  };
  const reschedule = database.prepare(
    `UPDATE deliveries SET next_attempt_at = ?3, scheduled_at = NULL, earliest_at = NULL,
         created_at = min(created_at, ?3), version = version + 1
       WHERE id IN (SELECT id FROM deliveries INDEXED BY deliveries_due
                      WHERE webhook_id = ?1 AND next_attempt_at > ?2 LIMIT ?4)`,
  );
  const purge = database.prepare(
    `DELETE FROM deliveries WHERE id IN (
       SELECT id FROM deliveries INDEXED BY deliveries_finished WHERE state <> 'pending' AND finished_at < ?
         ORDER BY finished_at LIMIT ?)`,
  );

  const perform = (write: DeliveryWrite): DeliveryWriteResult => {
    switch (write.type) {
      case 'add':
        return total(write.deliveries, (each) => insert.run(rowOf(each)).changes);
      case 'put':
        if (update.run([...write.values]).changes === 0) return 0;
        if (write.finished !== null) next.run([...write.finished]);
        return 1;
      case 'block':
        return total(write.ids, (id) => block.run([id]).changes);
      case 'unblock':
        return total(write.ids, (id) => release.run([id, write.now]).changes);
      case 'updatePending':
        return changes[write.change].run([write.webhook, write.now, write.limit]).changes;
      case 'reschedule':
        return reschedule.run([write.webhook, write.after, write.now, write.limit]).changes;
      case 'purge':
        return purge.run([write.before, write.limit]).changes;
    }
  };
  return (writes) => immediately(database, () => writes.map(perform));
}

function total<T>(items: readonly T[], count: (item: T) => number): number {
  return items.reduce((sum, item) => sum + count(item), 0);
}

function rowOf(delivery: Delivery): unknown[] {
  const { id, webhook_id, team_id, event_id, type, subject, place, created_at, state } = delivery;
  const { asked, attempts, tries, next_attempt_at, scheduled_at, earliest_at } = delivery;
  const finishedAt = state === 'pending' ? null : created_at;
  const named = [id, webhook_id, team_id, event_id, type, subject, place, created_at, Number(asked), state];
  const times = [next_attempt_at, scheduled_at, earliest_at];
  return [...named, JSON.stringify(attempts), tries, ...times, finishedAt];
}
