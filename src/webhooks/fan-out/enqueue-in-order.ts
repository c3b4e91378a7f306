/**
 * Queues many deliveries of one webhook while the fan-out adds and the dispatcher sends others. It holds the first
 * delivery of each subject until all are queued: it blocks the later ones of its subject, so that none of them is sent
 * before an earlier one is written.
 */
import type { MessageDocument } from '../../../projections/outbox/messages.js';
import { addMilliseconds } from '../../clock.js';
import { forEachConcurrent } from '../../concurrency/for-each-concurrent.js';
import {
  markManual,
  mayRecover,
  newDelivery,
  requeue,
  type Delivery,
} from '../../domain/messages/delivery.js';
import type { Instant, Position } from '../../domain/event.js';
import { deliveryIdOf } from '../../domain/test-history/test.js';
import { eventPositionOf, type Message } from '../../domain/messages/message.js';
import type { Deliveries, VersionedDelivery } from '../../ports/deliveries.js';

export type EnqueueInOrder = {
  /**
   * Queues a page of messages, in outbox order, all after those of the page before. Returns how many deliveries it
   * queued: those that were neither delivered nor pending.
   */
  enqueue(messages: readonly MessageDocument[]): Promise<number>;
  /** Releases the held deliveries. To be called after the last page. */
  release(): Promise<void>;
};

/** After a crash before the release, no delivery of the held subjects is sent for this long. */
const HOLD_MS = 300_000;
const AT_ONCE = 32;

/** `enabledAt`: the position of the webhook's last enabling. */
export function openEnqueueInOrder(
  deliveries: Deliveries,
  { webhook, enabledAt, now }: { webhook: string; enabledAt: Position; now: Instant },
): EnqueueInOrder {
  /** The ids of the held deliveries by subject. */
  const held = new Map<string, string>();
  const heldUntil = addMilliseconds(now, HOLD_MS);

  /** False if another process has queued it meanwhile. */
  async function queue(message: Message, times: Partial<Delivery>): Promise<boolean> {
    const wanted = newDelivery(message, webhook, now, true);
    for (;;) {
      const present = await deliveries.get(wanted.id);
      if (!isToBeQueued(present)) return false;
      if (present === null) {
        if ((await deliveries.add([{ ...wanted, ...times }])) === 1) return true;
        continue;
      }
      const queued = { ...requeue(present.delivery, now), ...times };
      if (await deliveries.put(queued, present.version, now)) return true;
    }
  }

  /** The dispatcher cancels a pending delivery from before the webhook's last enabling, unless it is manual. */
  async function keepPending(found: VersionedDelivery): Promise<void> {
    for (let present: VersionedDelivery | null = found; present !== null;) {
      const { delivery, version } = present;
      if (delivery.state !== 'pending' || eventPositionOf(delivery.place) > enabledAt) return;
      const manual = markManual(delivery);
      if (manual === delivery || (await deliveries.put(manual, version, now))) return;
      present = await deliveries.get(delivery.id);
    }
  }

  return {
    async enqueue(messages) {
      const present = await Promise.all(
        messages.map(({ event_id }) => deliveries.get(deliveryIdOf(webhook, event_id))),
      );
      await forEachConcurrent(
        present.filter((each) => each !== null),
        AT_ONCE,
        keepPending,
      );
      let left: readonly Message[] = messages.filter((_, n) => isToBeQueued(present[n]!));
      let count = 0;
      const all = async (some: readonly Message[], each: (message: Message) => Promise<boolean>) =>
        forEachConcurrent(some, AT_ONCE, async (message) => {
          if (await each(message)) count += 1;
        });
      // The first of each subject. If another process has queued it, the next one of the subject is held.
      for (;;) {
        const firsts = firstOfEach(left.filter(({ subject }) => !held.has(subject)));
        if (firsts.length === 0) break;
        await all(firsts, async (message) => {
          const isHeld = await queue(message, { next_attempt_at: heldUntil, earliest_at: heldUntil });
          if (isHeld) held.set(message.subject, deliveryIdOf(webhook, message.event_id));
          return isHeld;
        });
        left = left.filter((message) => !firsts.includes(message));
      }
      await all(left, (message) => queue(message, {}));
      return count;
    },

    release: () =>
      forEachConcurrent([...held.values()], AT_ONCE, async (id) => {
        for (;;) {
          const present = await deliveries.get(id);
          if (present === null || present.delivery.earliest_at !== heldUntil) return;
          if (present.delivery.state !== 'pending') return;
          const released = { ...present.delivery, next_attempt_at: now, earliest_at: null };
          if (await deliveries.put(released, present.version, now)) return;
        }
      }),
  };
}

function isToBeQueued(present: VersionedDelivery | null): boolean {
  return present === null || mayRecover(present.delivery);
}

function firstOfEach(messages: readonly Message[]): Message[] {
  const subjects = new Set<string>();
  return messages.filter(({ subject }) => !subjects.has(subject) && subjects.add(subject));
}
