/**
 * The dispatcher.
 *
 * Takes: the names of webhooks that have something due, from the fan-out or from the store of deliveries. Gives: one
 * worker for each of these webhooks, so that no webhook waits for another. Any number of processes share the work: a
 * lease gives each webhook to one of them at a time. It may miss a wake-up, and finds the webhook in the store then.
 */
import { setMaxListeners } from 'node:events';
import { instant, addMilliseconds } from '../../clock.js';
import { openFairSemaphore } from '../../concurrency/fair-semaphore.js';
import { openNotifier, type Notifier } from '../../concurrency/notifier.js';
import { LONGEST_WAIT_MS, openSchedule, type Schedule } from '../../domain/messages/delivery.js';
import { deliverWhileLeased, type WorkerOptions } from './worker.js';

export type DispatcherOptions = Omit<WorkerOptions, 'schedule' | 'permits' | 'claims'> & {
  schedule?: Schedule;
  /** The most attempts under way for all webhooks together, and for those of one team. */
  atOnce?: { all: number; perTeam: number };
  signal: AbortSignal;
  /** Finished deliveries are purged after this time. */
  historyMs: number;
};

export type Dispatcher = {
  /** These webhooks probably have something due now. */
  wake(webhooks: readonly string[]): void;
  /** Ends after the signal: attempts under way have 3 s. Those that take longer are made again. */
  done: Promise<void>;
};

const POLL_EVERY_MS = 250;
/** After a fault, and while another process holds the webhook. */
const REST_MS = 1_000;
const PAGE = 500;
/**
 * Each attempt has a connection, and its bytes in memory. 50 webhooks of one team whose endpoints answer late want 400:
 * a team gets a part of the attempts only, so that the messages of the others find a free one.
 */
const AT_ONCE = { all: 512, perTeam: 128 };
/**
 * Only this check finds a delivery that a crash left blocked with nothing before it, or whose next attempt was planned by
 * a clock that ran ahead: it would wait for months, and all later messages about its subject with it.
 */
const FIND_LEFT_EVERY_MS = 60_000;
const PURGE_EVERY_MS = 3_600_000;
const PURGE_AT_ONCE = 500;
const RESCHEDULED_AT_ONCE = 500;

/** A claim may read much: where many deliveries wait behind others, those of 50 webhooks would fill the store. */
const CLAIMS = { all: 32, perTeam: 8 };

/** Delivers until the signal. Long because its loops share the running workers: each is short. */
export function runDispatcher({
  signal,
  historyMs,
  schedule = openSchedule(Math.random),
  atOnce = AT_ONCE,
  ...rest
}: DispatcherOptions): Dispatcher {
  const options: WorkerOptions = {
    ...rest,
    schedule,
    permits: openFairSemaphore(atOnce.all, { perKey: atOnce.perTeam }),
    claims: openFairSemaphore(CLAIMS.all, { perKey: CLAIMS.perTeam }),
  };
  const { deliveries, clock, report } = options;
  const workers = new Map<string, { wake: Notifier; ended: Promise<void> }>();
  const restsUntil = new Map<string, number>();
  const polls = openNotifier();
  // Each worker listens to it.
  setMaxListeners(0, signal);
  let leftFoundAt = -Infinity;
  let purgedAt = -Infinity;
  let purging: Promise<void> | null = null;

  return {
    wake: (webhooks) => {
      if (!signal.aborted) for (const webhook of webhooks) wakeOrStart(webhook);
    },
    done: run(),
  };

  async function run(): Promise<void> {
    while (!signal.aborted) {
      const seen = polls.count();
      try {
        const looksForLeft = performance.now() - leftFoundAt > FIND_LEFT_EVERY_MS;
        if (looksForLeft) await reschedule();
        await startAll((after) =>
          deliveries.webhooksWithClaimable(instant(clock), { limit: PAGE, ...after }),
        );
        if (looksForLeft) {
          await startAll((after) => deliveries.webhooksWithBlocked({ limit: PAGE, ...after }));
          leftFoundAt = performance.now();
        }
        if (performance.now() - purgedAt > PURGE_EVERY_MS) {
          purgedAt = performance.now();
          purging ??= purge()
            .catch(report)
            .finally(() => (purging = null));
        }
      } catch (error) {
        report(error);
        await polls.wait(seen, REST_MS, signal);
      }
      await polls.wait(seen, POLL_EVERY_MS, signal);
    }
    await Promise.all([purging, ...[...workers.values()].map(({ ended }) => ended)]);
  }

  /** Starts a worker for each webhook of all pages, unless the webhook rests. */
  async function startAll(page: (after: { after?: string }) => Promise<string[]>): Promise<void> {
    for (let after: string | undefined; !signal.aborted;) {
      const found = await page(after === undefined ? {} : { after });
      for (const webhook of found) {
        if (performance.now() >= (restsUntil.get(webhook) ?? 0)) wakeOrStart(webhook);
      }
      after = found.at(-1);
      if (found.length < PAGE) return;
    }
  }

  function wakeOrStart(webhook: string): void {
    const present = workers.get(webhook);
    if (present !== undefined) return present.wake.notify();
    if (signal.aborted) return;
    restsUntil.delete(webhook);
    const wake = openNotifier();
    const ended = deliverWhileLeased(options, webhook, { wake, stop: signal })
      .then(
        (hadLease) => hadLease || letRest(webhook),
        (error: unknown) => {
          report(error);
          letRest(webhook);
        },
      )
      .finally(() => workers.delete(webhook));
    workers.set(webhook, { wake, ended: ended.then(() => undefined) });
  }

  function letRest(webhook: string): void {
    restsUntil.set(webhook, performance.now() + REST_MS);
    setTimeout(() => restsUntil.delete(webhook), REST_MS).unref();
  }

  /** Makes those due that wait for longer than any schedule asks for. */
  async function reschedule(): Promise<void> {
    const now = instant(clock);
    const after = addMilliseconds(now, LONGEST_WAIT_MS);
    while (
      !signal.aborted &&
      (await deliveries.reschedule(after, now, RESCHEDULED_AT_ONCE)) === RESCHEDULED_AT_ONCE
    );
  }

  async function purge(): Promise<void> {
    const before = addMilliseconds(instant(clock), -historyMs);
    while (!signal.aborted && (await deliveries.purge(before, PURGE_AT_ONCE)) === PURGE_AT_ONCE);
  }
}
