/**
 * The fan-out.
 *
 * Takes: the messages of the outbox; the bus says which partitions have new ones. Gives: one delivery for each message
 * and webhook, in log order within each partition. It loses nothing: it reads the messages from the outbox by position,
 * and moves the checkpoint only after their deliveries are recorded. It may add a delivery twice, to no effect: the
 * delivery's id follows from webhook and event. The bus saves time only: where it loses, repeats or reorders messages,
 * or stops, the outbox has them.
 */
import { outbox, teamWebhookDocuments, type MessageDocument } from '../../../projections/outbox.js';
import { instant, type Clock } from '../../clock.js';
import { withIdleTicks } from '../../concurrency/with-idle-ticks.js';
import { newDelivery } from '../../domain/messages/delivery.js';
import { logPosition, type Position } from '../../domain/event.js';
import { eventPositionOf, type Message, type OutboxPosition } from '../../domain/messages/message.js';
import { partitionOf, type Partition } from '../../domain/partition.js';
import { messageTypes } from '../../domain/messages/message-types.js';
import { isSubscribed, type SubscribedWebhook } from '../../domain/messages/webhook.js';
import { fail } from '../../errors.js';
import { runAsLeader, type LeaderFault } from '../../leases/run-as-leader.js';
import type { Holder } from '../../leases/lease.js';
import type { Bus } from '../../ports/bus.js';
import type { Deliveries } from '../../ports/deliveries.js';
import type { State } from '../../ports/state.js';
import type { ViewReader } from '../../ports/views.js';
import { typedViews } from '../../projecting/typed-views.js';
import {
  BEFORE_ALL,
  moveCheckpoint,
  readCheckpoints,
  resetCheckpoint,
  type FanOutCheckpoint,
} from '../outbox/checkpoint.js';
import { outgoingAfter } from '../outbox/outgoing.js';

export type FanOutOptions = {
  /** The position of the log's newest event. */
  head: () => Promise<Position>;
  views: ViewReader;
  state: State;
  deliveries: Pick<Deliveries, 'add'>;
  bus: Bus;
  holder: Holder;
  clock: Clock;
  signal: AbortSignal;
  /** Called with every fault before the next try. */
  report: (fault: LeaderFault) => void;
  /** Called with the webhooks that have new deliveries: wakes the dispatcher of this process. */
  added?: (webhooks: readonly string[]) => void;
  /** After this time without a batch, the outbox is read without the bus: by default 2 s. */
  idleMs?: number;
};

const LIMIT = 500;
/** The bus may have lost the last message, and then no later message would show the gap. */
const IDLE_MS = 2_000;
/** The outbox mostly has the messages of the bus. If not, it may be a moment behind in this process. */
const FOLDED_WITHIN_MS = 1_000;
const LOOK_EVERY_MS = 20;
/** The page of a partition holds up those of all others: with many webhooks it has fewer messages. */
const DELIVERIES_IN_A_PAGE = 1_000;
/** While the bus has messages, pages are taken at least this often. */
const BUS_FIRST_MS = 50;
/** The most that the deliveries' store takes at a time: a message may have many targets. */
const MOST_ADDED = 500;

/** Fans out while it leads, until the signal. */
export async function runFanOut(options: FanOutOptions): Promise<void> {
  const work = (_lease: unknown, ended: AbortSignal) => fanOut(options, ended);
  await runAsLeader({ ...options, name: 'fan-out', work });
}

/** Messages that the bus has announced: the last one of a partition, and until when the outbox is expected to have it. */
type Announced = { place: OutboxPosition; until: number };

/**
 * Takes one page of each partition in turn, so that a partition with many messages does not hold up the others. The bus
 * is read to its end first: it only says which partitions have messages, and the outbox has all of them.
 */
async function fanOut(options: FanOutOptions, ended: AbortSignal): Promise<void> {
  const { state, bus, idleMs = IDLE_MS } = options;
  const checkpoints = await readCheckpoints(state);
  const unread = new Map<Partition, Announced>();
  let lookedAt = -Infinity;
  let tookAt = -Infinity;
  // A fault of the bus may come at once again, and then no message would ever come from it: the outbox first.
  if (!(await look()) || !(await takePages())) return;
  const batches = bus.consume({ limit: LIMIT, signal: ended });
  for await (const batch of withIdleTicks(batches, untilTick, ended)) {
    if (batch !== 'idle') {
      announce(batch.messages);
      await batch.ack();
      if (performance.now() - tookAt < BUS_FIRST_MS) continue;
    } else if (performance.now() - lookedAt >= idleMs && !(await look())) return;
    if (!(await takePages())) return;
  }

  function untilTick(): number {
    if ([...unread.values()].some(({ until }) => until === Infinity)) return 0;
    const untilLook = lookedAt + idleMs - performance.now();
    return unread.size > 0 ? Math.min(LOOK_EVERY_MS, untilLook) : Math.max(0, untilLook);
  }

  function announce(messages: readonly Message[]): void {
    for (const { team_id, place } of messages) {
      const partition = partitionOf(team_id);
      const known = unread.get(partition)?.place ?? BEFORE_ALL;
      unread.set(partition, { place: place > known ? place : known, until: Infinity });
    }
  }

  /** Reads all partitions once, without the bus. False if this process no longer leads. */
  async function look(): Promise<boolean> {
    lookedAt = performance.now();
    for (const [partition, checkpoint] of checkpoints) {
      const within = await checkpointWithinLog(options, checkpoint);
      if (within === null) return false;
      checkpoints.set(partition, within);
      if (!unread.has(partition)) unread.set(partition, { place: BEFORE_ALL, until: Infinity });
    }
    return true;
  }

  /** One page of each partition that may have messages. False if this process no longer leads. */
  async function takePages(): Promise<boolean> {
    tookAt = performance.now();
    for (const [partition, announced] of unread) {
      if (ended.aborted) return false;
      const found = await outgoingAfter(options.views, checkpoints.get(partition)!, { limit: LIMIT });
      const messages = withinPage(found);
      if (messages.length > 0) {
        const moved = await take(options, checkpoints.get(partition)!, messages);
        if (moved === null) return false;
        checkpoints.set(partition, moved);
      }
      if (found.length < LIMIT && messages.length === found.length) settle(partition, announced);
    }
    return true;
  }

  /**
   * The outbox has no more messages of the partition. If the bus has announced one, the outbox is being rebuilt, or the
   * log was restored from a backup without it: the fan-out waits a moment, and later finds it by position.
   */
  function settle(partition: Partition, { place, until }: Announced): void {
    const isTaken = checkpoints.get(partition)!.place >= place;
    const now = performance.now();
    if (isTaken || until <= now) unread.delete(partition);
    else unread.set(partition, { place, until: Math.min(until, now + FOLDED_WITHIN_MS) });
  }
}

