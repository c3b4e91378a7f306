/** The statements that read deliveries. */
import type { Delivery, DeliveryAttempt, DeliveryState } from '../../../domain/messages/delivery.js';
import type { Instant } from '../../../domain/event.js';
import type { Deliveries, StatedDelivery, VersionedDelivery } from '../../../ports/deliveries.js';
import type { SqliteDatabase } from '../database.js';
import { listIn } from '../json-list.js';

type Row = Omit<Delivery, 'attempts' | 'asked'> & { attempts: string; asked: number; version: number };

const columns = [
  'id',
  'webhook_id',
  'team_id',
  'event_id',
  'type',
  'subject',
  'place',
  'created_at',
  'asked',
  'state',
  'attempts',
  'tries',
  'next_attempt_at',
  'scheduled_at',
  'earliest_at',
  'version',
] as const satisfies readonly (keyof Row)[];
const ROW = `json_object(${columns.map((name) => `'${name}', ${name === 'attempts' ? 'json(attempts)' : name}`).join(', ')})`;

/** `stuck`: the id of the subject's first pending delivery, if that one is blocked. */
type BlockedSubject = { subject: string; stuck: string | null };
/** `delivery`: null where the candidate is behind another one of its subject. */
type Candidate = { id: string; place: string; next_attempt_at: string; delivery: VersionedDelivery | null };
type CandidateRow = { id: string; place: string; next_attempt_at: string } & (
  (Omit<Row, 'attempts' | 'next_attempt_at'> & { attempts: DeliveryAttempt[] }) | object
);
/** Counts of all deliveries are kept; others read as many as they count. */
const MOST_COUNTED = 100_000;

type FindOptions = Parameters<Deliveries['find']>[1];

/**
 * The reading statements. Each names its index: without statistics, SQLite would rather read all pending deliveries in
 * the order of their places.
 */
