/**
 * Sends to one webhook, while its lease is held: several subjects at a time, each in order. What is not recorded when it
 * ends is sent again, by whoever holds the lease next.
 */
import { instant, type Clock } from '../core/clock.js';
import type { Holder } from '../core/lease.js';
import { systemContext, type Ledger } from '../core/ledger.js';
import type { Deliveries, Held, State } from '../core/ports.js';
import { within } from '../core/within.js';
import type { Delivery } from '../domain/delivery.js';
import { streamName, type Instant } from '../domain/event.js';
import { webhook as decider } from '../domain/webhook.js';
import { record, send, type Attempted } from './attempt.js';
import { openFares, type Fares } from './fares.js';
import { holdWebhook, type Holding } from './holding.js';
import type { Post } from './post.js';
import type { Schedule } from './retry.js';
import type { Wakeable } from './wakeable.js';

export type Sending = {
  deliveries: Deliveries;
  state: State;
  ledger: Pick<Ledger, 'load' | 'execute'>;
  /** What a webhook signs with at an instant, newest first. */
  secrets: (webhookId: string, now: Instant) => Promise<string[]>;
  post: Post;
  holder: Holder;
  clock: Clock;
  schedule: Schedule;
  /** Told of every fault; what met it is tried again. */
  report: (error: unknown) => void;
  metrics: DispatcherMetrics;
};

export type DispatcherMetrics = {
  attempt(outcome: 'delivered' | 'failed', ms: number): void;
  disabled(reason: string, webhook: string): void;
};

const AT_ONCE = 8;
const AT_ONCE_FAILING = 2;
/** What is due is asked for so many at once, since asking costs more than a few more, and kept no longer than this. */
const ASKED_AT_ONCE = 64;
const KEPT_MS = 1_000;
const LOOKS_EVERY_MS = 250;
/** The lease is kept a while: the next message is often near. */
const LINGERS_MS = 1_000;
const STOPS_WITHIN_MS = 3_000;

/**
 * Until nothing is due, or the stop. Answers false where another holds the webhook. @throws LedgerError where a store is
 * away: then nobody knows what is recorded.
 */
export async function sendAll(
  sending: Sending,
  webhook: string,
  { nudge, stop }: { nudge: Wakeable; stop: AbortSignal },
): Promise<boolean> {
  const holding = await holdWebhook(sending, webhook);
  if (holding === null) return false;
  try {
    const { deliveries, state, clock } = sending;
    // Whoever held it before may have ended between two writes.
    await deliveries.all(webhook, 'release', instant(clock));
    const fares = await openFares(state, webhook, clock);
    await sendWhileHeld(sending, webhook, { holding, fares, nudge, stop });
    await fares.flush();
  } finally {
    await holding.end();
  }
  return true;
}

type WhileHeld = { holding: Holding; fares: Fares; nudge: Wakeable; stop: AbortSignal };

async function sendWhileHeld(
  sending: Sending,
  webhook: string,
  { holding, fares, nudge, stop }: WhileHeld,
): Promise<void> {
  const { deliveries, clock, metrics, ledger } = sending;
  /** By subject: one at a time of each. */
  const underWay = new Map<string, Promise<void>>();
  /** Due, and of no subject that is under way. */
  let kept: Held[] = [];
  let askedAt = -Infinity;
  const faults: unknown[] = [];
  const goesOn = () => !stop.aborted && !holding.signal.aborted && faults.length === 0;

  try {
    for (let busyAt = performance.now(); goesOn();) {
      const seen = nudge.count();
      const ready = await take();
      if (ready.length > 0) await start(ready);
      if (ready.length > 0 || underWay.size > 0) busyAt = performance.now();
      else if (performance.now() - busyAt > LINGERS_MS) break;
      if (ready.length === 0 || room() === 0) await nudge.next(seen, LOOKS_EVERY_MS, stop);
    }
  } catch (error) {
    faults.push(error);
  }
  const all = Promise.all(underWay.values());
  if (stop.aborted) await within(STOPS_WITHIN_MS, all, () => holding.abort());
  await all;
  if (faults.length > 0) throw faults[0];

  function room(): number {
    return (fares.isFailing() ? AT_ONCE_FAILING : AT_ONCE) - underWay.size;
  }

  /** Those to be sent now. */
  async function take(): Promise<Held[]> {
    if (room() <= 0) return [];
    if (kept.length === 0 || performance.now() - askedAt > KEPT_MS) kept = await ask();
    return kept.splice(0, room());
  }

  /** What is under way is due as well, and one of its subject may have come before it. */
  async function ask(): Promise<Held[]> {
    askedAt = performance.now();
    // Also what ends while the store is asked: the answer may be of before it was recorded, and it would be sent twice.
    const busy = new Set(underWay.keys());
    const due = await deliveries.due(webhook, instant(clock), ASKED_AT_ONCE + busy.size);
    return due.filter(({ delivery }) => !busy.has(delivery.subject));
  }

  async function start(ready: readonly Held[]): Promise<void> {
    const team = ready[0]!.delivery.team_id;
    const target = await ledger.load(decider, streamName('webhook', team, webhook));
    if (target.life !== 'present') {
      await deliveries.all(webhook, 'cancel', instant(clock));
      return;
    }
    if (!target.enabled) {
      // These only: others may be of the time after somebody enables it, at this moment.
      await Promise.all(ready.map(cancel));
      return;
    }
    for (const held of goesOn() ? ready : []) {
      const { subject } = held.delivery;
      const attempt = attemptOnce(target.url, held)
        .catch((error: unknown) => void faults.push(error))
        .finally(() => {
          underWay.delete(subject);
          nudge.wake();
        });
      underWay.set(subject, attempt);
    }
  }

  async function cancel({ delivery, version }: Held): Promise<void> {
    const cancelled = { state: 'cancelled', next_attempt_at: null, body: null } as const;
    await deliveries.put({ ...delivery, ...cancelled }, version, instant(clock));
  }

  async function attemptOnce(url: string, held: Held): Promise<void> {
    const posted = await send(sending, { url, delivery: held.delivery, signal: holding.signal });
    if (posted === null || holding.signal.aborted) return;
    metrics.attempt(posted.error === null ? 'delivered' : 'failed', posted.duration_ms);
    const attempted = await record(sending, held, posted);
    await judge(attempted);
  }

  /** What follows from an attempt for the others of the webhook. */
  async function judge({ delivery, attempt, gone }: Attempted): Promise<void> {
    const { id, event_id, type, state } = delivery;
    const last = { id, event_id, type, state, at: attempt.at, status: attempt.status };
    if (attempt.error === null) {
      if (await fares.succeeded(last)) await deliveries.all(webhook, 'hasten', instant(clock));
      return;
    }
    const isHopeless = await fares.failed(last);
    if (gone) await disable(delivery, 'gone');
    else if (isHopeless) await disable(delivery, 'failing');
  }

  async function disable({ team_id }: Delivery, reason: 'gone' | 'failing'): Promise<void> {
    const stream = streamName('webhook', team_id, webhook);
    const context = systemContext(team_id, instant(clock), 'webhooks');
    const present = await ledger.load(decider, stream);
    if (present.life === 'present') {
      const command = { type: 'DisableWebhook', reason } as const;
      const { appended } = await ledger.execute(decider, stream, context, command);
      if (appended !== null) metrics.disabled(reason, webhook);
    }
    await deliveries.all(webhook, 'cancel', instant(clock));
  }
}
