/** One attempt of one delivery: sent, and recorded whatever came of it. */
import { instant, later } from '../../clock.js';
import type { VersionedDelivery } from '../../ports/deliveries.js';
import type { DeliveryAttempt, Delivery, DeliveryState } from '../../domain/delivery.js';
import type { Instant } from '../../domain/event.js';
import { isLedgerError } from '../../errors.js';
import { delayAfter, restAfter } from './retry.js';
import type { Posted } from './post.js';
import { signedHeaders } from './sign.js';
import type { WorkerOptions } from './worker.js';
import { limits } from '../../limits.js';

/** The last ones are kept: of one that was made pending again and again there may be many. */

export type Attempted = { delivery: Delivery; attempt: DeliveryAttempt; gone: boolean };

/** `sent` is false where nothing was, for want of something of ours: it says nothing about the endpoint. */
export type Sent = Posted & { sent: boolean };

/**
 * Sends it. Null where it was aborted, so that nobody knows what came of it. `report` is told where the secret cannot be
 * read. @throws where nothing could be sent for want of something of this machine.
 */
export async function send(
  { post, secrets, clock, report }: Pick<WorkerOptions, 'post' | 'secrets' | 'clock' | 'report'>,
  { url, delivery, signal }: { url: string; delivery: Delivery; signal: AbortSignal },
): Promise<Sent | null> {
  const at = clock();
  const { event_id, webhook_id, body } = delivery;
  let valid: string[];
  try {
    valid = await secrets(webhook_id, at.toISOString());
  } catch (error) {
    if (!isLedgerError(error, 'internal')) throw error;
    report(error);
    return unsent(at, 'the secret of this webhook cannot be read here');
  }
  if (valid.length === 0) return unsent(at, 'there is no secret to sign with: rotate it');
  if (body === null) return unsent(at, 'there is nothing to send any more');
  try {
    const headers = signedHeaders(valid, { id: event_id, at, body });
    return { ...(await post({ url, headers, body, at, signal })), sent: true };
  } catch (error) {
    if (signal.aborted) return null;
    throw error;
  }
}

/**
 * Records it. Where somebody has cancelled the delivery meanwhile, it stays so, and has one attempt more; unless this one
 * succeeded: what was delivered is delivered, and no recovery sends it again.
 */
export async function record(
  { deliveries, clock, schedule }: Pick<WorkerOptions, 'deliveries' | 'clock' | 'schedule'>,
  held: VersionedDelivery,
  { retryAfterMs, sent: _, ...attempt }: Sent,
): Promise<Attempted> {
  const gone = attempt.status === 410;
  for (
    let present: VersionedDelivery | null = held;
    present !== null;
    present = await deliveries.get(held.delivery.id)
  ) {
    const now = instant(clock);
    const attempts = [...present.delivery.attempts, attempt].slice(-limits.deliveryAttemptsShown);
    const logged = { ...present.delivery, attempts };
    const isOver = present.delivery.state !== 'pending' && attempt.error !== null;
    const delivery = isOver ? logged : outcomeOf(logged, attempt, now, retryAfterMs);
    if (await deliveries.put(delivery, present.version, now)) return { delivery, attempt, gone };
  }
  // Forgotten meanwhile.
  return { delivery: held.delivery, attempt, gone };

  function outcomeOf(
    delivery: Delivery,
    attempt: DeliveryAttempt,
    now: Instant,
    retryAfterMs: number | null,
  ): Delivery {
    const { tries, scheduled_at } = delivery;
    const tried = { ...delivery, tries: tries + 1 };
    if (attempt.error === null) return finished(tried, 'delivered');
    if (gone) return finished(tried, 'cancelled');
    // One that was brought forward leaves the schedule as it was.
    const isEarly = scheduled_at !== null && attempt.at < scheduled_at;
    const leftMs = isEarly ? Math.max(0, Date.parse(scheduled_at) - Date.parse(now)) : null;
    const delayMs = delayAfter(tries + 1, retryAfterMs, leftMs === null ? schedule : () => leftMs);
    if (delayMs === null) return finished(tried, 'exhausted');
    // Who says when to come again is not asked before.
    const restMs = retryAfterMs !== null ? delayMs : Math.min(delayMs, restAfter(delivery.attempts.length));
    const next_attempt_at = later(now, delayMs);
    const times = { next_attempt_at, scheduled_at: next_attempt_at, earliest_at: later(now, restMs) };
    return { ...(isEarly ? delivery : tried), ...times };
  }
}

function finished(delivery: Delivery, state: Exclude<DeliveryState, 'pending'>): Delivery {
  return { ...delivery, state, next_attempt_at: null, body: null };
}

function unsent(at: Date, error: string): Sent {
  const nothing = { status: null, duration_ms: 0, response: null, retryAfterMs: null };
  return { at: at.toISOString(), ...nothing, error, sent: false };
}
