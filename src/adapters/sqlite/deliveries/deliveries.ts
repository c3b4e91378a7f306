/**
 * Deliveries in a table of the state's file: as durable as the state, and in the same backup. Several threads and
 * processes may have it open. Reads use the caller's own connection, and see every write that was answered to anyone.
 */
import { setImmediate } from 'node:timers/promises';
import type { Deliveries, StatedDelivery, VersionedDelivery } from '../../../ports/deliveries.js';
import type { Instant } from '../../../domain/event.js';
import { isStorableText } from '../../shared/storable-text.js';
import { inStore, openStore } from '../errors.js';
import { prepareStateFile, stateStore } from '../state/store.js';
import { openWriter } from '../writer.js';
import { prepareQueries } from './queries.js';
import { putOf, type DeliveryWrite, type DeliveryWriteResult } from './table.js';

/** The most deliveries that are changed, or looked at, at once. */
const PAGE = 1_000;
/** The most candidates that are checked at once, before other work has its turn. */
const MOST_CANDIDATES = 256;

/**
 * An endpoint answers sooner than the disk: with 8, attempts waited for the disk. A kill repeats those that are not
 * recorded.
 */
const MOST_UNRECORDED = 32;

/**
 * Opens the deliveries of a folder. Long because it is a port: each method is short.
 * @throws AppError `state_unavailable` when its file cannot be used.
 */
export function openSqliteDeliveries(folder: string): Deliveries {
  const store = stateStore(folder);
  // Before the statements below are prepared and before any thread opens it.
  prepareStateFile(store);
  const writer = openWriter<DeliveryWrite, DeliveryWriteResult>(store, 'deliveries');
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
    put: async (delivery, version, now) => (await writer.write(putOf(delivery, version, now))) === 1,
    get: async (id) => {
      if (!isStorableText(id)) return null;
      return read(() => queries.byId(id));
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
      const { state, after } = query;
      if (!isStorableText(webhook)) return { items: [], total: 0 };
      const items = read(() => queries.page(webhook, query));
      if (after !== undefined) return { items, total: read(() => queries.countAfter(webhook, query)) };
      const total = read(() => queries.counts(webhook))
        .filter(([counted]) => state === undefined || counted === state)
        .reduce((sum, [, count]) => sum + count, 0);
      return { items, total };
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
    reschedule,
    pending: async () => read(() => queries.pending()),
    mostUnrecorded: MOST_UNRECORDED,

    // Looks first: a dispatcher that has nothing to purge writes nothing.
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
      const behind: string[] = [];
      for (const { id, delivery } of page) {
        if (found.length === limit) break;
        if (delivery === null) behind.push(id);
        else found.push(delivery);
      }
      // The write checks again, under the lock, whether each one is still behind another.
      if (behind.length > 0) await writer.write({ type: 'block', ids: behind });
      const last = page.at(-1);
      if (last === undefined || page.length < size) break;
      [at, place] = [last.next_attempt_at, last.place];
    }
    return found;
  }

  async function reschedule(after: Instant, now: Instant, limit: number): Promise<number> {
    let changed = 0;
    for (let webhook = ''; changed < limit;) {
      const next = read(() => queries.nextWebhook(webhook));
      if (next === undefined) break;
      webhook = next.webhook;
      // Looks first, because hardly any webhook has such a delivery.
      if ((read(() => queries.latest(webhook)) ?? '') <= after) continue;
      changed += await writer.write({ type: 'reschedule', webhook, after, now, limit: limit - changed });
    }
    return changed;
  }

  /** Looks without the lock, because most blocked deliveries have another before them. */
  async function unblock(webhook: string, now: Instant): Promise<number> {
    let unblocked = 0;
    for (let after = ''; ;) {
      const page = read(() => queries.blockedSubjects(webhook, after, PAGE));
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
