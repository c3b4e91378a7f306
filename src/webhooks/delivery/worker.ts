/**
 * The worker of one webhook, while this process holds the webhook's lease.
 *
 * Takes: the pending deliveries of the webhook that are due. Gives: an attempt of each, recorded with its consequences
 * for the delivery and for the webhook. It sends several subjects at a time, each in order. It loses nothing: an
 * attempt that is not recorded is made again by the next holder of the lease, so an endpoint may get a message twice.
 */
import { setImmediate } from 'node:timers/promises';
import { instant } from '../../clock.js';
import type { Notifier } from '../../concurrency/notifier.js';
import type { FairSemaphore } from '../../concurrency/fair-semaphore.js';
import { withTimeout } from '../../concurrency/with-timeout.js';
import { systemContext } from '../../commands/command-context.js';
import type { CommandHandler } from '../../commands/command-handler.js';
import { cancel, isGone, type Delivery, type Schedule } from '../../domain/messages/delivery.js';
import { streamName } from '../../domain/event.js';
import {
  isSame,
  webhook as decider,
  type Webhook,
  type WebhookRecord,
} from '../../domain/messages/webhook.js';
import type { Deliveries, VersionedDelivery } from '../../ports/deliveries.js';
import { forgetHealth, openEndpointHealth, type EndpointHealth } from '../endpoint/health.js';
import { attempt, type Attempt, type AttemptOptions } from './attempt.js';
import { openClaims, type ClaimOptions, type Claims } from './claims.js';
import { recordAttempt } from './record-attempt.js';
import { inReach, isWanted, type MessagesOf } from './wanted-deliveries.js';
import { leaseWebhook, type WebhookLease, type WebhookLeaseOptions } from './webhook-lease.js';

/** `report` is called with every fault; the work that met it is tried again. */
export type WorkerOptions = AttemptOptions &
  WebhookLeaseOptions &
  ClaimOptions & {
    deliveries: Deliveries;
    commands: Pick<CommandHandler, 'load' | 'execute'>;
    messagesOf: MessagesOf;
    schedule: Schedule;
    /** One permit for each attempt: the teams share them. */
    permits: FairSemaphore;
    metrics: DispatcherMetrics;
  };

export type DispatcherMetrics = {
  attempt(outcome: 'delivered' | 'failed', ms: number): void;
  disabled(reason: string, webhook: string): void;
};

const AT_ONCE = 8;
const AT_ONCE_FAILING = 2;
/** The most claimed deliveries whose messages are rendered with the one that is sent. */
const SOON = 64;
const POLL_EVERY_MS = 250;
/** The lease is kept for a while after the last delivery: the next one often comes soon. */
const LINGER_MS = 1_000;
const STOP_WITHIN_MS = 3_000;

type Worker = {
  readonly options: WorkerOptions;
  /** Its attempts meet the same fault: it is reported once. */
  readonly attempting: AttemptOptions;
  readonly webhook: string;
  readonly lease: WebhookLease;
  readonly health: EndpointHealth;
  /** Notified of new deliveries, and of each attempt that ends. */
  readonly wake: Notifier;
  readonly stop: AbortSignal;
  /** By subject, one at a time for each: the attempts under way, and those that are being recorded. */
  readonly underWay: Map<string, Promise<void>>;
  /** How many of them were answered with success, and are only being recorded: these leave their place to others. */
  recording: number;
  /** Deliveries of other subjects. */
  readonly claims: Claims;
  /** The webhook as it was at the last attempt. */
  lastTarget: WebhookRecord | null;
  /** The team of the webhook; null until the first claim found it out. */
  team: string | null;
  /** The first one ends the work. */
  readonly faults: unknown[];
  hasReported: boolean;
};

/**
 * Sends until nothing is due, or until the stop. False if another process holds the webhook. @throws AppError if a
 * store is unavailable: then it is unknown what is recorded.
 */
export async function deliverWhileLeased(
  options: WorkerOptions,
  webhook: string,
  { wake, stop }: { wake: Notifier; stop: AbortSignal },
): Promise<boolean> {
  const lease = await leaseWebhook(options, webhook);
  if (lease === null) return false;
  try {
    const { deliveries, state, clock } = options;
    // The holder before may have died between two writes.
    await deliveries.updatePending(webhook, 'unblock', instant(clock));
    const health = await openEndpointHealth(state, webhook, clock);
    const underWay = new Map<string, Promise<void>>();
    const key = () => worker.team ?? webhook;
    const report = (error: unknown) => reportOnce(worker, error);
    const worker: Worker = {
      options,
      attempting: { ...options, report },
      webhook,
      lease,
      health,
      wake,
      stop,
      underWay,
      recording: 0,
      claims: openClaims(options, { webhook, key, busy: underWay, signal: lease.signal }),
      lastTarget: null,
      team: null,
      faults: [],
      hasReported: false,
    };
    await run(worker);
    await health.flush();
    // An attempt that was under way during the webhook's deletion has written its health once more.
    if ((await targetOf(worker))?.life === 'gone') await forgetHealth(state, webhook);
  } finally {
    await lease.end();
  }
  return true;
}

