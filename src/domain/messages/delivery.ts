/**
 * A delivery: one message on its way to one webhook. Its states:
 *
 *     from                    what happens                                            to
 *     pending                 an attempt succeeds                                     delivered
 *     pending                 an attempt fails, and the schedule has another          pending
 *     pending                 an attempt fails, and the schedule has no other         exhausted
 *     pending                 the endpoint answers 410, or the webhook is disabled    cancelled
 *     pending                 its message is lost with a part of the log              cancelled
 *     exhausted, cancelled    an attempt that was under way succeeds                  delivered
 *     exhausted, cancelled    an attempt that was under way fails                     the same
 *     any but pending         a resend or a recovery requeues it                      pending
 */
import { addMilliseconds } from '../../clock.js';
import { deliveryPausesMs, limits } from '../../limits.js';
import type { Instant } from '../event.js';
import type { Message, OutboxPosition } from './message.js';
import type { MessageType } from './message-types.js';
import { deliveryIdOf } from '../test-history/test.js';

export const deliveryStates = ['pending', 'delivered', 'exhausted', 'cancelled'] as const;
export type DeliveryState = (typeof deliveryStates)[number];

/**
 * It holds no body: the message is rendered when it is sent. Where a stored name is not the term, its comment gives the
 * term.
 */
export type Delivery = {
  /** Follows from webhook and event: there is one delivery for both. */
  id: string;
  webhook_id: string;
  team_id: string;
  event_id: string;
  type: MessageType;
  subject: string;
  /** The outbox position of the message. */
  place: OutboxPosition;
  /** When it was queued last. */
  created_at: Instant;
  /**
   * Manual: a resend or a recovery queued it, so it is sent even if its event is older than the webhook's last
   * enabling.
   */
  asked: boolean;
  state: DeliveryState;
  /** The last 50 attempts, oldest first. */
  attempts: readonly DeliveryAttempt[];
  /** Scheduled attempts since it was queued: the schedule chooses the next delay by it. */
  tries: number;
  /** Null unless it is pending; null too while it is blocked by an earlier delivery of the same webhook and subject. */
  next_attempt_at: Instant | null;
  /**
   * When the schedule allows the next attempt. An earlier attempt, made because the endpoint works again, does not use
   * up a scheduled one: otherwise a delivery would soon be exhausted while it is the only one that fails. Null before
   * the first attempt.
   */
  scheduled_at: Instant | null;
  /** No attempt is brought forward before this. Null before the first attempt. */
  earliest_at: Instant | null;
};

export type DeliveryAttempt = {
  at: Instant;
  /** The HTTP status; null without an answer. */
  status: number | null;
  duration_ms: number;
  /** Why it failed, in words; null for a success. */
  error: string | null;
  /** The first kilobyte of the answer. */
  response: string | null;
};

/** A new delivery. `manual`: a recovery queues it. */
export function newDelivery(message: Message, webhook_id: string, now: Instant, manual = false): Delivery {
  const { event_id, team_id, type, subject, place } = message;
  return {
    id: deliveryIdOf(webhook_id, event_id),
    webhook_id,
    team_id,
    event_id,
    type,
    subject,
    place,
    created_at: now,
    asked: manual,
    state: 'pending',
    attempts: [],
    tries: 0,
    next_attempt_at: now,
    scheduled_at: null,
    earliest_at: null,
  };
}

/** A finished delivery, queued again by a user. Its attempts stay visible. */
export function requeue(delivery: Delivery, now: Instant): Delivery {
  const queued = { created_at: now, tries: 0, next_attempt_at: now, scheduled_at: null, earliest_at: null };
  return { ...delivery, asked: true, state: 'pending', ...queued };
}

/** A pending delivery that a user wants to be sent now. A blocked one stays blocked, because order is kept. */
export function retryNow(delivery: Delivery, now: Instant): Delivery {
  const { next_attempt_at: at } = delivery;
  if (at === null || at <= now) return markManual(delivery);
  return { ...delivery, asked: true, next_attempt_at: now };
}

/** The same object if it is manual already. */
export function markManual(delivery: Delivery): Delivery {
  return delivery.asked ? delivery : { ...delivery, asked: true };
}

export function cancel(delivery: Delivery): Delivery {
  return finish(delivery, 'cancelled');
}

