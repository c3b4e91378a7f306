/**
 * Deliveries in a table of the file of the state: as durable, and in the same backup. Many may have it open: reads go
 * to the caller's own connection and see every write that was answered to anybody.
 */
import { setImmediate } from 'node:timers/promises';
import type { Deliveries, VersionedDelivery } from '../../../ports/deliveries.js';
import type { DeliveryAttempt, Delivery } from '../../../domain/delivery.js';
import type { Instant } from '../../../domain/event.js';
import { deliveryWritesOn } from './table.js';
import type { DeliveryWrite, DeliveryWriteResult } from './table.js';
import { openGroupedWriter } from '../grouped-writes.js';
import { openWritable } from '../serve-writes.js';
import { openWriterThread, type Writer } from '../grouped-writes.js';
import { inStore, openStore } from '../errors.js';
import { stateStore } from '../state/store.js';
import { isStorableText } from '../../shared/storable-text.js';

export type SqliteDeliveriesOptions = {
  folder: string;
  /** Writes in a thread of their own, many in one commit: the caller's thread never waits for the disk. */
  thread: boolean;
};

type Row = Omit<Delivery, 'attempts' | 'asked'> & { attempts: string; asked: number; version: number };
/** `wedged`: the id of its first, where that is set aside. */
type AsideSubject = { subject: string; wedged: string | null };
type Candidate = { id: string; subject: string; place: string; next_attempt_at: string; behind: 0 | 1 };

/** Deliveries changed at once. */
const PAGE = 1_000;
/** Looked at, whether they wait behind another, before others have their turn. */
const LOOKED_AT = 256;