/** @throws the first fault. */
async function run(worker: Worker): Promise<void> {
  const { wake, stop, underWay, lease, faults } = worker;
  try {
    for (let busyAt = performance.now(); goesOn(worker);) {
      const seen = wake.count();
      const ready = capacity(worker) > 0 ? await worker.claims.take(() => capacity(worker)) : [];
      if (ready.length > 0) await start(worker, ready);
      if (ready.length > 0 || underWay.size > 0) busyAt = performance.now();
      else if (performance.now() - busyAt > LINGER_MS) break;
      if (ready.length > 0 && capacity(worker) > 0) continue;
      await wake.wait(seen, POLL_EVERY_MS, stop);
      // Attempts that end in the same turn of the event loop are followed together, with one look at the webhook.
      await setImmediate();
    }
  } catch (error) {
    faults.push(error);
  }
  const all = Promise.all(underWay.values());
  if (stop.aborted) await withTimeout(STOP_WITHIN_MS, all, () => lease.abort());
  await all;
  if (faults.length > 0) throw faults[0];
}

function goesOn({ stop, lease, faults }: Worker): boolean {
  return !stop.aborted && !lease.signal.aborted && faults.length === 0;
}

function capacity({ options, health, underWay, recording }: Worker): number {
  const atOnce = (health.isFailing() ? AT_ONCE_FAILING : AT_ONCE) - (underWay.size - recording);
  return Math.min(atOnce, options.deliveries.mostUnrecorded - underWay.size);
}

async function start(worker: Worker, ready: readonly VersionedDelivery[]): Promise<void> {
  const { options, wake, underWay, faults } = worker;
  worker.team = ready[0]!.delivery.team_id;
  const target = await targetOf(worker);
  if (target?.life !== 'present') return cancelAll(worker);
  // The webhook was enabled again or moved: its failures may be forgotten.
  if (worker.lastTarget !== null && !isSame(worker.lastTarget, target)) await worker.health.reload();
  worker.lastTarget = target;
  const wanted = await inReach(
    options,
    target,
    ready.filter(({ delivery }) => isWanted(target, delivery)),
  );
  const unwanted = ready.filter((held) => !wanted.includes(held));
  await Promise.all(
    unwanted.map(({ delivery, version }) =>
      options.deliveries.put(cancel(delivery), version, instant(options.clock)),
    ),
  );
  for (const held of wanted) {
    if (!goesOn(worker)) return;
    const { subject } = held.delivery;
    const running = deliver(worker, target, held)
      .catch((error: unknown) => void faults.push(error))
      .finally(() => {
        underWay.delete(subject);
        wake.notify();
      });
    underWay.set(subject, running);
  }
}

async function deliver(worker: Worker, target: WebhookRecord, held: VersionedDelivery): Promise<void> {
  const { options, lease } = worker;
  const { signal } = lease;
  const releasePermit = await options.permits.acquire(held.delivery.team_id, { signal });
  if (releasePermit === null) return;
  let made: Attempt | null = null;
  try {
    const soon = () => worker.claims.next(SOON);
    const wanted = { webhook: target, delivery: held.delivery, soon, signal, mayBegin: lease.isHeld };
    if (goesOn(worker)) made = await attempt(worker.attempting, wanted);
  } finally {
    releasePermit();
  }
  if (made === null || signal.aborted) return;
  options.metrics.attempt(made.error === null ? 'delivered' : 'failed', made.duration_ms);
  // The store takes longer than many an endpoint. A failure keeps its place until its consequences are known.
  const leavesPlace = made.error === null;
  if (leavesPlace) worker.recording += 1;
  worker.wake.notify();
  try {
    const delivery = await recordAttempt(options, held, made);
    await applyToWebhook(worker, target, delivery, made);
  } finally {
    if (leavesPlace) worker.recording -= 1;
  }
}

function reportOnce(worker: Worker, error: unknown): void {
  if (!worker.hasReported) worker.options.report(error);
  worker.hasReported = true;
}

/** The consequences of an attempt for the webhook and its other deliveries. */
async function applyToWebhook(
  worker: Worker,
  target: WebhookRecord,
  { id, event_id, type, state }: Delivery,
  made: Attempt,
): Promise<void> {
  const { options, webhook, health } = worker;
  const last = { id, event_id, type, state, at: made.at, status: made.status };
  if (!made.sent) return health.unsent(last);
  if (made.error === null) {
    const isRecovery = await health.succeeded(last);
    if (isRecovery) await options.deliveries.updatePending(webhook, 'retry-now', instant(options.clock));
    return;
  }
  // A failure of the former URL, or from before the enabling, says nothing about the webhook as it is now.
  const present = await targetOf(worker);
  if (present?.life !== 'present' || !isSame(present, target)) return health.unsent(last);
  const isHopeless = await health.failed(last);
  if (isGone(made)) await disable(worker, target, 'gone');
  else if (isHopeless) await disable(worker, target, 'failing');
}

/** Unless a user has enabled the webhook since, or moved it. */
async function disable(
  worker: Worker,
  { since, sealed }: WebhookRecord,
  reason: 'gone' | 'failing',
): Promise<void> {
  const { options, webhook, team } = worker;
  const present = await targetOf(worker);
  if (team !== null && present?.life === 'present') {
    const context = systemContext(team, instant(options.clock), 'webhooks');
    const command = { type: 'DisableWebhook', reason, since, sealed } as const;
    const stream = streamName('webhook', team, webhook);
    const { appended, state } = await options.commands.execute(decider, stream, context, command);
    if (appended !== null) options.metrics.disabled(reason, webhook);
    if (state.life === 'present' && state.enabled) return;
  }
  await cancelAll(worker);
}

async function cancelAll({ options, webhook }: Worker): Promise<void> {
  await options.deliveries.updatePending(webhook, 'cancel', instant(options.clock));
}

/** The webhook as it is now; null if its team is not known yet. */
async function targetOf({ options, webhook, team }: Worker): Promise<Webhook | null> {
  return team === null ? null : options.commands.load(decider, streamName('webhook', team, webhook));
}
