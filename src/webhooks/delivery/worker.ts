/**
 * Sends to one webhook, while its lease is held: several subjects at a time, each in order. What is not recorded when it
 * ends is sent again, by whoever holds the lease next.
 */
import { instant, type Clock } from '../../clock.js';
import type { Holder } from '../../leases/lease.js';
import { systemContext, type Ledger } from '../../commands/ledger.js';
import type { Deliveries, VersionedDelivery } from '../../ports/deliveries.js';
import type { State } from '../../ports/state.js';
import { forgetHealth } from '../endpoint/health.js';
import { withTimeout } from '../../concurrency/with-timeout.js';
import type { Delivery } from '../../domain/delivery.js';
import { streamName, type Instant } from '../../domain/event.js';
import { eventPositionOf } from '../../domain/message.js';
import { isSame, webhook as decider, type WebhookRecord } from '../../domain/webhook.js';
import { record, send, type Attempted, type Sent } from './attempt.js';
import { openEndpointHealth, type EndpointHealth } from '../endpoint/endpoint-health.js';
import { leaseWebhook, type WebhookLease } from './webhook-lease.js';
import type { Post } from './post.js';
import type { Schedule } from './retry.js';
import type { Semaphore } from '../../concurrency/semaphore.js';
import type { Notifier } from '../../concurrency/notifier.js';

