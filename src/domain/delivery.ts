/** A delivery: one message on its way to one webhook. */
import type { Instant } from './event.js';
import type { Message, MessageType, OutboxPosition } from './message.js';
import { deliveryIdOf } from './test.js';

export const deliveryStates = ['pending', 'delivered', 'exhausted', 'cancelled'] as const;
export type DeliveryState = (typeof deliveryStates)[number];

export type Delivery = {
  /** Follows from webhook and event: there is one for both. */
  id: string;
  webhook_id: string;
  team_id: string;
  event_id: string;
  type: MessageType;
  subject: string;
  place: OutboxPosition;
  /** When it last set out. */
  created_at: Instant;
  /** Somebody asked for it (`recover`, resend): it is sent though it happened before the webhook was last enabled. */
  asked: boolean;
  state: DeliveryState;
  /** Oldest first, the last 50. */
  attempts: readonly DeliveryAttempt[];
  /** Attempts since it was made pending: by it the next delay is chosen. */
  tries: number;
  /** Null unless pending; and while another of its webhook and subject has to be finished first. */
  next_attempt_at: Instant | null;
  /**
   * When the delays are over since the last of the `tries`. An attempt before that, because the endpoint works again, is
   * one more and none of them: it would be given up soon where only this one fails. Null before the first.
   */
  scheduled_at: Instant | null;
  /** It is not brought forward before this. Null before the first attempt. */
  earliest_at: Instant | null;
  /** What is sent; null once it is finished. */
  body: string | null;
};

export type DeliveryAttempt = {
  at: Instant;
  /** Of HTTP; null where there was no answer. */
  status: number | null;
  duration_ms: number;
  /** Why it failed, in words; null where it did not. */
  error: string | null;
  /** The first kilobyte of the answer. */
  response: string | null;
};

/** A message that sets out for a webhook. */
export function deliveryOf(message: Message, webhook_id: string, now: Instant, asked = false): Delivery {
  const { event_id, team_id, type, subject, place, body } = message;
  return {
    id: deliveryIdOf(webhook_id, event_id),
    webhook_id,
    team_id,
    event_id,
    type,
    subject,
    place,
    created_at: now,
    asked,
    state: 'pending',
    attempts: [],
    tries: 0,
    next_attempt_at: now,
    scheduled_at: null,
    earliest_at: null,
    body,
  };
}

/** One that was finished sets out anew, since somebody asked for it, with the bytes that it had; its attempts stay to be seen. */
export function requeue(delivery: Delivery, { body }: Message, now: Instant): Delivery {
  const anew = { created_at: now, tries: 0, next_attempt_at: now, scheduled_at: null, earliest_at: null };
  return { ...delivery, asked: true, state: 'pending', ...anew, body };
}