/** Finished without success: a recovery queues it again. */
export function mayRecover({ state }: Delivery): boolean {
  return state === 'exhausted' || state === 'cancelled';
}

/** The endpoint answered 410 Gone. */
export function isGone({ status }: DeliveryAttempt): boolean {
  return status === 410;
}

/**
 * The delivery after an attempt. If it was cancelled meanwhile, it stays so, unless the attempt succeeded: a delivered
 * message is delivered, and no recovery may send it again.
 */
export function afterAttempt(
  delivery: Delivery,
  attempt: DeliveryAttempt,
  { now, retryAfterMs, schedule }: { now: Instant; retryAfterMs: number | null; schedule: Schedule },
): Delivery {
  const logged = withAttempt(delivery, attempt);
  if (delivery.state !== 'pending' && attempt.error !== null) return logged;
  const { tries, scheduled_at } = delivery;
  const tried = { ...logged, tries: tries + 1 };
  if (attempt.error === null) return finish(tried, 'delivered');
  if (isGone(attempt)) return finish(tried, 'cancelled');
  // An attempt that was brought forward leaves the schedule as it was.
  const isEarly = scheduled_at !== null && attempt.at < scheduled_at;
  const leftMs = isEarly ? Math.max(0, Date.parse(scheduled_at) - Date.parse(now)) : null;
  const delayMs = delayAfter(tries + 1, retryAfterMs, leftMs === null ? schedule : () => leftMs);
  if (delayMs === null) return finish(tried, 'exhausted');
  // An endpoint that says when to come again gets no attempt before that.
  const restMs = retryAfterMs === null ? Math.min(delayMs, restAfter(logged.attempts.length)) : delayMs;
  const next_attempt_at = addMilliseconds(now, delayMs);
  const times = { next_attempt_at, scheduled_at: next_attempt_at, earliest_at: addMilliseconds(now, restMs) };
  return { ...(isEarly ? logged : tried), ...times };
}

/** The delivery after an attempt that found its message lost. Nothing must wait behind it. */
export function afterLoss(delivery: Delivery, attempt: DeliveryAttempt): Delivery {
  const logged = withAttempt(delivery, attempt);
  return delivery.state === 'pending' ? cancel(logged) : logged;
}

/** After many requeues there are many attempts: the last ones are kept. */
function withAttempt(delivery: Delivery, attempt: DeliveryAttempt): Delivery {
  return { ...delivery, attempts: [...delivery.attempts, attempt].slice(-limits.deliveryAttemptsShown) };
}

function finish(delivery: Delivery, state: Exclude<DeliveryState, 'pending'>): Delivery {
  return { ...delivery, state, next_attempt_at: null };
}

// --- The schedule ---------------------------------------------------------------------------------------------------

const SECOND = 1_000;
const LONGEST_MS = 24 * 3_600 * SECOND;

/** No attempt is planned further ahead, with an hour for clocks that differ: one that is was planned by a wrong clock. */
export const LONGEST_WAIT_MS = 1.1 * Math.max(LONGEST_MS, ...deliveryPausesMs) + 3_600 * SECOND;

/** The milliseconds to wait after a number of attempts; null if there is no other attempt. */
export type Schedule = (attempts: number) => number | null;

/**
 * `random` draws from 0 to 1: each delay is up to a tenth shorter or longer, so that deliveries that failed together do
 * not come back together.
 */
export function openSchedule(random: () => number): Schedule {
  return (attempts) => {
    const delay = deliveryPausesMs[attempts - 1];
    return delay === undefined ? null : Math.round(delay * (0.9 + random() * 0.2));
  };
}

/** The delay of the schedule, or the delay for which the endpoint asked if that is longer, up to a day. */
export function delayAfter(attempts: number, retryAfterMs: number | null, by: Schedule): number | null {
  const delay = by(attempts);
  return delay === null ? null : Math.max(delay, Math.min(retryAfterMs ?? 0, LONGEST_MS));
}

/**
 * How long a failed delivery is not brought forward, by its number of attempts. While other deliveries to the endpoint
 * succeed, it would be sent again and again.
 */
function restAfter(attempts: number): number {
  return SECOND * 2 ** (attempts - 1);
}
