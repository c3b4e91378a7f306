/** Deliveries in memory, as plain as possible: the model for the adapters, and the store for tests of their users. */
import type { Deliveries, VersionedDelivery } from '../../src/ports/deliveries.js';
import type { Delivery } from '../../src/domain/messages/delivery.js';

export function memoryDeliveries(): Deliveries {
  const held = new Map<string, VersionedDelivery>();
  const finished = new Map<string, string>();
  const all = () => [...held.values()];
  const pendingOf = (webhook: string) =>
    all()
      .filter(({ delivery }) => delivery.webhook_id === webhook && delivery.state === 'pending')
      .toSorted((a, b) => compare(a.delivery.place, b.delivery.place));
  const firstOf = ({ webhook_id, subject }: Delivery) =>
    pendingOf(webhook_id).find(({ delivery }) => delivery.subject === subject);
  const change = ({ delivery, version }: VersionedDelivery, changes: Partial<Delivery>): void => {
    held.set(delivery.id, { delivery: { ...delivery, ...changes }, version: version + 1 });
  };

  return {
    add: async (deliveries) => {
      const before = held.size;
      for (const delivery of deliveries) {
        if (held.has(delivery.id)) continue;
        held.set(delivery.id, { delivery: structuredClone(delivery), version: 1 });
        finished.set(delivery.id, delivery.created_at);
      }
      return held.size - before;
    },

    claimable: async (webhook, now, limit) => {
      const due = pendingOf(webhook)
        .filter(({ delivery: { next_attempt_at: at } }) => at !== null && at <= now)
        // The sort is stable: deliveries of the same time keep their outbox order.
        .toSorted((a, b) => compare(a.delivery.next_attempt_at ?? '', b.delivery.next_attempt_at ?? ''));
      const found: VersionedDelivery[] = [];
      for (const one of due) {
        if (found.length === limit) break;
        if (firstOf(one.delivery)?.delivery.id === one.delivery.id) found.push(structuredClone(one));
        else change(one, { next_attempt_at: null });
      }
      return found;
    },

    webhooksWithClaimable: async (now, { after = '', limit }) => {
      const due = all().filter(({ delivery: { next_attempt_at: at } }) => at !== null && at <= now);
      const webhooks = [...new Set(due.map(({ delivery }) => delivery.webhook_id))].toSorted();
      return webhooks.filter((webhook) => webhook > after).slice(0, limit);
    },

    webhooksWithBlocked: async ({ after = '', limit }) => {
      const set = all().filter(
        ({ delivery }) => delivery.state === 'pending' && delivery.next_attempt_at === null,
      );
      const webhooks = [...new Set(set.map(({ delivery }) => delivery.webhook_id))].toSorted();
      return webhooks.filter((webhook) => webhook > after).slice(0, limit);
    },

    put: async (delivery, version, now) => {
      if (held.get(delivery.id)?.version !== version) return false;
      held.set(delivery.id, { delivery: structuredClone(delivery), version: version + 1 });
      finished.set(delivery.id, now);
      if (delivery.state === 'pending') return true;
      const next = firstOf(delivery);
      const at = next?.delivery.next_attempt_at;
      if (next === undefined) return true;
      const soon = soonest(next.delivery, now);
      if (at == null || at > soon) change(next, { next_attempt_at: soon });
      return true;
    },

    get: async (id) => structuredClone(held.get(id) ?? null),

    statesOf: async (ids) =>
      [...new Set(ids)].flatMap((wanted) => {
        const { id, webhook_id, state } = held.get(wanted)?.delivery ?? {};
        return id === undefined ? [] : [{ id, webhook_id: webhook_id!, state: state! }];
      }),

    find: async (webhook, { direction, offset, limit, state, after = '' }) => {
      const items = all()
        .map(({ delivery }) => delivery)
        .filter(
          (each) =>
            each.webhook_id === webhook &&
            (state === undefined || each.state === state) &&
            each.place > after,
        )
        .toSorted((a, b) => compare(a.place, b.place) * (direction === 'ascending' ? 1 : -1));
      return { items: structuredClone(items.slice(offset, offset + limit)), total: items.length };
    },

    updatePending: async (webhook, kind, now) => {
      const concerned = pendingOf(webhook).filter((one) => {
        const { delivery } = one;
        const at = delivery.next_attempt_at;
        if (kind === 'retry-now') return at !== null && at > soonest(delivery, now);
        if (kind === 'cancel') return delivery.created_at <= now;
        return at === null && firstOf(delivery)?.delivery.id === delivery.id;
      });
      for (const one of concerned) {
        if (kind === 'cancel') finished.set(one.delivery.id, now);
        if (kind === 'cancel') change(one, { state: 'cancelled', next_attempt_at: null });
        else change(one, { next_attempt_at: soonest(one.delivery, now) });
      }
      return concerned.length;
    },

    reschedule: async (after, now, limit) => {
      const late = all()
        .filter(({ delivery: { next_attempt_at: at } }) => at !== null && at > after)
        .slice(0, limit);
      for (const one of late) {
        const created_at = one.delivery.created_at < now ? one.delivery.created_at : now;
        change(one, { created_at, next_attempt_at: now, scheduled_at: null, earliest_at: null });
      }
      return late.length;
    },

    pending: async () => all().filter(({ delivery }) => delivery.state === 'pending').length,

    mostUnrecorded: 8,
    purge: async (before, limit) => {
      const at = ({ id }: Delivery) => finished.get(id)!;
      const old = all()
        .map(({ delivery }) => delivery)
        .filter((each) => each.state !== 'pending' && at(each) < before)
        .toSorted((a, b) => compare(at(a), at(b)))
        .slice(0, limit);
      for (const { id } of old) held.delete(id);
      return old.length;
    },

    close: async () => undefined,
  };
}

function soonest({ earliest_at }: Delivery, now: string): string {
  return earliest_at !== null && earliest_at > now ? earliest_at : now;
}

function compare(a: string, b: string): number {
  return a < b ? -1 : a > b ? 1 : 0;
}
