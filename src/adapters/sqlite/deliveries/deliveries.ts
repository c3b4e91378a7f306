/**
 * Deliveries in a table of the state's file: as durable as the state, and in the same backup. Several threads and
 * processes may have it open. Reads use the caller's own connection, and see every write that was answered to anyone.
 */
import { setImmediate } from 'node:timers/promises';
import type { Deliveries, StatedDelivery, VersionedDelivery } from '../../../ports/deliveries.js';
import type { DeliveryAttempt, Delivery, DeliveryState } from '../../../domain/messages/delivery.js';
import type { Instant } from '../../../domain/event.js';
import { isStorableText } from '../../shared/storable-text.js';
import type { SqliteDatabase } from '../database.js';
import { inStore, openStore } from '../errors.js';
import { openGroupedWriter, openWriterThread, type Writer } from '../grouped-writes.js';
import { openWritable } from '../serve-writes.js';
import { stateStore } from '../state/store.js';
import { deliveryWritesOn, type DeliveryWrite, type DeliveryWriteResult } from './table.js';

export type SqliteDeliveriesOptions = {
  folder: string;
  /** A thread of its own writes, many writes in one commit: the caller's thread never waits for the disk. */
  thread: boolean;
};

/** The most deliveries that are changed at once. */
const PAGE = 1_000;
/** The most candidates that are checked at once, before other work has its turn. */
const MOST_CANDIDATES = 256;

/** A write takes a millisecond or two, so none has to wait for its record. */
const MOST_UNRECORDED = 8;

/**
 * Opens the deliveries of a folder. Long because it is a port: each method is short.
 * @throws LedgerError `state_unavailable` when its file cannot be used.
 */
export function openSqliteDeliveries({ folder, thread }: SqliteDeliveriesOptions): Deliveries {
  const store = stateStore(folder);
  // Migrates the file, before the statements below are prepared and before any thread opens it.
  openWritable(store).close();
  const writer: Writer<DeliveryWrite, DeliveryWriteResult> = thread
    ? openWriterThread(store, './deliveries/writer.thread.js', { atOnce: false })
    : openGroupedWriter(store, deliveryWritesOn);
  const database = openStore(store, { readonly: true, synchronous: 'NORMAL', busyTimeoutMs: 5_000 });
  const queries = prepareQueries(database);
  const read = <T>(query: () => T): T => inStore(store, query);
  let closed = false;

  return {
    add: async (deliveries) => {
      if (deliveries.length === 0) return 0;
      return writer.write({ type: 'add', deliveries });
    },
    claimable,
    webhooksWithClaimable: async (now, { after = '', limit }) => {
      const found: string[] = [];
      for (let webhook = after; found.length < limit;) {
        const next = read(() => queries.nextWebhook(webhook));
        if (next === undefined) break;
        webhook = next.webhook;
        if (next.earliest <= now) found.push(webhook);
      }
      return found;
    },
    webhooksWithBlocked: async ({ after = '', limit }) => {
      const found: string[] = [];
      for (let webhook = after; found.length < limit;) {
        const next = read(() => queries.nextWithBlocked(webhook));
        if (next === null) break;
        found.push((webhook = next));
      }
      return found;
    },
    put: async (delivery, version, now) =>
      (await writer.write({ type: 'put', delivery, version, now })) === 1,
    get: async (id) => {
      if (!isStorableText(id)) return null;
      const row = read(() => queries.byId(id));
      return row === undefined ? null : fromRow(row);
    },
    statesOf: async (ids) => {
      const found: StatedDelivery[] = [];
      for (let from = 0; from < ids.length; from += PAGE) {
        // Lets other work have its turn.
        if (from > 0) await setImmediate();
        const page = ids.slice(from, from + PAGE).filter(isStorableText);
        found.push(...read(() => queries.states(page)));
      }
      return found;
    },
    find: async (webhook, query) => {
      const { state } = query;
      if (!isStorableText(webhook)) return { items: [], total: 0 };
      const rows = read(() => queries.page(webhook, query));
      const total = read(() => queries.counts(webhook))
        .filter(([counted]) => state === undefined || counted === state)
        .reduce((sum, [, count]) => sum + count, 0);
      return { items: rows.map((row) => fromRow(row).delivery), total };
    },
    updatePending: async (webhook, change, now) => {
      if (change === 'unblock') return unblock(webhook, now);
      // In pieces, so that the writes of others come in between.
      for (let changed = 0; ;) {
        const piece = await writer.write({ type: 'updatePending', webhook, change, now, limit: PAGE });
        changed += piece;
        if (piece < PAGE) return changed;
      }
    },
    pending: async () => read(() => queries.pending()),
    // Looks first: a dispatcher that has nothing to purge starts no writer thread.
    mostUnrecorded: MOST_UNRECORDED,

    purge: async (before, limit) =>
      read(() => queries.hasExpired(before)) ? writer.write({ type: 'purge', before, limit }) : 0,
    close: async () => {
      if (closed) return;
      closed = true;
      await writer.close();
      database.close();
    },
  };

  async function claimable(webhook: string, now: Instant, limit: number): Promise<VersionedDelivery[]> {
    const found: VersionedDelivery[] = [];
    let [at, place] = ['', ''];
    // Most candidates can be claimed. Where many wait behind one, the pages grow; each candidate is read once.
    let size = Math.min(limit + 8, MOST_CANDIDATES);
    for (; found.length < limit; size = Math.min(2 * size, MOST_CANDIDATES)) {
      const page = read(() => queries.candidates(webhook, now, [at, place], size));
      const ids: string[] = [];
      for (const candidate of page) {
        if (found.length === limit) break;
        if (candidate.behind === 1) ids.push(candidate.id);
        else found.push(...unlessBlocked(read(() => queries.byId(candidate.id))));
      }
      // The write checks again, under the lock, whether each one is still behind another.
      if (ids.length > 0) await writer.write({ type: 'block', ids });
      const last = page.at(-1);
      if (last === undefined || page.length < size) break;
      [at, place] = [last.next_attempt_at, last.place];
    }
    return found;
  }

  /** Looks without the lock, because most blocked deliveries have another before them. */
  async function unblock(webhook: string, now: Instant): Promise<number> {
    let unblocked = 0;
    for (let after = ''; ;) {
      const page = read(() => queries.blockedSubjects(webhook, after));
      const ids = page.flatMap(({ stuck }) => stuck ?? []);
      if (ids.length > 0) unblocked += await writer.write({ type: 'unblock', ids, now });
      const last = page.at(-1);
      if (last === undefined) return unblocked;
      after = last.subject;
      // Lets other work have its turn.
      await setImmediate();
    }
  }
}