export type WorkerOptions = {
  deliveries: Deliveries;
  state: State;
  ledger: Pick<Ledger, 'load' | 'execute'>;
  /** What a webhook signs with at an instant, newest first. */
  secrets: (webhookId: string, now: Instant) => Promise<string[]>;
  post: Post;
  holder: Holder;
  clock: Clock;
  schedule: Schedule;
  /** For an attempt. */
  turns: Semaphore;
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
export async function deliverWhileLeased(
  sending: WorkerOptions,
  webhook: string,
  { nudge, stop }: { nudge: Notifier; stop: AbortSignal },
): Promise<boolean> {
  const holding = await leaseWebhook(sending, webhook);
  if (holding === null) return false;
  try {
    const { deliveries, state, clock } = sending;
    // Whoever held it before may have ended between two writes.
    await deliveries.updatePending(webhook, 'unblock', instant(clock));
    const fares = await openEndpointHealth(state, webhook, clock);
    const team = await sendWhileHeld(sending, webhook, { holding, fares, nudge, stop });
    await fares.flush();
    if (team !== null) await forgetIfGone(sending, team, webhook);
  } finally {
    await holding.end();
  }
  return true;
}

type WhileHeld = { holding: WebhookLease; fares: EndpointHealth; nudge: Notifier; stop: AbortSignal };

/** Answers the team of the webhook, null where nothing was to be sent. */
async function sendWhileHeld(
  sending: WorkerOptions,
  webhook: string,
  { holding, fares, nudge, stop }: WhileHeld,
): Promise<string | null> {
  const { deliveries, clock, metrics, ledger } = sending;
  /** By subject: one at a time of each. */
  const underWay = new Map<string, Promise<void>>();
  /** Due, and of no subject that is under way. */
  let kept: VersionedDelivery[] = [];
  let askedAt = -Infinity;
  const faults: unknown[] = [];
  /** Of the webhook, when last seen. */
  let seenLast: WebhookRecord | null = null;
  let team: string | null = null;
  let told = false;
  const telling: WorkerOptions = { ...sending, report: tellOnce };
  const goesOn = () => !stop.aborted && !holding.signal.aborted && faults.length === 0;

  try {
    for (let busyAt = performance.now(); goesOn();) {
      const seen = nudge.count();
      const ready = await take();
      if (ready.length > 0) await start(ready);
      if (ready.length > 0 || underWay.size > 0) busyAt = performance.now();
      else if (performance.now() - busyAt > LINGERS_MS) break;
      if (ready.length === 0 || room() === 0) await nudge.wait(seen, LOOKS_EVERY_MS, stop);
    }
  } catch (error) {
    faults.push(error);
  }
  const all = Promise.all(underWay.values());
  if (stop.aborted) await withTimeout(STOPS_WITHIN_MS, all, () => holding.abort());
  await all;
  if (faults.length > 0) throw faults[0];
  return team;

  /** All that are sent meet the same fault. */
  function tellOnce(error: unknown): void {
    if (!told) sending.report(error);
    told = true;
  }

  function room(): number {
    return (fares.isFailing() ? AT_ONCE_FAILING : AT_ONCE) - underWay.size;
  }

  /** Those to be sent now. */
  async function take(): Promise<VersionedDelivery[]> {
    if (room() <= 0) return [];
    if (kept.length === 0 || performance.now() - askedAt > KEPT_MS) kept = await ask();
    return kept.splice(0, room());
  }

  /** What is under way is due as well, and one of its subject may have come before it. */
  async function ask(): Promise<VersionedDelivery[]> {
    askedAt = performance.now();
    // Also what ends while the store is asked: the answer may be of before it was recorded, and it would be sent twice.
    const busy = new Set(underWay.keys());
    const due = await deliveries.claimable(webhook, instant(clock), ASKED_AT_ONCE + busy.size);
    return due.filter(({ delivery }) => !busy.has(delivery.subject));
  }

  async function start(ready: readonly VersionedDelivery[]): Promise<void> {
    team = ready[0]!.delivery.team_id;
    const target = await ledger.load(decider, streamName('webhook', team, webhook));
    if (target.life !== 'present') {
      await deliveries.updatePending(webhook, 'cancel', instant(clock));
      return;
    }
    if (seenLast !== null && !isSame(seenLast, target)) await fares.look();
    seenLast = target;
    const [wanted, unwanted] = partition(ready, ({ delivery }) => isWanted(target, delivery));
    await Promise.all(unwanted.map(cancel));
    for (const held of goesOn() ? wanted : []) {
      const { subject } = held.delivery;
      const attempt = attemptOnce(target, held)
        .catch((error: unknown) => void faults.push(error))
        .finally(() => {
          underWay.delete(subject);
          nudge.notify();
        });
      underWay.set(subject, attempt);
    }
  }

  async function cancel({ delivery, version }: VersionedDelivery): Promise<void> {
    const cancelled = { state: 'cancelled', next_attempt_at: null, body: null } as const;
    await deliveries.put({ ...delivery, ...cancelled }, version, instant(clock));
  }

  async function attemptOnce(target: WebhookRecord, held: VersionedDelivery): Promise<void> {
    const { signal } = holding;
    const endTurn = await sending.turns.acquire({ signal });
    if (endTurn === null) return;
    let posted: Sent | null = null;
    try {
      if (goesOn()) posted = await send(telling, { url: target.url, delivery: held.delivery, signal });
    } finally {
      endTurn();
    }
    if (posted === null || signal.aborted) return;
    metrics.attempt(posted.error === null ? 'delivered' : 'failed', posted.duration_ms);
    const attempted = await record(sending, held, posted);
    await judge(target, attempted, posted);
  }

  /** What follows from an attempt for the others of the webhook. */
  async function judge(
    target: WebhookRecord,
    { delivery, attempt, gone }: Attempted,
    { sent }: Sent,
  ): Promise<void> {
    const { id, event_id, type, state } = delivery;
    const last = { id, event_id, type, state, at: attempt.at, status: attempt.status };
    if (!sent) return fares.unsent(last);
    if (attempt.error === null) {
      if (await fares.succeeded(last)) await deliveries.updatePending(webhook, 'retry-now', instant(clock));
      return;
    }
    // Of where it led before, or of before it was enabled: the webhook that is there now has nothing to do with it.
    const present = await ledger.load(decider, streamName('webhook', delivery.team_id, webhook));
    if (present.life !== 'present' || !isSame(present, target)) return fares.unsent(last);
    const isHopeless = await fares.failed(last);
    if (gone) await disable(target, delivery, 'gone');
    else if (isHopeless) await disable(target, delivery, 'failing');
  }

  /** Unless somebody has enabled it since, or moved it. */
  async function disable(
    { since, url }: WebhookRecord,
    { team_id }: Delivery,
    reason: 'gone' | 'failing',
  ): Promise<void> {
    const stream = streamName('webhook', team_id, webhook);
    const context = systemContext(team_id, instant(clock), 'webhooks');
    const present = await ledger.load(decider, stream);
    if (present.life === 'present') {
      const command = { type: 'DisableWebhook', reason, since, url } as const;
      const { appended, state } = await ledger.execute(decider, stream, context, command);
      if (appended !== null) metrics.disabled(reason, webhook);
      if (state.life === 'present' && state.enabled) return;
    }
    await deliveries.updatePending(webhook, 'cancel', instant(clock));
  }
}

/**
 * Not where the webhook is disabled, nor of what happened before it was last enabled and was not cancelled in time: that
 * revives nothing, unless somebody asks for it.
 */
function isWanted({ enabled, since }: WebhookRecord, { asked, place }: Delivery): boolean {
  return enabled && (asked || eventPositionOf(place) > since);
}

function partition<T>(items: readonly T[], belongs: (item: T) => boolean): [T[], T[]] {
  return [items.filter(belongs), items.filter((item) => !belongs(item))];
}

/** What was under way when the webhook was deleted has noted how it fared. */
async function forgetIfGone({ ledger, state }: WorkerOptions, team: string, webhook: string): Promise<void> {
  const { life } = await ledger.load(decider, streamName('webhook', team, webhook));
  if (life === 'gone') await forgetHealth(state, webhook);
}