/** The first messages, with the deliveries of one page: a message has up to 50 targets. */
function withinPage(messages: readonly MessageDocument[]): readonly MessageDocument[] {
  let deliveries = 0;
  const end = messages.findIndex(({ targets }) => (deliveries += targets.length) > DELIVERIES_IN_A_PAGE);
  return end < 0 ? messages : messages.slice(0, Math.max(1, end));
}

/** Adds the deliveries of messages, then moves the checkpoint after them. Null if another process has moved it. */
async function take(
  options: FanOutOptions,
  checkpoint: FanOutCheckpoint,
  messages: readonly MessageDocument[],
): Promise<FanOutCheckpoint | null> {
  const wanted = messages.filter(({ at }) => at >= checkpoint.since);
  const webhooks = wanted.length === 0 ? [] : await addDeliveries(options, checkpoint.partition, wanted);
  const moved = await moveCheckpoint(options.state, checkpoint, messages.at(-1)!);
  if (webhooks.length > 0) options.added?.(webhooks);
  return moved;
}

/**
 * The checkpoint, set back if the log ends before it: otherwise nothing would be delivered until the log has grown that
 * far again. Null if another process has moved it.
 */
async function checkpointWithinLog(
  { head, views, state, report }: FanOutOptions,
  checkpoint: FanOutCheckpoint,
): Promise<FanOutCheckpoint | null> {
  const { partition, place } = checkpoint;
  if (place === BEFORE_ALL) return checkpoint;
  const recorded = logPosition(eventPositionOf(place));
  // The outbox is never ahead of the log, so the log itself is rarely asked.
  if (recorded <= (await views.position(outbox.name, { partition }))) return checkpoint;
  const end = await head();
  if (recorded <= end) return checkpoint;
  const reset = await resetCheckpoint(state, checkpoint);
  if (reset !== null) report({ type: 'failed', error: restoredLog(end, checkpoint), retryInMs: 0 });
  return reset;
}

function restoredLog(end: Position, { place, at }: FanOutCheckpoint): Error {
  return new Error(
    `The log ends at ${end}, before ${place}, up to which deliveries are recorded. It was restored from an older ` +
      `backup than the state. Deliveries are made of all events since ${at}.`,
  );
}

// --- From a message to its deliveries -------------------------------------------------------------------------------

/**
 * Adds the deliveries of messages, in their order. Returns the webhooks that got any. @throws LedgerError
 * `views_unavailable` if the outbox is not folded up to the last message.
 */
async function addDeliveries(
  { views, deliveries, clock }: Pick<FanOutOptions, 'views' | 'deliveries' | 'clock'>,
  partition: Partition,
  messages: readonly Message[],
): Promise<string[]> {
  const teams = await webhooksOf(views, [...new Set(messages.map(({ team_id }) => team_id))]);
  await mustBeFolded(views, partition, eventPositionOf(messages.at(-1)!.place));
  const now = instant(clock);
  const added = messages.flatMap((message) =>
    message.targets
      .filter((webhook) => isWanted(teams.get(message.team_id)?.get(webhook), message))
      .map((webhook) => newDelivery(message, webhook, now)),
  );
  for (let from = 0; from < added.length; from += MOST_ADDED) {
    await deliveries.add(added.slice(from, from + MOST_ADDED));
  }
  return [...new Set(added.map(({ webhook_id }) => webhook_id))];
}

/**
 * The webhooks that were targets when the message happened, still exist and were not disabled since: disabling cancels
 * pending deliveries, and enabling does not bring it back. A ping goes to its webhook whatever the
 * webhook's subscriptions are.
 */
function isWanted(webhook: SubscribedWebhook | undefined, { type, place }: Message): boolean {
  if (webhook === undefined || !webhook.enabled || webhook.since >= eventPositionOf(place)) return false;
  return !messageTypes[type].subscribable || isSubscribed(webhook.events, type);
}

/** Checked after the webhooks were read: deleted views would have none, and no webhook would get the messages. */
async function mustBeFolded(views: ViewReader, partition: Partition, position: Position): Promise<void> {
  if ((await views.position(outbox.name, { partition })) >= position) return;
  fail('views_unavailable', 'The outbox is being rebuilt.');
}

async function webhooksOf(
  views: ViewReader,
  teams: readonly string[],
): Promise<Map<string, Map<string, SubscribedWebhook>>> {
  const documents = await typedViews(views, outbox).get(teamWebhookDocuments, teams);
  return new Map(
    teams.map((team, n) => {
      const { webhooks = [] } = documents[n] ?? {};
      return [team, new Map(webhooks.map((webhook) => [webhook.webhook_id, webhook]))];
    }),
  );
}
