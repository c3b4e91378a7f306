/**
 * The fan-out: makes the deliveries of each message, in log order, and notes how far it is. Nothing later is taken while
 * something earlier is not recorded. The bus only carries: where it has lost or mixed up anything, or stands still, the
 * messages are read from the publication.
 */
import { outbox, type MessageDocument } from '../../../projections/publication.js';
import type { Clock } from '../../clock.js';
import { runAsLeader, type LeaderFault } from '../../leases/run-as-leader.js';
import type { Holder } from '../../leases/lease.js';
import type { Bus, BusBatch } from '../../ports/bus.js';
import type { Deliveries } from '../../ports/deliveries.js';
import type { State } from '../../ports/state.js';
import type { ViewReader } from '../../ports/views.js';
import type { Render } from '../outbox/rendering.js';
import {
  deleteCheckpoint,
  outgoingAfter,
  putCheckpoint,
  readCheckpoint,
  type FanOutCheckpoint,
} from './checkpoint.js';
import { later, logPosition, START, type Position } from '../../domain/event.js';
import { eventPositionOf, type Message } from '../../domain/message.js';
import { matchWebhooks } from './match-webhooks.js';
import { withIdleTicks } from './with-idle-ticks.js';

export type FanOutOptions = {
  /** Of the log: the position of its newest event. */
  head: () => Promise<Position>;
  views: ViewReader;
  render: Render;
  state: State;
  deliveries: Pick<Deliveries, 'add'>;
  bus: Bus;
  holder: Holder;
  clock: Clock;
  signal: AbortSignal;
  /** Told of every fault before the next try. */
  report: (fault: LeaderFault) => void;
  /** Wakes the dispatcher of this process: these webhooks have something new to deliver. */
  added?: (webhooks: readonly string[]) => void;
  /** When nothing comes from the bus for so long, it is not believed: by default 2 s. */
  idleMs?: number;
};

const LIMIT = 500;
/** The bus may have lost the last message, after which nothing comes that would show it. */
const IDLE_MS = 2_000;
const FOLDED_WITHIN_MS = 1_000;

/** Fans out while it leads, until the signal. */
export async function runFanOut(options: FanOutOptions): Promise<void> {
  const { state, holder, clock, signal, report } = options;
  const work = (_lease: unknown, ended: AbortSignal) => fanOut(options, ended);
  await runAsLeader({ name: 'fan-out', state, holder, clock, signal, report, work });
}

async function fanOut(options: FanOutOptions, ended: AbortSignal): Promise<void> {
  const { head, views, state, bus, report, idleMs = IDLE_MS } = options;
  let at: FanOutCheckpoint = await readCheckpoint(state);
  // What failed on the bus may fail again at once, and then no message would ever come from it.
  if (!(await takeForItself())) return;
  const incoming = bus.consume({ limit: LIMIT, signal: ended });
  for await (const batch of withIdleTicks(incoming, idleMs, ended)) {
    const isDone = batch === 'idle' ? await takeForItself() : await takeBatch(batch);
    if (!isDone) return;
  }

  /** False where it is no longer ours to go on; then nothing is acknowledged. */
  async function takeBatch(batch: BusBatch): Promise<boolean> {
    // What it brings is mostly there; where it is not, the publication is being folded anew, or the log was put back from a
    // backup, and this never happened. Nobody is held up by it: it is found by place once it is there.
    await folded(views, batch.messages);
    const brought = new Map(batch.messages.map(({ event_id, body }) => [event_id, body]));
    if (!(await takeFromViews(brought))) return false;
    await batch.ack();
    return true;
  }

  async function takeForItself(): Promise<boolean> {
    return (await isInLog()) && (await takeFromViews());
  }

  /** Sees to it that it is. Else nothing would be delivered until the log has come so far once more. */
  async function isInLog(): Promise<boolean> {
    const recorded = logPosition(eventPositionOf(at.place));
    // The publication is read first: it never has what the log has not, and so the log is mostly not asked.
    if (recorded <= (await views.position(outbox.name))) return true;
    const end = await head();
    if (recorded <= end) return true;
    const moved = await deleteCheckpoint(state, at);
    if (moved === null) return false;
    report({ type: 'failed', error: putBack(end, at), retryInMs: 0 });
    at = moved;
    return true;
  }

  /** All that the publication has by now. What the bus brought need not be rendered once more. */
  async function takeFromViews(brought: ReadonlyMap<string, string> = new Map()): Promise<boolean> {
    while (!ended.aborted) {
      const messages = await outgoingAfter(views, at.place, { limit: LIMIT });
      if (messages.length > 0 && !(await take(messages, brought))) return false;
      if (messages.length < LIMIT) return true;
    }
    return false;
  }

  async function withBodies(
    messages: readonly MessageDocument[],
    brought: ReadonlyMap<string, string>,
  ): Promise<Message[]> {
    const rendered = await options.render(messages.filter(({ event_id }) => !brought.has(event_id)));
    const bodies = new Map([...brought, ...rendered.map(({ event_id, body }) => [event_id, body] as const)]);
    return messages.map(({ about: _, outgoing: __, ...ref }) => ({
      ...ref,
      body: bodies.get(ref.event_id)!,
    }));
  }

  /** The publication stands at the last of them or after it. */
  async function take(
    messages: readonly MessageDocument[],
    brought: ReadonlyMap<string, string>,
  ): Promise<boolean> {
    const wanted = messages.filter((message) => message.at >= at.since);
    const webhooks =
      wanted.length === 0 ? [] : await matchWebhooks(options, await withBodies(wanted, brought));
    const moved = await putCheckpoint(state, at, messages.at(-1)!);
    if (webhooks.length > 0) options.added?.(webhooks);
    if (moved === null) return false;
    at = moved;
    return true;
  }
}

/** Waits for the publication to have them, but only for a while. */
async function folded(views: ViewReader, messages: readonly Message[]): Promise<void> {
  const atLeast = messages.reduce((last, { place }) => later(last, eventPositionOf(place)), START);
  await views.position(outbox.name, { atLeast, timeoutMs: FOLDED_WITHIN_MS });
}

function putBack(end: Position, { place, at }: FanOutCheckpoint): Error {
  return new Error(
    `The log ends at ${end}, before ${place}, up to which deliveries are recorded: it was put back from an earlier ` +
      `backup than the state. Deliveries are made of all that happened since ${at}`,
  );
}