type Row = Omit<Delivery, 'attempts' | 'asked'> & { attempts: string; asked: number; version: number };
/** `stuck`: the id of the subject's first pending delivery, if that one is blocked. */
type BlockedSubject = { subject: string; stuck: string | null };
type Candidate = { id: string; subject: string; place: string; next_attempt_at: string; behind: 0 | 1 };
type FindOptions = Parameters<Deliveries['find']>[1];

/**
 * The reading statements. Each names its index: without statistics, SQLite would rather read all pending deliveries in
 * the order of their places.
 */
function prepareQueries(database: SqliteDatabase) {
  const byId = database.prepare('SELECT * FROM deliveries WHERE id = ?');
  const states = database
    .prepare('SELECT id, webhook_id, state FROM deliveries WHERE id IN (SELECT value FROM json_each(?))')
    .raw();
  const candidates = database.prepare(
    `SELECT id, subject, place, next_attempt_at, EXISTS (
         SELECT 1 FROM deliveries AS before INDEXED BY deliveries_pending WHERE before.webhook_id = due.webhook_id
           AND before.subject = due.subject AND before.state = 'pending' AND before.place < due.place) AS behind
       FROM deliveries AS due INDEXED BY deliveries_due WHERE webhook_id = ?1 AND next_attempt_at <= ?2
         AND (next_attempt_at, place) > (?3, ?4) ORDER BY next_attempt_at, place LIMIT ?5`,
  );
  const nextWebhook = database
    .prepare(
      `SELECT webhook_id, next_attempt_at FROM deliveries INDEXED BY deliveries_due WHERE webhook_id > ? AND next_attempt_at IS NOT NULL
         ORDER BY webhook_id, next_attempt_at LIMIT 1`,
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
        `SELECT * FROM deliveries INDEXED BY deliveries_by_place WHERE webhook_id = ? ${page}`,
      ),
      inState: database.prepare(
        `SELECT * FROM deliveries INDEXED BY deliveries_by_state WHERE webhook_id = ? AND state = ? ${page}`,
      ),
    };
  }

  return {
    byId: (id: string) => byId.get([id]) as Row | undefined,
    states: (ids: readonly string[]) =>
      (states.all([JSON.stringify(ids)]) as [string, string, DeliveryState][]).map(
        ([id, webhook_id, state]): StatedDelivery => ({ id, webhook_id, state }),
      ),
    /** Deliveries whose time has come, after a time and a place. */
    candidates: (webhook: string, now: Instant, [at, place]: [string, string], limit: number) =>
      candidates.all([webhook, now, at, place, limit]) as Candidate[],
    /** The next webhook with anything that is not blocked, and its earliest time. */
    nextWebhook: (after: string) => {
      const row = nextWebhook.get([after]) as [string, Instant] | undefined;
      return row === undefined ? undefined : { webhook: row[0], earliest: row[1] };
    },
    nextWithBlocked: (after: string) => (nextWithBlocked.get([after]) as [string | null])[0],
    blockedSubjects: (webhook: string, after: string) =>
      blockedSubjects.all([webhook, after, PAGE]) as BlockedSubject[],
    counts: (webhook: string) => counts.all([webhook]) as [string, number][],
    pending: () => (pending.get([]) as [number])[0],
    hasExpired: (before: Instant) => expired.get([before]) !== undefined,
    page: (webhook: string, { direction, offset, limit, state }: FindOptions) =>
      (state === undefined
        ? pages[direction].any.all([webhook, limit, offset])
        : pages[direction].inState.all([webhook, state, limit, offset])) as Row[],
  };
}

/** The next of a webhook's subjects that has a blocked delivery. */
function nextSubject(after: string): string {
  return `(SELECT min(subject) FROM deliveries AS each INDEXED BY deliveries_aside WHERE each.webhook_id = ?1
             AND each.state = 'pending' AND each.next_attempt_at IS NULL AND each.subject > ${after})`;
}

/** Another thread may have changed it since it was found. */
function unlessBlocked(row: Row | undefined): VersionedDelivery[] {
  return row === undefined || row.next_attempt_at === null ? [] : [fromRow(row)];
}

/** Names each field: the driver adds fields of its own to a row. */
function fromRow(row: Row): VersionedDelivery {
  const { id, webhook_id, team_id, event_id, type, subject, place, created_at, state } = row;
  const { tries, next_attempt_at, scheduled_at, earliest_at, version } = row;
  const named = { id, webhook_id, team_id, event_id, type, subject, place, created_at, state };
  const attempts = JSON.parse(row.attempts) as DeliveryAttempt[];
  const times = { next_attempt_at, scheduled_at, earliest_at };
  return { delivery: { ...named, asked: row.asked === 1, attempts, tries, ...times }, version };
}
