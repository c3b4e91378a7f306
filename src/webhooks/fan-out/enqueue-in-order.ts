/**
 * Sets out many deliveries of one webhook while others make and send some too. Of each subject the first is held until
 * all are there: nothing of it is sent over it, so that none overtakes another that is not written yet.
 */
import type { MessageDocument } from '../../../projections/publication.js';
import { deliveryOf, requeue, type Delivery } from '../../domain/delivery.js';
import type { Instant, Position } from '../../domain/event.js';
import { deliveryIdOf } from '../../domain/test.js';
import { eventPositionOf, type Message } from '../../domain/message.js';
import { later } from '../../clock.js';
import { forEachConcurrent } from '../../concurrency/for-each-concurrent.js';
import type { Deliveries, VersionedDelivery } from '../../ports/deliveries.js';
import type { Render } from '../outbox/rendering.js';

export type EnqueueInOrder = {
  /** A page of messages by place, all after those of the page before. Answers how many set out that were not to. */
  setOut(messages: readonly MessageDocument[]): Promise<number>;
  /** When all are there. */
  letGo(): Promise<void>;
};

/** After a crash in the midst of it, so long nothing of these subjects is sent. */
const HOLD_MS = 300_000;
const AT_ONCE = 32;

/** What of the messages is neither delivered nor pending sets out at `now`. `enabledAt`: where the webhook was last enabled. */
export function openEnqueueInOrder(
  { deliveries, render }: { deliveries: Deliveries; render: Render },
  { webhook, enabledAt, now }: { webhook: string; enabledAt: Position; now: Instant },
): EnqueueInOrder {
  /** Ids of those that are held, by subject. */
  const first = new Map<string, string>();
  const until = later(now, HOLD_MS);

  /** False where somebody else has done it meanwhile. */
  async function write(message: Message, times: Partial<Delivery>): Promise<boolean> {
    const wanted = deliveryOf(message, webhook, now, true);
    for (;;) {
      const held = await deliveries.get(wanted.id);
      if (!isOver(held)) return false;
      if (held === null) {
        if ((await deliveries.add([{ ...wanted, ...times }])) === 1) return true;
        continue;
      }
      const again = { ...requeue(held.delivery, message, now), ...times };
      if (await deliveries.put(again, held.version, now)) return true;
    }
  }

  /** One that waits from before the webhook was enabled would not be sent, had nobody asked for it. */
  async function ask(found: VersionedDelivery): Promise<void> {
    for (let held: VersionedDelivery | null = found; held !== null;) {
      const { state, asked, place } = held.delivery;
      if (state !== 'pending' || asked || eventPositionOf(place) > enabledAt) return;
      if (await deliveries.put({ ...held.delivery, asked: true }, held.version, now)) return;
      held = await deliveries.get(held.delivery.id);
    }
  }

  return {
    async setOut(messages) {
      const held = await Promise.all(
        messages.map(({ event_id }) => deliveries.get(deliveryIdOf(webhook, event_id))),
      );
      await forEachConcurrent(
        held.filter((each) => each !== null),
        AT_ONCE,
        ask,
      );
      let left = await render(messages.filter((_, n) => isOver(held[n]!)));
      let count = 0;
      const all = async (some: readonly Message[], each: (message: Message) => Promise<boolean>) =>
        forEachConcurrent(some, AT_ONCE, async (message) => {
          if (await each(message)) count += 1;
        });
      for (;;) {
        const firsts = firstOfEach(left.filter(({ subject }) => !first.has(subject)));
        if (firsts.length === 0) break;
        await all(firsts, async (message) => {
          const isHeld = await write(message, { next_attempt_at: until, earliest_at: until });
          if (isHeld) first.set(message.subject, deliveryIdOf(webhook, message.event_id));
          return isHeld;
        });
        left = left.filter((message) => !firsts.includes(message));
      }
      await all(left, (message) => write(message, {}));
      return count;
    },

    letGo: () =>
      forEachConcurrent([...first.values()], AT_ONCE, async (id) => {
        for (;;) {
          const held = await deliveries.get(id);
          if (held === null || held.delivery.earliest_at !== until) return;
          const { state } = held.delivery;
          if (state !== 'pending') return;
          const going = { ...held.delivery, next_attempt_at: now, earliest_at: null };
          if (await deliveries.put(going, held.version, now)) return;
        }
      }),
  };
}

function isOver(held: VersionedDelivery | null): boolean {
  return held === null || held.delivery.state === 'exhausted' || held.delivery.state === 'cancelled';
}

function firstOfEach(messages: readonly Message[]): Message[] {
  const subjects = new Set<string>();
  return messages.filter(({ subject }) => !subjects.has(subject) && subjects.add(subject));
}
