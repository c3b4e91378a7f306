/**
 * The fan-out.
 *
 * Takes: the messages of the outbox, brought by the bus or read from the outbox itself. Gives: one delivery for each
 * message and webhook, in log order. It loses nothing: it reads the messages from the outbox by position, and moves the
 * checkpoint only after their deliveries are recorded. It may add a delivery twice, to no effect: the delivery's id
 * follows from webhook and event. The bus saves time only: where it loses, repeats or reorders messages, or stops,
 * the outbox has them.
 */
import { outbox, teamWebhookDocuments, type MessageDocument } from '../../../projections/outbox.js';
import { instant, type Clock } from '../../clock.js';
import { withIdleTicks } from '../../concurrency/with-idle-ticks.js';
import { newDelivery } from '../../domain/delivery.js';
import { laterPosition, logPosition, START, type Position } from '../../domain/event.js';
import { eventPositionOf, type Message } from '../../domain/message.js';
import { messageTypes } from '../../domain/message-types.js';
import { isSubscribed, type SubscribedWebhook } from '../../domain/webhook.js';
import { fail } from '../../errors.js';
import { runAsLeader, type LeaderFault } from '../../leases/run-as-leader.js';
import type { Holder } from '../../leases/lease.js';
import { chunk } from '../../memory/chunk.js';
import type { Bus, BusBatch } from '../../ports/bus.js';
import type { Deliveries } from '../../ports/deliveries.js';
import type { State } from '../../ports/state.js';
import type { ViewReader } from '../../ports/views.js';
import { typedViews } from '../../projecting/typed-views.js';
import type { Render } from '../outbox/payload.js';
import {
  moveCheckpoint,
  outgoingAfter,
  readCheckpoint,
  resetCheckpoint,
  type FanOutCheckpoint,
} from '../outbox/publisher.js';

export type FanOutOptions = {
  /** The position of the log's newest event. */
  head: () => Promise<Position>;
  views: ViewReader;
  render: Render;
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
const FOLDED_WITHIN_MS = 1_000;
/** The most that the deliveries' store takes at a time: a message may have many targets, each with its body. */
const CHUNK = { count: 500, bytes: 4 * 1024 * 1024 };

/** Fans out while it leads, until the signal. */
export async function runFanOut(options: FanOutOptions): Promise<void> {
  const { state, holder, clock, signal, report } = options;
  const work = (_lease: unknown, ended: AbortSignal) => fanOut(options, ended);
  await runAsLeader({ name: 'fan-out', state, holder, clock, signal, report, work });
}

type Bodies = ReadonlyMap<string, string>;

async function fanOut(options: FanOutOptions, ended: AbortSignal): Promise<void> {
  const { views, state, bus, idleMs = IDLE_MS } = options;
  let checkpoint = await readCheckpoint(state);
  // A fault of the bus may come at once again, and then no message would ever come from it: the outbox first.
  if (!(await takeFromOutbox())) return;
  const batches = bus.consume({ limit: LIMIT, signal: ended });
  for await (const batch of withIdleTicks(batches, idleMs, ended)) {
    const goesOn = batch === 'idle' ? await takeFromOutbox() : await takeBatch(batch);
    if (!goesOn) return;
  }

  /** False if this process no longer leads: then it acknowledges nothing. */
  async function takeBatch(batch: BusBatch): Promise<boolean> {
    // The outbox mostly has the messages of the bus. If not, it is being rebuilt, or the log was restored from a
    // backup without them. The fan-out does not wait for them: it finds them by position once the outbox has them.
    await waitUntilFolded(views, batch.messages);
    const bodies = new Map(batch.messages.map(({ event_id, body }) => [event_id, body]));
    if (!(await takeAll(bodies))) return false;
    await batch.ack();
    return true;
  }

  async function takeFromOutbox(): Promise<boolean> {
    const within = await checkpointWithinLog(options, checkpoint);
    if (within === null) return false;
    checkpoint = within;
    return takeAll();
  }

  /** All messages that the outbox has by now. `bodies`: the bodies of the messages that are rendered already. */
  async function takeAll(bodies: Bodies = new Map()): Promise<boolean> {
    while (!ended.aborted) {
      const messages = await outgoingAfter(views, checkpoint.place, { limit: LIMIT });
      if (messages.length > 0) {
        const moved = await take(options, checkpoint, messages, bodies);
        if (moved === null) return false;
        checkpoint = moved;
      }
      if (messages.length < LIMIT) return true;
    }
    return false;
  }
}

/** Adds the deliveries of messages, then moves the checkpoint after them. Null if another process has moved it. */
async function take(
  options: FanOutOptions,
  checkpoint: FanOutCheckpoint,
  messages: readonly MessageDocument[],
  bodies: Bodies,
): Promise<FanOutCheckpoint | null> {
  const wanted = messages.filter(({ at }) => at >= checkpoint.since);
  const webhooks =
    wanted.length === 0 ? [] : await addDeliveries(options, await withBodies(options.render, wanted, bodies));
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
  const recorded = logPosition(eventPositionOf(checkpoint.place));
  // The outbox is never ahead of the log, so the log itself is rarely asked.
  if (recorded <= (await views.position(outbox.name))) return checkpoint;
  const end = await head();
  if (recorded <= end) return checkpoint;
  const reset = await resetCheckpoint(state, checkpoint);
  if (reset !== null) report({ type: 'failed', error: restoredLog(end, checkpoint), retryInMs: 0 });
  return reset;
}

async function withBodies(
  render: Render,
  messages: readonly MessageDocument[],
  known: Bodies,
): Promise<Message[]> {
  const rendered = await render(messages.filter(({ event_id }) => !known.has(event_id)));
  const bodies = new Map([...known, ...rendered.map(({ event_id, body }) => [event_id, body] as const)]);
  return messages.map(({ about: _, outgoing: __, ...ref }) => ({ ...ref, body: bodies.get(ref.event_id)! }));
}

/** Waits for a limited time until the outbox has these messages. */
async function waitUntilFolded(views: ViewReader, messages: readonly Message[]): Promise<void> {
  const atLeast = messages.reduce((last, { place }) => laterPosition(last, eventPositionOf(place)), START);
  await views.position(outbox.name, { atLeast, timeoutMs: FOLDED_WITHIN_MS });
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
  messages: readonly Message[],
): Promise<string[]> {
  const teams = await webhooksOf(views, [...new Set(messages.map(({ team_id }) => team_id))]);
  await mustBeFolded(views, eventPositionOf(messages.at(-1)!.place));
  const now = instant(clock);
  const added = messages.flatMap((message) =>
    message.targets
      .filter((webhook) => isWanted(teams.get(message.team_id)?.get(webhook), message))
      .map((webhook) => newDelivery(message, webhook, now)),
  );
  for (const some of chunk(added, CHUNK, ({ body }) => body?.length ?? 0)) await deliveries.add(some);
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
async function mustBeFolded(views: ViewReader, position: Position): Promise<void> {
  if ((await views.position(outbox.name)) >= position) return;
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
