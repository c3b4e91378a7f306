/**
 * The fan-out.
 *
 * Takes: the messages of the outbox. Gives: one delivery for each message and webhook, in log order within each
 * partition. It loses nothing: it reads the messages from the outbox by position, and moves the checkpoint only after
 * their deliveries are recorded. It may add a delivery twice, to no effect: the delivery's id follows from webhook and
 * event. A commit of the history wakes it. Without that it looks every 2 s.
 */
import { history } from '../../../projections/history/history.js';
import { teamWebhookDocuments } from '../../../projections/outbox/team-webhooks.js';
import type { MessageDocument } from '../../../projections/outbox/messages.js';
import { instant, type Clock } from '../../clock.js';
import { newDelivery } from '../../domain/messages/delivery.js';
import { logPosition, type Position } from '../../domain/event.js';
import { eventPositionOf } from '../../domain/messages/message.js';
import { ALL_PARTITIONS, type Partition } from '../../domain/partition.js';
import { isSubscribed, type SubscribedWebhook } from '../../domain/messages/webhook.js';
import { fail } from '../../errors.js';
import { runAsLeader, type LeaderFault } from '../../leases/run-as-leader.js';
import type { Holder } from '../../leases/lease.js';
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
import type { Unread } from './unread.js';

export type FanOutOptions = {
  /** The position of the log's newest event. */
  head: () => Promise<Position>;
  views: ViewReader;
  state: State;
  deliveries: Pick<Deliveries, 'add'>;
  /** Where the commits of the history say which partitions have new messages. */
  unread: Unread;
  holder: Holder;
  clock: Clock;
  signal: AbortSignal;
  /** Called with every fault before the next try. */
  report: (fault: LeaderFault) => void;
  /** Called with the webhooks that have new deliveries: wakes the dispatcher of this process. */
  added?: (webhooks: readonly string[]) => void;
  /** All partitions are read this often, woken or not: by default every 2 s. */
  lookEveryMs?: number;
};

const LIMIT = 500;
/** A commit of another process wakes nobody here without the relay, which may lose messages. */
const LOOK_EVERY_MS = 2_000;
/** The page of a partition holds up those of all others: with many webhooks it has fewer messages. */
const DELIVERIES_IN_A_PAGE = 1_000;
/** The most that the deliveries' store takes at a time: a message may have many targets. */
const MOST_ADDED = 500;

/** Fans out while it leads, until the signal. */
export async function runFanOut(options: FanOutOptions): Promise<void> {
  const work = (_lease: unknown, ended: AbortSignal) => fanOut(options, ended);
  await runAsLeader({ ...options, name: 'fan-out', work });
}

/** Takes one page of each partition in turn, so that a partition with many messages does not hold up the others. */
async function fanOut(options: FanOutOptions, ended: AbortSignal): Promise<void> {
  const { state, unread, lookEveryMs = LOOK_EVERY_MS } = options;
  const checkpoints = await readCheckpoints(state);
  for (let lookAt = 0; !ended.aborted;) {
    if (performance.now() >= lookAt) {
      if (!(await look())) return;
      lookAt = performance.now() + lookEveryMs;
    }
    // Counted before the reads: a commit right after them ends the wait at once.
    const seen = unread.count();
    for (const partition of unread.take()) {
      const taken = await takePage(partition);
      if (taken === 'lost' || ended.aborted) return;
      if (taken === 'some') unread.add(partition);
    }
    await unread.wait(seen, Math.max(0, lookAt - performance.now()), ended);
  }

  /** Begins to read all partitions once. False if this process no longer leads. */
  async function look(): Promise<boolean> {
    for (const [partition, checkpoint] of checkpoints) {
      const within = await checkpointWithinLog(options, checkpoint);
      if (within === null) return false;
      checkpoints.set(partition, within);
    }
    unread.add(ALL_PARTITIONS);
    return true;
  }

  /** `some`: there may be more. `lost`: this process no longer leads. */
  async function takePage(partition: Partition): Promise<'all' | 'some' | 'lost'> {
    const checkpoint = checkpoints.get(partition)!;
    const found = await outgoingAfter(options.views, checkpoint, { limit: LIMIT });
    const messages = withinPage(found);
    if (messages.length > 0) {
      const moved = await take(options, checkpoint, messages);
      if (moved === null) return 'lost';
      checkpoints.set(partition, moved);
    }
    return found.length < LIMIT && messages.length === found.length ? 'all' : 'some';
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
  // The history is never ahead of the log, so the log itself is rarely asked.
  if (recorded <= (await views.position(history.name, { partition }))) return checkpoint;
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
 * Adds the deliveries of messages, in their order. Returns the webhooks that got any. @throws AppError
 * `views_unavailable` if the history is not folded up to the last message.
 */
async function addDeliveries(
  { views, deliveries, clock }: Pick<FanOutOptions, 'views' | 'deliveries' | 'clock'>,
  partition: Partition,
  messages: readonly MessageDocument[],
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
function isWanted(webhook: SubscribedWebhook | undefined, message: MessageDocument): boolean {
  if (webhook === undefined || !webhook.enabled || webhook.since >= eventPositionOf(message.place))
    return false;
  return message.type === 'webhook.ping' || isSubscribed(webhook, message);
}

/** Checked after the webhooks were read: deleted views would have none, and no webhook would get the messages. */
async function mustBeFolded(views: ViewReader, partition: Partition, position: Position): Promise<void> {
  if ((await views.position(history.name, { partition })) >= position) return;
  fail('views_unavailable', 'The history is being rebuilt.');
}

async function webhooksOf(
  views: ViewReader,
  teams: readonly string[],
): Promise<Map<string, Map<string, SubscribedWebhook>>> {
  const documents = await typedViews(views, history).get(teamWebhookDocuments, teams);
  return new Map(
    teams.map((team, n) => {
      const { webhooks = [] } = documents[n] ?? {};
      return [team, new Map(webhooks.map((webhook) => [webhook.webhook_id, webhook]))];
    }),
  );
}