/** Opens the deliveries of a folder. @throws LedgerError `state_unavailable` when its file cannot be used. */
export function openSqliteDeliveries({ folder, thread }: SqliteDeliveriesOptions): Deliveries {
  const store = stateStore(folder);
  // Migrates the file, before the statements below are prepared and before any thread opens it.
  openWritable(store).close();
  const writer: Writer<DeliveryWrite, DeliveryWriteResult> = thread
    ? openWriterThread(store, './deliveries/writer.thread.js', { atOnce: false })
    : openGroupedWriter(store, deliveryWritesOn);
  const database = openStore(store, { readonly: true, synchronous: 'NORMAL', busyTimeoutMs: 5_000 });
  const byId = database.prepare('SELECT * FROM deliveries WHERE id = ?');
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
  const nextAside = database
    .prepare(
      `SELECT min(webhook_id) FROM deliveries INDEXED BY deliveries_aside
         WHERE webhook_id > ? AND state = 'pending' AND next_attempt_at IS NULL`,
    )
    .raw();
  // From subject to subject, not through all that wait behind the same: and of each the first, with its time.
  const asideSubjects = database.prepare(
    `WITH RECURSIVE subjects (subject) AS (
         SELECT ${nextSubject('?2')} UNION ALL
         SELECT ${nextSubject('subjects.subject')} FROM subjects WHERE subject IS NOT NULL LIMIT ?3)
       SELECT subject, (
           SELECT iif(next_attempt_at IS NULL, id, NULL) FROM deliveries AS first INDEXED BY deliveries_pending
             WHERE first.webhook_id = ?1 AND first.subject = subjects.subject AND first.state = 'pending'
             ORDER BY place LIMIT 1) AS wedged
         FROM subjects WHERE subject IS NOT NULL`,
  );
  const counts = database.prepare('SELECT state, count FROM delivery_counts WHERE webhook_id = ?').raw();
  const pending = database
    .prepare(`SELECT coalesce(sum(count), 0) FROM delivery_counts WHERE state = 'pending'`)
    .raw();
  const pages = {
    ascending: pagesIn('ASC'),
    descending: pagesIn('DESC'),
  };
  let closed = false;

  return {
    add: async (deliveries) => {
      if (deliveries.length === 0) return 0;
      return writer.write({ type: 'add', deliveries });
    },

    claimable: async (webhook, now, limit) => {
      const found: VersionedDelivery[] = [];
      let [at, place] = ['', ''];
      // Most that are due can be taken. Where many wait behind one, ever more are looked at, each of them once.
      let size = Math.min(limit + 8, LOOKED_AT);
      for (; found.length < limit; size = Math.min(2 * size, LOOKED_AT)) {
        const after = [webhook, now, at, place, size];
        const page = inStore(store, () => candidates.all(after)) as Candidate[];
        const ids: string[] = [];
        for (const candidate of page) {
          if (found.length === limit) break;
          if (candidate.behind === 1) ids.push(candidate.id);
          else found.push(...stillDue(inStore(store, () => byId.get([candidate.id])) as Row | undefined));
        }
        // Whether it is still behind another is looked at once more, with the lock.
        if (ids.length > 0) await writer.write({ type: 'block', ids });
        const last = page.at(-1);
        if (last === undefined || page.length < size) break;
        [at, place] = [last.next_attempt_at, last.place];
      }
      return found;
    },

    webhooksWithClaimable: async (now, { after = '', limit }) => {
      const found: string[] = [];
      for (let webhook = after; found.length < limit;) {
        const row = inStore(store, () => nextWebhook.get([webhook])) as [string, string] | undefined;
        if (row === undefined) break;
        webhook = row[0];
        if (row[1] <= now) found.push(webhook);
      }
      return found;
    },

    webhooksWithBlocked: async ({ after = '', limit }) => {
      const found: string[] = [];
      for (let webhook = after; found.length < limit;) {
        const [next] = inStore(store, () => nextAside.get([webhook])) as [string | null];
        if (next === null) break;
        found.push((webhook = next));
      }
      return found;
    },

    put: async (delivery, version, now) =>
      (await writer.write({ type: 'put', delivery, version, now })) === 1,

    get: async (id) => {
      if (!isStorableText(id)) return null;
      const row = inStore(store, () => byId.get([id])) as Row | undefined;
      return row === undefined ? null : heldOf(row);
    },

    find: async (webhook, { direction, offset, limit, state }) => {
      if (!isStorableText(webhook)) return { items: [], total: 0 };
      const by = pages[direction];
      const rows = inStore(store, () =>
        state === undefined
          ? by.any.all([webhook, limit, offset])
          : by.inState.all([webhook, state, limit, offset]),
      ) as Row[];
      const counted = inStore(store, () => counts.all([webhook])) as [string, number][];
      const total = counted
        .filter(([counts]) => state === undefined || counts === state)
        .reduce((sum, [, count]) => sum + count, 0);
      return { items: rows.map((row) => heldOf(row).delivery), total };
    },

    updatePending: async (webhook, change, now) => {
      if (change === 'unblock') return release(webhook, now);
      // In pieces: others' writes come in between, however many there are.
      for (let changed = 0; ;) {
        const piece = await writer.write({ type: 'updatePending', webhook, change, now, limit: PAGE });
        changed += piece;
        if (piece < PAGE) return changed;
      }
    },

    pending: async () => (inStore(store, () => pending.get([])) as [number])[0],
    purge: (before, limit) => writer.write({ type: 'purge', before, limit }),

    close: async () => {
      if (closed) return;
      closed = true;
      await writer.close();
      database.close();
    },
  };

  /** Looks without the lock: most have nothing to release, however much is set aside. */
  async function release(webhook: string, now: Instant): Promise<number> {
    let released = 0;
    for (let after = ''; ;) {
      const page = inStore(store, () => asideSubjects.all([webhook, after, PAGE])) as AsideSubject[];
      const ids = page.flatMap(({ wedged }) => wedged ?? []);
      if (ids.length > 0) released += await writer.write({ type: 'unblock', ids, now });
      const last = page.at(-1);
      if (last === undefined) return released;
      after = last.subject;
      // Others' turn.
      await setImmediate();
    }
  }

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
}

/** The next of a webhook's subjects of which anything is set aside. */
function nextSubject(after: string): string {
  return `(SELECT min(subject) FROM deliveries AS each INDEXED BY deliveries_aside WHERE each.webhook_id = ?1
             AND each.state = 'pending' AND each.next_attempt_at IS NULL AND each.subject > ${after})`;
}

/** Another may have changed it since it was found. */
function stillDue(row: Row | undefined): VersionedDelivery[] {
  return row === undefined || row.next_attempt_at === null ? [] : [heldOf(row)];
}

/** By name: the driver adds fields of its own to a row. */
function heldOf(row: Row): VersionedDelivery {
  const { id, webhook_id, team_id, event_id, type, subject, place, created_at, state } = row;
  const { tries, next_attempt_at, scheduled_at, earliest_at, body, version } = row;
  const named = { id, webhook_id, team_id, event_id, type, subject, place, created_at, state };
  const attempts = JSON.parse(row.attempts) as DeliveryAttempt[];
  const times = { next_attempt_at, scheduled_at, earliest_at };
  return { delivery: { ...named, asked: row.asked === 1, attempts, tries, ...times, body }, version };
}