export function prepareQueries(database: SqliteDatabase) {
  const byId = database.prepare('SELECT * FROM deliveries WHERE id = ?');
  const states = database
    .prepare('SELECT id, webhook_id, state FROM deliveries WHERE id IN (SELECT value FROM json_each(?))')
    .raw();
  const candidates = database
    .prepare(
      `SELECT json_group_array(
           iif(behind, json_object('id', id, 'place', place, 'next_attempt_at', next_attempt_at), ${ROW})
           ORDER BY next_attempt_at, place) FROM (
         SELECT *, EXISTS (
             SELECT 1 FROM deliveries AS before INDEXED BY deliveries_pending WHERE before.webhook_id = due.webhook_id
               AND before.subject = due.subject AND before.state = 'pending' AND before.place < due.place) AS behind
           FROM deliveries AS due INDEXED BY deliveries_due WHERE webhook_id = ?1 AND next_attempt_at <= ?2
             AND (next_attempt_at, place) > (?3, ?4) ORDER BY next_attempt_at, place LIMIT ?5)`,
    )
    .raw();
  const nextWebhook = database
    .prepare(
      `SELECT webhook_id, next_attempt_at FROM deliveries INDEXED BY deliveries_due WHERE webhook_id > ? AND next_attempt_at IS NOT NULL
         ORDER BY webhook_id, next_attempt_at LIMIT 1`,
    )
    .raw();
  const latest = database
    .prepare(
      `SELECT max(next_attempt_at) FROM deliveries INDEXED BY deliveries_due
         WHERE webhook_id = ? AND next_attempt_at IS NOT NULL`,
    )
    .raw();
  const nextWithBlocked = database
    .prepare(
      `SELECT min(webhook_id) FROM deliveries INDEXED BY deliveries_aside
         WHERE webhook_id > ? AND state = 'pending' AND next_attempt_at IS NULL`,
    )
    .raw();
  // Steps from subject to subject instead of through all deliveries of one, and reads the first of each.
  const blockedSubjects = database.prepare(
    `WITH RECURSIVE subjects (subject) AS (
         SELECT ${nextSubject('?2')} UNION ALL
         SELECT ${nextSubject('subjects.subject')} FROM subjects WHERE subject IS NOT NULL LIMIT ?3)
       SELECT subject, (
           SELECT iif(next_attempt_at IS NULL, id, NULL) FROM deliveries AS first INDEXED BY deliveries_pending
             WHERE first.webhook_id = ?1 AND first.subject = subjects.subject AND first.state = 'pending'
             ORDER BY place LIMIT 1) AS stuck
         FROM subjects WHERE subject IS NOT NULL`,
  );
  const counts = database.prepare('SELECT state, count FROM delivery_counts WHERE webhook_id = ?').raw();
  const countAfter = database
    .prepare(
      `SELECT count(*) FROM (SELECT 1 FROM deliveries INDEXED BY deliveries_by_place
         WHERE webhook_id = ?1 AND place > ?2 AND (?3 IS NULL OR state = ?3) LIMIT ${MOST_COUNTED})`,
    )
    .raw();
  const pending = database
    .prepare(`SELECT coalesce(sum(count), 0) FROM delivery_counts WHERE state = 'pending'`)
    .raw();
  const expired = database.prepare(
    `SELECT 1 FROM deliveries INDEXED BY deliveries_finished WHERE state <> 'pending' AND finished_at < ? LIMIT 1`,
  );
  const pages = { ascending: pagesIn('ASC'), descending: pagesIn('DESC') };

  function pagesIn(order: 'ASC' | 'DESC') {
    const page = `ORDER BY place ${order} LIMIT ? OFFSET ?`;
    return {
      any: database.prepare(
        `SELECT * FROM deliveries INDEXED BY deliveries_by_place WHERE webhook_id = ? AND place > ? ${page}`,
      ),
      inState: database.prepare(
        `SELECT * FROM deliveries INDEXED BY deliveries_by_state WHERE webhook_id = ? AND state = ? AND place > ? ${page}`,
      ),
    };
  }

  return {
    byId: (id: string): VersionedDelivery | null => {
      const row = byId.get([id]) as Row | undefined;
      return row === undefined ? null : fromRow(row);
    },
    states: (ids: readonly string[]) =>
      (states.all([JSON.stringify(ids)]) as [string, string, DeliveryState][]).map(
        ([id, webhook_id, state]): StatedDelivery => ({ id, webhook_id, state }),
      ),
    /** Deliveries whose time has come, after a time and a place. */
    candidates: (
      webhook: string,
      now: Instant,
      [at, after]: [string, string],
      limit: number,
    ): Candidate[] => {
      const found = listIn<CandidateRow>(candidates.get([webhook, now, at, after, limit]));
      return found.map((row) => {
        const { id, place, next_attempt_at } = row;
        const delivery = 'version' in row ? versioned(row, row.attempts) : null;
        return { id, place, next_attempt_at, delivery };
      });
    },
    /** The next webhook with anything that is not blocked, and its earliest time. */
    nextWebhook: (after: string) => {
      const row = nextWebhook.get([after]) as [string, Instant] | undefined;
      return row === undefined ? undefined : { webhook: row[0], earliest: row[1] };
    },
    /** When the last attempt of a webhook is planned that has one. */
    latest: (webhook: string) => (latest.get([webhook]) as [Instant | null])[0],
    nextWithBlocked: (after: string) => (nextWithBlocked.get([after]) as [string | null])[0],
    blockedSubjects: (webhook: string, after: string, limit: number) =>
      blockedSubjects.all([webhook, after, limit]) as BlockedSubject[],
    countAfter: (webhook: string, { state, after = '' }: Pick<FindOptions, 'state' | 'after'>) =>
      (countAfter.get([webhook, after, state ?? null]) as [number])[0],
    counts: (webhook: string) => counts.all([webhook]) as [string, number][],
    pending: () => (pending.get([]) as [number])[0],
    hasExpired: (before: Instant) => expired.get([before]) !== undefined,
    page: (webhook: string, { direction, offset, limit, state, after = '' }: FindOptions): Delivery[] => {
      const found =
        state === undefined
          ? pages[direction].any.all([webhook, after, limit, offset])
          : pages[direction].inState.all([webhook, state, after, limit, offset]);
      return (found as Row[]).map((row) => fromRow(row).delivery);
    },
  };
}

/** The next of a webhook's subjects that has a blocked delivery. */
function nextSubject(after: string): string {
  return `(SELECT min(subject) FROM deliveries AS each INDEXED BY deliveries_aside WHERE each.webhook_id = ?1
             AND each.state = 'pending' AND each.next_attempt_at IS NULL AND each.subject > ${after})`;
}

function fromRow(row: Row): VersionedDelivery {
  return versioned(row, JSON.parse(row.attempts) as DeliveryAttempt[]);
}

/** Names each field: the driver adds fields of its own to a row. */
function versioned(row: Omit<Row, 'attempts'>, attempts: readonly DeliveryAttempt[]): VersionedDelivery {
  const { id, webhook_id, team_id, event_id, type, subject, place, created_at, state } = row;
  const { tries, next_attempt_at, scheduled_at, earliest_at, version } = row;
  // One literal: spreads of parts took longer than the query, for each row of a claim.
  const delivery: Delivery = {
    id,
    webhook_id,
    team_id,
    event_id,
    type,
    subject,
    place,
    created_at,
    state,
    asked: row.asked === 1,
    attempts,
    tries,
    next_attempt_at,
    scheduled_at,
    earliest_at,
  };
  return { delivery, version };
}
