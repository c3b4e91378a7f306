/**
 * The dispatcher: looks for webhooks that have something due, and sends to each of them by itself, so that none waits
 * for another. Any number of processes share the work: a lease gives each webhook to one of them at a time.
 */
import { setMaxListeners } from 'node:events';
import { instant, later } from '../../clock.js';
import { schedule as standard, type Schedule } from './retry.js';
import { deliverWhileLeased, type WorkerOptions } from './worker.js';
import { openSemaphore } from '../../concurrency/semaphore.js';
import { openNotifier, type Notifier } from '../../concurrency/notifier.js';

export type DispatcherOptions = Omit<WorkerOptions, 'schedule' | 'turns'> & {
  schedule?: Schedule;
  /** Attempts under way at a time, to all webhooks together: each has a connection, and its bytes in memory. */
  atOnce?: number;
  signal: AbortSignal;
  /** What is finished is forgotten after so long. */
  historyMs?: number;
};

export type Dispatcher = {
  /** These have something due now, as far as one knows. */
  wake(webhooks: readonly string[]): void;
  /** Ends after the signal: what is under way has 3 s, and is sent again where that was too short. */
  done: Promise<void>;
};

const LOOKS_EVERY_MS = 250;
/** After a fault, and where another holds the webhook. */
const RESTS_MS = 1_000;
const PAGE = 500;
const AT_ONCE = 256;
/** What a crash left set aside with nothing before it is found by nothing else. */
const RELEASES_EVERY_MS = 60_000;
const PURGES_EVERY_MS = 3_600_000;
const PURGED_AT_ONCE = 500;
const HISTORY_MS = 30 * 24 * 3_600_000;

/** Delivers until the signal. */
export function runDispatcher({
  signal,
  historyMs = HISTORY_MS,
  schedule = standard,
  atOnce = AT_ONCE,
  ...rest
}: DispatcherOptions): Dispatcher {
  const sending: WorkerOptions = { ...rest, schedule, turns: openSemaphore(atOnce) };
  const { deliveries, clock, report } = sending;
  const active = new Map<string, { nudge: Notifier; ended: Promise<void> }>();
  const resting = new Map<string, number>();
  const looks = openNotifier();
  // Each webhook that is sent to listens to it.
  setMaxListeners(0, signal);
  let releasedAt = -Infinity;
  let purgedAt = -Infinity;
  let purging: Promise<void> | null = null;

  const done = run();
  return {
    wake: (webhooks) => {
      if (!signal.aborted) for (const webhook of webhooks) begin(webhook);
    },
    done,
  };

  async function run(): Promise<void> {
    while (!signal.aborted) {
      const seen = looks.count();
      try {
        await look((after) => deliveries.webhooksWithClaimable(instant(clock), { limit: PAGE, ...after }));
        if (performance.now() - releasedAt > RELEASES_EVERY_MS) {
          await look((after) => deliveries.webhooksWithBlocked({ limit: PAGE, ...after }));
          releasedAt = performance.now();
        }
        if (performance.now() - purgedAt > PURGES_EVERY_MS) {
          purgedAt = performance.now();
          purging ??= purge()
            .catch(report)
            .finally(() => (purging = null));
        }
      } catch (error) {
        report(error);
        await looks.wait(seen, RESTS_MS, signal);
      }
      await looks.wait(seen, LOOKS_EVERY_MS, signal);
    }
    await Promise.all([purging, ...[...active.values()].map(({ ended }) => ended)]);
  }

  /** Begins with all of which there is anything. */
  async function look(page: (after: { after?: string }) => Promise<string[]>): Promise<void> {
    for (let after: string | undefined; !signal.aborted;) {
      const found = await page(after === undefined ? {} : { after });
      for (const webhook of found) {
        if (performance.now() >= (resting.get(webhook) ?? 0)) begin(webhook);
      }
      after = found.at(-1);
      if (found.length < PAGE) return;
    }
  }

  /** Tells who sends to it already, or begins. */
  function begin(webhook: string): void {
    const present = active.get(webhook);
    if (present !== undefined) return present.nudge.notify();
    if (signal.aborted) return;
    resting.delete(webhook);
    const nudge = openNotifier();
    const ended = deliverWhileLeased(sending, webhook, { nudge, stop: signal })
      .then(
        (had) => had || rests(webhook),
        (error: unknown) => {
          report(error);
          rests(webhook);
        },
      )
      .finally(() => active.delete(webhook));
    active.set(webhook, { nudge, ended: ended.then(() => undefined) });
  }

  function rests(webhook: string): void {
    resting.set(webhook, performance.now() + RESTS_MS);
    setTimeout(() => resting.delete(webhook), RESTS_MS).unref();
  }

  async function purge(): Promise<void> {
    const before = later(instant(clock), -historyMs);
    while (!signal.aborted && (await deliveries.purge(before, PURGED_AT_ONCE)) === PURGED_AT_ONCE);
  }
}
