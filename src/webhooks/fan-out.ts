/**
 * The fan-out: makes the deliveries of each message, in log order, and notes how far it is. Nothing later is taken while
 * something earlier is not recorded. The bus only carries: where it has lost or mixed up anything, or stands still, the
 * messages are read from the publication.
 */
import { publication, type MessageDocument } from '../../projections/publication.js';
import type { Clock } from '../core/clock.js';
import { runLeading, type LeadingFault } from '../core/leading.js';
import type { Holder } from '../core/lease.js';
import type { Bus, BusBatch, Deliveries, State, ViewReader } from '../core/ports.js';
import type { Render } from '../core/publication/rendering.js';
import { outgoingAfter, putRecorded, readRecorded, type Recorded } from '../core/webhooks/recorded.js';
import { later, START } from '../domain/event.js';
import { positionAt, type Message } from '../domain/message.js';
import { addDeliveries } from './addressing.js';
import { orIdle } from './or-idle.js';

export type FanOutOptions = {
  views: ViewReader;
  render: Render;
  state: State;
  deliveries: Pick<Deliveries, 'add'>;
  bus: Bus;
  holder: Holder;
  clock: Clock;
  signal: AbortSignal;
  /** Told of every fault before the next try. */
  report: (fault: LeadingFault) => void;
  /** Wakes the dispatcher of this process: these webhooks have something new to deliver. */
  added?: (webhooks: readonly string[]) => void;
  /** When nothing comes from the bus for so long, it is not believed: by default 2 s. */
  idleMs?: number;
};

const LIMIT = 500;
/** The bus may have lost the last message, after which nothing comes that would show it. */
const IDLE_MS = 2_000;
const AGAIN_AFTER_MS = 1_000;

/** Fans out while it leads, until the signal. */
export async function runFanOut(options: FanOutOptions): Promise<void> {
  const { state, holder, clock, signal, report } = options;
  const work = (_lease: unknown, ended: AbortSignal) => fanOut(options, ended);
  await runLeading({ name: 'fan-out', state, holder, clock, signal, report, work });
}

async function fanOut(options: FanOutOptions, ended: AbortSignal): Promise<void> {
  const { views, state, bus, idleMs = IDLE_MS } = options;
  let at: Recorded = await readRecorded(state);
  // What failed on the bus may fail again at once, and then no message would ever come from it.
  if (!(await takeFromViews())) return;
  const incoming = bus.consume({ limit: LIMIT, signal: ended });
  for await (const batch of orIdle(incoming, idleMs, ended)) {
    const isDone = batch === 'idle' ? await takeFromViews() : await takeBatch(batch);
    if (!isDone) return;
  }

  /** False where it is no longer ours to go on; then nothing is acknowledged. */
  async function takeBatch(batch: BusBatch): Promise<boolean> {
    if (!(await isFolded(views, batch.messages))) {
      // It is being folded anew, and knows neither all messages nor the webhooks that are registered later; or the log was
      // put back from a backup, and the bus has what never happened. What the publication has goes on meanwhile.
      if (!(await takeFromViews())) return false;
      await batch.nak(AGAIN_AFTER_MS);
      return true;
    }
    if (!(await takeFromViews(new Map(batch.messages.map(({ event_id, body }) => [event_id, body])))))
      return false;
    await batch.ack();
    return true;
  }

  /** All that the publication has by now. What the bus brought need not be rendered once more. */
  async function takeFromViews(brought: ReadonlyMap<string, string> = new Map()): Promise<boolean> {
    while (!ended.aborted) {
      const messages = await outgoingAfter(views, at.place, { limit: LIMIT });
      if (messages.length > 0 && !(await take(await withBodies(messages, brought)))) return false;
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
  async function take(messages: readonly Message[]): Promise<boolean> {
    const webhooks = await addDeliveries(options, messages);
    const moved = await putRecorded(state, at, messages.at(-1)!.place);
    if (webhooks.length > 0) options.added?.(webhooks);
    if (moved === null) return false;
    at = moved;
    return true;
  }
}

/** Waits a while for it: it is, but for a publication that is being folded anew. */
async function isFolded(views: ViewReader, messages: readonly Message[]): Promise<boolean> {
  const atLeast = messages.reduce((last, { place }) => later(last, positionAt(place)), START);
  return (await views.position(publication.name, { atLeast, timeoutMs: AGAIN_AFTER_MS })) >= atLeast;
}
